//! Tests of the action and the workflow of `docs/ci.md`, run as a CI service runs them, on the sandbox.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::test_env::TestEnv;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn yaml(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap()
}

/// Returns a working directory with the files of the repository.
fn checkout() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(directory.path().join("fixtures/pages")).unwrap();
    let page = Path::new("fixtures/pages/cafe.yaml");
    std::fs::copy(Path::new(ROOT).join(page), directory.path().join(page)).unwrap();
    directory
}

/// A job that uses the embedded service.
fn sandbox() -> Vec<(String, String)> {
    vec![("LINKS_SANDBOX".to_owned(), "1".to_owned())]
}

/// Runs a script where `links` is in the path, without any account.
fn bash(directory: &Path, script: &str, env: &[(String, String)]) -> Output {
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_links"));
    let path = format!("{}:/usr/bin:/bin", binary.parent().unwrap().display());
    let mut command = Command::new("bash");
    command.args(["-e", "-o", "pipefail", "-c", script]).current_dir(directory).env_clear();
    command.env("PATH", path).env("HOME", directory).env("GITHUB_ACTION_PATH", ROOT);
    command.envs(env.iter().map(|(name, value)| (name, value))).output().unwrap()
}

fn text(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
    format!("{out}{err}")
}

#[test]
fn the_workflow_of_the_guide_passes() {
    let guide = std::fs::read_to_string(Path::new(ROOT).join("docs/ci.md")).unwrap();
    let workflow = guide.split("```yaml\n").nth(2).unwrap().split("```").next().unwrap();
    let job = yaml(workflow)["jobs"]["check"].clone();
    assert_eq!(job["env"]["LINKS_SANDBOX"], "1");
    let directory = checkout();
    let mut ran = 0;
    for step in job["steps"].as_array().unwrap() {
        let Some(script) = step["run"].as_str().filter(|it| !it.starts_with("cargo install"))
        else {
            continue;
        };
        let output = bash(directory.path(), script, &sandbox());
        assert!(output.status.success(), "{}\n{}", step["name"], text(&output));
        ran += 1;
    }
    assert_eq!(ran, 3);
}

/// A GitHub client that keeps its arguments and the comment.
const GH: &str = "#!/bin/sh\necho \"$*\" >> \"$HOME/gh.txt\"\ncat plan.md >> \"$HOME/gh.txt\"\n";

/// The workflow for pages and forms as code, and a service and a repository for its runs.
struct Workflow {
    env: TestEnv,
    jobs: Value,
    /// The repository, as a server has it, and a clone to edit it in.
    root: TempDir,
}

/// What a job has done.
struct JobResult {
    /// Exit code of the first step that failed.
    exit: i32,
    said: String,
    /// What the GitHub client was told.
    comment: String,
    summary: String,
}

impl Workflow {
    fn new() -> Self {
        let guide = std::fs::read_to_string(Path::new(ROOT).join("docs/ci.md")).unwrap();
        let workflow = guide.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
        let jobs = yaml(workflow)["jobs"].clone();
        let root = tempfile::tempdir().unwrap();
        let all = Self { env: TestEnv::cafe(), jobs, root };
        let clone = all.root.path().join("clone");
        all.git(all.root.path(), "init --quiet --bare -b main origin.git");
        all.git(all.root.path(), "clone --quiet origin.git clone");
        all.git(&clone, "config user.name tester");
        all.git(&clone, "config user.email tester@example.org");
        for directory in ["pages", "forms"] {
            std::fs::create_dir(clone.join(directory)).unwrap();
        }
        let init = all.runner_command(&clone, "links init", &all.root.path().join("home"), &[]);
        assert!(init.status.success(), "{}", text(&init));
        let form = "form: booking\ntitle: Book a table\nbuttonText: Reserve\n";
        std::fs::write(clone.join("forms/booking.yaml"), form).unwrap();
        all.edit("First");
        all
    }

    /// Commits a title of the page and pushes it.
    fn edit(&self, title: &str) {
        let clone = self.root.path().join("clone");
        let page = format!("profile: cafe\ntitle: {title}\n");
        std::fs::write(clone.join("pages/cafe.yaml"), page).unwrap();
        self.git(&clone, "add -A");
        self.git(&clone, &format!("commit --quiet -m {title}"));
        self.git(&clone, "push --quiet origin main");
    }

    fn git(&self, directory: &Path, line: &str) -> String {
        let mut command = Command::new("git");
        // Maintenance would go on after the command, in a directory that is about to go.
        command.args(["-c", "maintenance.auto=false"]).args(line.split(' '));
        command.current_dir(directory).env_clear();
        command.env("PATH", "/usr/bin:/bin").env("HOME", self.root.path());
        let output = command.output().unwrap();
        assert!(output.status.success(), "git {line}: {}", text(&output));
        text(&output)
    }

    /// Runs a script as the shell of a runner does.
    fn runner_command(
        &self,
        directory: &Path,
        script: &str,
        home: &Path,
        env: &[(String, String)],
    ) -> Output {
        std::fs::create_dir_all(home.join("bin")).unwrap();
        let client = home.join("bin/gh");
        std::fs::write(&client, GH).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&client, mode).unwrap();
        let binary = PathBuf::from(env!("CARGO_BIN_EXE_links"));
        let links = binary.parent().unwrap().display();
        let path = format!("{}:{links}:/usr/bin:/bin", home.join("bin").display());
        let mut command = Command::new("bash");
        command.args(["-e", "-c", script]).current_dir(directory).env_clear();
        command.env("PATH", path).env("HOME", home).env("CI", "true");
        command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", home.join("summary.md"));
        command.env("LINKS_TEST_NO_WAIT", "1");
        command.env("LINKS_BASE_URL", self.env.server.base_url());
        command.env("LINKS_TOKEN", self.env.server.token());
        command.envs(env.iter().map(|(name, value)| (name, value))).output().unwrap()
    }

    /// Runs the job of an event on a runner that has nothing of the one before. Its steps are run as they are in the guide.
    fn run(&self, name: &str, event: &str) -> JobResult {
        let job = &self.jobs[name];
        let condition = job["if"].as_str().unwrap();
        assert!(condition.contains(&format!("github.event_name == '{event}'")), "{condition}");
        let runner = tempfile::tempdir().unwrap();
        let (home, work) = (runner.path().join("home"), runner.path().join("work"));
        let value = |text: &str| {
            let known = [
                ("${{ secrets.LINKS_TOKEN }}", self.env.server.token()),
                ("${{ github.token }}", "gh-token".to_owned()),
                ("${{ github.event.number }}", "7".to_owned()),
                ("https://links.example/api/v1", self.env.server.base_url()),
            ];
            let text =
                known.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
            assert!(!text.contains("${{"), "{text}");
            text
        };
        let (mut exit, mut said) = (0, String::new());
        for step in job["steps"].as_array().unwrap() {
            let Some(script) = step["run"].as_str() else {
                assert!(step["uses"].as_str().unwrap().starts_with("actions/checkout@"), "{step}");
                let from = self.root.path().join("origin.git").display().to_string();
                self.git(runner.path(), &format!("clone --quiet -b main {from} work"));
                continue;
            };
            if exit != 0 && step["if"].as_str() != Some("always()") {
                continue;
            }
            let variables = [&job["env"], &step["env"]].into_iter().filter_map(Value::as_object);
            let variables: Vec<(String, String)> = variables
                .flatten()
                .map(|(name, text)| (name.clone(), value(text.as_str().unwrap())))
                .collect();
            let output = self.runner_command(&work, &value(script), &home, &variables);
            said += &text(&output);
            if exit == 0 {
                exit = output.status.code().unwrap();
            }
        }
        let read = |name: &str| std::fs::read_to_string(home.join(name)).unwrap_or_default();
        JobResult { exit, said, comment: read("gh.txt"), summary: read("summary.md") }
    }

    fn title(&self) -> Option<String> {
        self.env.server.account().profiles[0].title.clone()
    }

    /// Returns the subjects of the commits of the main branch, newest first.
    fn subjects(&self) -> Vec<String> {
        let log = self.git(&self.root.path().join("origin.git"), "log --format=%s main");
        log.lines().map(str::to_owned).collect()
    }
}

#[test]
fn the_workflow_for_pages_as_code_plans_applies_and_reports_drift_from_empty_runners() {
    let workflow = Workflow::new();
    let names: Vec<_> = workflow.jobs.as_object().unwrap().keys().cloned().collect();
    assert_eq!(names.len(), 3, "{names:?}");

    let plan = workflow.run("plan", "pull_request");
    assert_eq!(plan.exit, 0, "{}", plan.said);
    let told = plan.comment.lines().next().unwrap_or_default();
    assert!(told.starts_with("pr comment 7 --body-file plan.md"), "{}", plan.comment);
    for part in ["### links plan: ", "~ cafe: title", "~ form booking"] {
        assert!(plan.comment.contains(part), "{part}: {}", plan.comment);
    }
    assert!(
        plan.said.contains("::notice file=pages/cafe.yaml,line=2::writes title"),
        "{}",
        plan.said
    );
    assert_eq!(workflow.title().as_deref(), Some("Qara Coffee"));

    // Two edits of one value, each applied by a runner of its own, are no conflict: the record is committed.
    for title in ["First", "Second"] {
        if title != "First" {
            workflow.git(&workflow.root.path().join("clone"), "pull --quiet --rebase");
            workflow.edit(title);
        }
        let applied = workflow.run("apply", "push");
        assert_eq!(applied.exit, 0, "{}", applied.said);
        assert_eq!(workflow.title().as_deref(), Some(title));
        assert_eq!(workflow.subjects()[0], "pages: record of the last sync");
    }
    assert_eq!(workflow.env.server.account().forms[0].button_text, "Reserve");
    // Nothing is committed where nothing was changed.
    let commits = workflow.subjects().len();
    let again = workflow.run("apply", "push");
    assert_eq!((again.exit, workflow.subjects().len()), (0, commits), "{}", again.said);

    let quiet = workflow.run("drift", "schedule");
    assert_eq!(quiet.exit, 0, "{}", quiet.said);
    workflow.env.server.edit(|account| account.profiles[0].title = Some("Theirs".to_owned()));
    let drift = workflow.run("drift", "schedule");
    assert_eq!(drift.exit, 3, "{}", drift.said);
    assert!(
        drift.summary.contains("`title` changed to \"Theirs\" on the page"),
        "{}",
        drift.summary
    );
    assert!(drift.said.contains("::warning file=pages/cafe.yaml,line=2::"), "{}", drift.said);

    // A conflict fails the job, writes nothing, and leaves the record as it is.
    workflow.git(&workflow.root.path().join("clone"), "pull --quiet --rebase");
    workflow.edit("Third");
    let commits = workflow.subjects().len();
    let refused = workflow.run("apply", "push");
    assert_eq!(refused.exit, 7, "{}", refused.said);
    assert_eq!(workflow.title().as_deref(), Some("Theirs"));
    assert_eq!(workflow.subjects().len(), commits);
}

fn read_action() -> Value {
    yaml(&std::fs::read_to_string(Path::new(ROOT).join("action.yml")).unwrap())
}

/// Runs the checks of the action with these inputs.
fn action(directory: &Path, inputs: &[(&str, &str)]) -> (Option<i32>, String) {
    action_in_job(directory, inputs, &[])
}

/// Runs the checks of the action with these inputs in a job with these variables.
fn action_in_job(
    directory: &Path,
    inputs: &[(&str, &str)],
    job: &[(String, String)],
) -> (Option<i32>, String) {
    let action = read_action();
    let known = action["inputs"].as_object().unwrap();
    assert!(inputs.iter().all(|(name, _)| known.contains_key(*name)));
    let step = &action["runs"]["steps"][1];
    let value = |expression: &str| -> String {
        if expression == "${{ steps.install.outputs.program }}" {
            return env!("CARGO_BIN_EXE_links").to_owned();
        }
        let name = expression.trim_start_matches("${{ inputs.").trim_end_matches(" }}");
        let given =
            inputs.iter().find(|(input, _)| *input == name).map(|(_, value)| (*value).to_owned());
        given.unwrap_or_else(|| known[name]["default"].as_str().unwrap().to_owned())
    };
    let of_step = step["env"].as_object().unwrap().iter();
    let of_step =
        of_step.map(|(name, expression)| (name.clone(), value(expression.as_str().unwrap())));
    let env: Vec<_> = job
        .iter()
        .cloned()
        .chain(of_step)
        .chain(
            [("GITHUB_STEP_SUMMARY", "summary.md"), ("GITHUB_OUTPUT", "output")]
                .map(|(name, file)| (name.to_owned(), directory.join(file).display().to_string())),
        )
        .collect();
    let output = bash(directory, step["run"].as_str().unwrap(), &env);
    (output.status.code(), text(&output))
}

/// A cargo that prints its arguments, asks the real one whether the workspace is complete, and installs a program.
const CARGO: &str = r#"#!/bin/sh
{ pwd; echo "$*"; env; } > "$NOTES"
"$REAL_CARGO" metadata --no-deps --offline --format-version 1 > /dev/null || exit 1
while [ $# -gt 0 ]; do [ "$1" = --root ] && root=$2; shift; done
mkdir -p "$root/bin" && echo program > "$root/bin/links"
"#;

#[test]
fn the_build_of_the_action_ignores_settings_of_the_checkout() {
    let runner = tempfile::tempdir().unwrap();
    let [workspace, temporary, tools] = ["work", "temp", "tools"].map(|it| runner.path().join(it));
    for directory in [&workspace.join(".cargo"), &temporary, &tools] {
        std::fs::create_dir_all(directory).unwrap();
    }
    let toolchain = "[toolchain]\npath = \"./evil\"\n";
    std::fs::write(workspace.join("rust-toolchain.toml"), toolchain).unwrap();
    let config = "[build]\nrustc-wrapper = \"./evil\"\n";
    std::fs::write(workspace.join(".cargo/config.toml"), config).unwrap();
    let fake = tools.join("cargo");
    std::fs::write(&fake, CARGO).unwrap();
    let made = Command::new("chmod").arg("+x").arg(&fake).status().unwrap();
    assert!(made.success());

    let (notes, output) = (runner.path().join("notes"), runner.path().join("output"));
    let step = read_action()["runs"]["steps"][0].clone();
    let ended = Command::new("bash")
        .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"].as_str().unwrap()])
        .current_dir(&workspace)
        .env("PATH", format!("{}:/usr/bin:/bin", tools.display()))
        .env("GITHUB_ACTION_PATH", ROOT)
        .env("RUNNER_TEMP", &temporary)
        .env("VERSION", "")
        .env("GITHUB_OUTPUT", &output)
        .env("NOTES", &notes)
        .env("REAL_CARGO", env!("CARGO"))
        .envs(["LINKS_TOKEN", "LINKS_TOKEN_FILE", "GITHUB_TOKEN"].map(|name| (name, "canary-55ab")))
        .output()
        .unwrap();
    assert!(ended.status.success(), "{}", text(&ended));

    let notes = std::fs::read_to_string(&notes).unwrap();
    let directory = Path::new(notes.lines().next().unwrap());
    assert!(directory.starts_with(temporary.canonicalize().unwrap()), "{notes}");
    assert!(!directory.starts_with(workspace.canonicalize().unwrap()), "{notes}");
    assert!(notes.lines().nth(1).unwrap().contains("--locked"), "{notes}");
    assert!(notes.lines().any(|it| it == "RUSTUP_TOOLCHAIN=stable"), "{notes}");
    assert!(!notes.contains("canary-55ab"), "a token is given to the build\n{notes}");
    let said = std::fs::read_to_string(&output).unwrap();
    let program = said.trim().strip_prefix("program=").unwrap();
    assert_eq!(std::fs::read_to_string(program).unwrap(), "program\n");
}

/// In place of a system: the action is used from a directory, not from a repository.
const LOCAL_COPY: &str = "a local copy";

/// A curl that keeps the URL and gives the archive, unless the version is 0.9.9.
const CURL: &str = "#!/bin/sh\nfor it in \"$@\"; do last=$it; [ \"$before\" = --output ] && out=$it; before=$it; done\necho \"$last\" > \"$NOTES\"; case $last in *0.9.9*) exit 22;; esac; cp \"$ARCHIVE\" \"$out\"\n";

/// A released program, as far as the installation looks at it.
const PROGRAM: &str = "#!/bin/sh\necho links 0.1.0\n";

/// Runs the installation of a released version. Returns its exit code, what it said, its output, and the URL that was asked.
fn install(version: &str, sha256: &str, system: &str) -> (Option<i32>, String, String, String) {
    let runner = tempfile::tempdir().unwrap();
    let name = "links-0.1.0-x86_64-unknown-linux-musl";
    let packed = runner.path().join(name);
    std::fs::create_dir(&packed).unwrap();
    std::fs::write(packed.join("links"), PROGRAM).unwrap();
    let [archive, notes, output, curl] =
        ["links.tar.gz", "notes", "output", "curl"].map(|it| runner.path().join(it));
    let made = "tar --sort=name --mtime=@0 --owner=0 --group=0 --mode=0755 -cf - links-0.1.0-x86_64-unknown-linux-musl | gzip -n > links.tar.gz";
    assert!(bash(runner.path(), made, &[]).status.success());
    std::fs::write(&curl, CURL).unwrap();
    assert!(Command::new("chmod").arg("+x").arg(&curl).status().unwrap().success());
    let sum = bash(runner.path(), "sha256sum links.tar.gz | cut -c1-64", &[]);
    let sha256 = sha256.replace("SUM", text(&sum).trim());
    let step = read_action()["runs"]["steps"][0].clone();
    let ended = Command::new("bash")
        .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"].as_str().unwrap()])
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", runner.path().display()))
        .env("GITHUB_SERVER_URL", "https://git.example")
        .env("GITHUB_ACTION_PATH", ROOT)
        .env("REPOSITORY", if system == LOCAL_COPY { "" } else { "owner/links" })
        .env("RUNNER_TEMP", runner.path())
        .env("GITHUB_OUTPUT", &output)
        .envs([("VERSION", version), ("SHA256", &sha256), ("SYSTEM", "Linux-X64")])
        .envs(Some(("SYSTEM", system)).filter(|_| system != LOCAL_COPY))
        .envs([("NOTES", &notes), ("ARCHIVE", &archive)])
        .output()
        .unwrap();
    let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
    let said = read(&output);
    let program = said.trim().strip_prefix("program=").map(Path::new).map(read);
    (ended.status.code(), text(&ended), program.unwrap_or_default(), read(&notes))
}

#[test]
fn the_action_installs_a_released_version_with_its_checksum_alone() {
    let released = "https://git.example/owner/links/releases/download/v0.1.0";
    for version in ["0.1.0", "v0.1.0"] {
        let (exit, said, program, url) = install(version, "SUM", "Linux-X64");
        assert_eq!((exit, &*program), (Some(0), PROGRAM), "{said}");
        assert_eq!(url.trim(), format!("{released}/links-0.1.0-x86_64-unknown-linux-musl.tar.gz"));
    }

    let (lower, upper) = ("a".repeat(64), "A".repeat(64));
    for (version, sha256, message) in [
        ("0.1.0", &*lower, "nothing of it was run"),
        ("0.1.0", &*upper, "not aaaa"),
        ("0.2.0", "SUM", "does not hold links 0.2.0"),
        ("0.9.9", "SUM", "cannot download https://git.example/"),
    ] {
        let (exit, said, program, _) = install(version, sha256, "Linux-X64");
        assert_eq!((exit, &*program), (Some(1), ""), "{version}: {said}");
        assert!(said.contains("::error::") && said.contains(message), "{version}: {said}");
    }
    for (version, sha256, system) in [
        ("0.1.0", "", "Linux-X64"),
        ("0.1.0", "SUM", "Windows-X64"),
        ("0.1.0", "SUM", LOCAL_COPY),
        ("..", "SUM", "Linux-X64"),
        ("../../evil", "SUM", "Linux-X64"),
        ("0.1.0 --url x", "SUM", "Linux-X64"),
    ] {
        let (exit, said, program, url) = install(version, sha256, system);
        assert_eq!((exit, &*program, &*url), (Some(2), "", ""), "{version}: {said}");
        assert!(said.starts_with("::error::"), "{said}");
    }
}

#[test]
fn the_guide_pins_actions_to_commits_and_covers_pull_requests() {
    let guide = std::fs::read_to_string(Path::new(ROOT).join("docs/ci.md")).unwrap();
    let used: Vec<_> = guide.lines().filter_map(|line| line.split("uses: ").nth(1)).collect();
    assert!(used.len() > 2, "{used:?}");
    for action in used {
        let commit = action.split('@').nth(1).unwrap().split(' ').next().unwrap();
        let is_hash = commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit());
        assert!(is_hash || commit == "COMMIT", "{action}");
    }
    for word in ["pull_request_target", "fork", "persist-credentials: false"] {
        assert!(guide.contains(word), "{word}");
    }
}

#[test]
fn the_action_writes_previews_and_uploads_them() {
    let directory = checkout();
    let page = "profile: cafe\ntitle: Qara by the river\n";
    std::fs::write(directory.path().join("river.yaml"), page).unwrap();
    let inputs = [("sandbox", "true"), ("files", "river.yaml"), ("preview", "true")];
    let temporary = directory.path().join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let job = [("RUNNER_TEMP".to_owned(), temporary.display().to_string())];
    let (exit, said) = action_in_job(directory.path(), &inputs, &job);
    assert_eq!(exit, Some(3), "{said}");
    let outputs = std::fs::read_to_string(directory.path().join("output")).unwrap();
    let written = outputs.lines().find_map(|line| line.strip_prefix("preview=")).unwrap();
    for (file, text) in [("index.html", "1 page, 1 changed"), ("cafe.html", "Qara by the river")] {
        let document = std::fs::read_to_string(Path::new(written).join(file)).unwrap();
        assert!(document.contains(text), "{document}");
    }
    let (exit, said) = action(directory.path(), &[("sandbox", "true"), ("preview", "yes")]);
    assert!(exit == Some(2) && said.contains("preview must be true or false"), "{said}");
    let (exit, said) = action(directory.path(), &[("sandbox", "true"), ("preview", "true")]);
    assert!(exit == Some(2) && said.contains("need the input files"), "{said}");

    let steps = read_action()["runs"]["steps"].as_array().unwrap().clone();
    for step in &steps {
        let Some(used) = step["uses"].as_str() else { continue };
        let commit = used.split('@').nth(1).unwrap();
        assert!(commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit()), "{used}");
    }
    assert_eq!(steps[2]["with"]["path"], "${{ steps.check.outputs.preview }}");
}

#[test]
fn the_action_runs_the_checks_of_its_inputs() {
    let directory = checkout();
    let file = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    file("logins.txt", "spring.menu\n");
    let preview = bash(directory.path(), "links profile preview cafe > cafe.md", &sandbox());
    assert!(preview.status.success(), "{}", text(&preview));

    let good = [
        ("sandbox", "true"),
        ("logins", "logins.txt"),
        ("profile", "cafe"),
        ("expect", "cafe.md"),
        ("max-tokens", "2000"),
    ];
    let (exit, said) = action(directory.path(), &good);
    assert_eq!(exit, Some(0), "{said}");

    file("logins.txt", "spring.menu\ncafe\n");
    file("cafe.md", "# Another page\n");
    let (exit, said) = action(directory.path(), &good);
    assert_eq!(exit, Some(3), "{said}");
    let read = |name: &str| std::fs::read_to_string(directory.path().join(name)).unwrap();
    let expected =
        "- Logins: as expected\n- Preview: as expected\n- Logins: differs\n- Preview: differs\n";
    assert_eq!(read("summary.md"), expected);
    assert_eq!(read("output"), "exit-code=0\nexit-code=3\n");
    for part in ["::error file=logins.txt,line=2::cafe", "::error file=cafe.md,line=1::"] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    let (exit, said) =
        action(directory.path(), &[("sandbox", "true"), ("plan", "fixtures/pages/cafe.yaml")]);
    assert_eq!(exit, Some(3), "{said}");
    let (exit, said) = action(directory.path(), &[("logins", "absent.txt"), ("sandbox", "true")]);
    assert_eq!(exit, Some(2), "{said}");
    for inputs in [
        &[][..],
        &[("expect", "cafe.md")],
        &[("plan", "a.yaml"), ("max-tokens", "9")],
        &[("plan", "a.yaml"), ("apply", "true")],
        &[("plan", "a.yaml"), ("pages", "cafe")],
        &[("files", "a.yaml"), ("apply", "True")],
        &[("files", "\n \r\n"), ("apply", "true")],
    ] {
        let (exit, said) = action(directory.path(), inputs);
        assert_eq!((exit, said.starts_with("::error::")), (Some(2), true), "{inputs:?}\n{said}");
    }
    let (exit, said) = action(directory.path(), &[("profile", "cafe")]);
    assert_eq!(exit, Some(2), "no service URL is configured\n{said}");
    let (exit, said) = action_in_job(directory.path(), &[("profile", "cafe")], &sandbox());
    assert_eq!(exit, Some(0), "the job has chosen the service\n{said}");
    // An error is more than a difference, whatever comes last.
    let inputs =
        [("logins", "absent.txt"), ("plan", "fixtures/pages/cafe.yaml"), ("sandbox", "true")];
    let (exit, said) = action(directory.path(), &inputs);
    assert_eq!(exit, Some(2), "{said}");
    // An input is never an option.
    for inputs in [
        [("plan", "--help"), ("sandbox", "true")],
        [("profile", "-h"), ("sandbox", "true")],
        [("logins", "--help"), ("sandbox", "true")],
        [("files", "--help"), ("sandbox", "true")],
    ] {
        let (exit, said) = action(directory.path(), &inputs);
        assert!(exit != Some(0) && !said.contains("Usage:"), "{inputs:?}\n{said}");
    }
}

#[test]
fn the_action_plans_and_applies_page_files_and_form_files() {
    let directory = checkout();
    let file = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    std::fs::create_dir(directory.path().join("forms")).unwrap();
    file(
        "forms/contact.yaml",
        "form: contact\ntitle: Write\nfields: [{type: text, label: Name, required: true}]\n",
    );
    file("cafe.yaml", "profile: cafe\ntitle: Anew\n");
    let inputs = |more: &[(&'static str, &'static str)]| {
        let mut all =
            vec![("sandbox", "true"), ("files", " cafe.yaml\r\n\nforms \n"), ("pages", "cafe\n")];
        all.extend_from_slice(more);
        action(directory.path(), &all)
    };
    let (exit, said) = inputs(&[]);
    assert_eq!(exit, Some(3), "{said}");
    assert!(said.contains("::notice file=cafe.yaml,line=2::writes title"), "{said}");
    let (exit, said) = inputs(&[("apply", "true")]);
    assert!(exit == Some(14) && said.contains("--allow-create 1"), "{said}");
    let (exit, said) = inputs(&[("apply", "true"), ("allow-create", "1")]);
    assert_eq!(exit, Some(0), "{said}");
    let outputs = std::fs::read_to_string(directory.path().join("output")).unwrap();
    let operation = outputs.lines().filter_map(|line| line.strip_prefix("operation=")).next_back();
    let operation = operation.unwrap_or_else(|| panic!("{outputs}"));
    let undo = format!("links undo --from '{operation}' --dry-run");
    let undo = bash(directory.path(), &undo, &sandbox());
    assert_eq!(undo.status.code(), Some(3), "{}", text(&undo));
    assert!(
        text(&undo).contains("lead forms can only be deleted in the dashboard"),
        "{}",
        text(&undo)
    );
    let (exit, said) = inputs(&[]);
    assert_eq!(exit, Some(0), "{said}");
    file("cafe.yaml", "profile: qara.weddings\ntitle: Anew\n");
    let (exit, said) = inputs(&[("apply", "true"), ("allow-create", "1")]);
    assert!(exit == Some(14) && said.contains("not for cafe"), "{said}");
}
