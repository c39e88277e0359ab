# The tasks of every day; CONTRIBUTING.md explains them. `just` lists them.

[private]
default:
    @just --list --unsorted

# What a change has to pass to land
land:
    .ci/run

# The longer checks, or those that are named
full *STEPS:
    .ci/full {{ STEPS }}

# Format, and show warnings as CI does
lint:
    cargo fmt --all
    cargo clippy --workspace --all-targets -- -D warnings

# Tests of one crate (cli, sdk, fixtures, spec), or those with a name in them
test CRATE *NAMES:
    cargo test --package links-{{ CRATE }} -- {{ NAMES }}

# The rules that documents, names, imports and dependencies keep
rules:
    cargo test --package links-spec

# Run the program that is built from the working tree
run *ARGS:
    cargo run --quiet --package links-cli -- {{ ARGS }}

# Write what follows from spec/openapi.json
generate:
    cargo spec generate

# Accept what snapshots, completions and tables in documents have become; look at `git diff` afterwards
update *NAMES:
    INSTA_UPDATE=always LINKS_UPDATE=1 cargo test --package links-cli --test cli -- {{ NAMES }}
    LINKS_UPDATE=1 cargo test --package links-spec --test spec -- faults

# Random commands, faults and foreign edits for this many seconds
campaign SECONDS="60":
    tests/campaign/run {{ SECONDS }}

# What the program costs: instructions, memory, size
costs:
    benchmarks/cli --budgets
