# The tasks of every day; CONTRIBUTING.md explains them. `just` lists them.

# Arguments are words of the shell, not text of its program.
set positional-arguments

[private]
default:
    @just --list --unsorted

# What a change has to pass to land
land:
    .ci/run

# The longer checks, or those that are named
full *STEPS:
    .ci/full "$@"

# Format, and show warnings as CI does
lint:
    cargo fmt --all
    cargo clippy --workspace --all-targets -- -D warnings

# Tests of one crate (cli, sdk, fixtures, spec), or those with a name in them
test CRATE *NAMES:
    crate="$1"; shift; cargo test --package "links-$crate" -- "$@"

# The rules that documents, names, imports and dependencies keep
rules:
    cargo test --package links-spec

# Run the program that is built from the working tree
run *ARGS:
    cargo run --quiet --package links-cli -- "$@"

# Write what follows from spec/openapi.json
generate:
    cargo spec generate

# Accept what snapshots, completions and tables in documents have become; look at `git diff` afterwards
update *NAMES:
    INSTA_UPDATE=always LINKS_UPDATE=1 cargo test --package links-cli --test cli -- "$@"
    LINKS_UPDATE=1 cargo test --package links-spec --test spec -- faults

# Random commands, faults and foreign edits for this many seconds
campaign SECONDS="60":
    tests/campaign/run "$1"

# What the program costs: instructions, memory, size
costs:
    benchmarks/cli --budgets
