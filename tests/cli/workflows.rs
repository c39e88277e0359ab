//! The action and the workflow of `docs/ci.md`, run as a CI service runs them, on the sandbox.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn yaml(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap()
}

/// A folder to work in, with what the repository has in it.
fn checkout() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("fixtures/pages")).unwrap();
    let page = Path::new("fixtures/pages/cafe.yaml");
    std::fs::copy(Path::new(ROOT).join(page), folder.path().join(page)).unwrap();
    folder
}

/// Runs a script where `links` is in the path, without any account.
fn bash(folder: &Path, script: &str, env: &[(String, String)]) -> Output {
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_links"));
    let path = format!("{}:/usr/bin:/bin", binary.parent().unwrap().display());
    let mut command = Command::new("bash");
    command.args(["-e", "-o", "pipefail", "-c", script]).current_dir(folder).env_clear();
    command.env("PATH", path).env("HOME", folder).env("LINKS_SANDBOX", "1");
    command.envs(env.iter().map(|(name, value)| (name, value))).output().unwrap()
}

fn text(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
    format!("{out}{err}")
}

#[test]
fn the_workflow_of_the_guide_passes() {
    let guide = std::fs::read_to_string(Path::new(ROOT).join("docs/ci.md")).unwrap();
    let workflow = guide.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    let job = yaml(workflow)["jobs"]["check"].clone();
    assert_eq!(job["env"]["LINKS_SANDBOX"], "1");
    let folder = checkout();
    let mut ran = 0;
    for step in job["steps"].as_array().unwrap() {
        let Some(script) = step["run"].as_str().filter(|it| !it.starts_with("cargo install"))
        else {
            continue;
        };
        let output = bash(folder.path(), script, &[]);
        assert!(output.status.success(), "{}\n{}", step["name"], text(&output));
        ran += 1;
    }
    assert_eq!(ran, 3);
}

/// Runs the checks of the action with these inputs.
fn action(folder: &Path, inputs: &[(&str, &str)]) -> (Option<i32>, String) {
    let action = yaml(&std::fs::read_to_string(Path::new(ROOT).join("action.yml")).unwrap());
    let known = action["inputs"].as_object().unwrap();
    assert!(inputs.iter().all(|(name, _)| known.contains_key(*name)));
    let step = &action["runs"]["steps"][1];
    let value = |expression: &str| -> String {
        let name = expression.trim_start_matches("${{ inputs.").trim_end_matches(" }}");
        let given = inputs.iter().find(|(it, _)| *it == name).map(|(_, value)| (*value).to_owned());
        given.unwrap_or_else(|| known[name]["default"].as_str().unwrap().to_owned())
    };
    let env: Vec<_> = step["env"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, expression)| (name.clone(), value(expression.as_str().unwrap())))
        .collect();
    let output = bash(folder, step["run"].as_str().unwrap(), &env);
    (output.status.code(), text(&output))
}

#[test]
fn the_action_runs_what_it_is_given() {
    let folder = checkout();
    let file = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    file("logins.txt", "spring.menu\n");
    let preview = bash(folder.path(), "links profile preview cafe > cafe.md", &[]);
    assert!(preview.status.success(), "{}", text(&preview));

    let good = [
        ("sandbox", "true"),
        ("logins", "logins.txt"),
        ("profile", "cafe"),
        ("expect", "cafe.md"),
        ("max-tokens", "2000"),
    ];
    let (exit, said) = action(folder.path(), &good);
    assert_eq!(exit, Some(0), "{said}");

    file("logins.txt", "spring.menu\ncafe\n");
    file("cafe.md", "# Another page\n");
    let (exit, said) = action(folder.path(), &good);
    assert_eq!(exit, Some(3), "{said}");
    for part in ["::error file=logins.txt,line=2::cafe", "::error file=cafe.md,line=1::"] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    let (exit, said) =
        action(folder.path(), &[("sandbox", "true"), ("plan", "fixtures/pages/cafe.yaml")]);
    assert_eq!(exit, Some(3), "{said}");
    let (exit, said) = action(folder.path(), &[("logins", "absent.txt"), ("sandbox", "true")]);
    assert_eq!(exit, Some(2), "{said}");
    for inputs in [&[][..], &[("expect", "cafe.md")], &[("plan", "a.yaml"), ("max-tokens", "9")]] {
        let (exit, said) = action(folder.path(), inputs);
        assert_eq!((exit, said.starts_with("::error::")), (Some(2), true), "{inputs:?}\n{said}");
    }
    let (exit, said) = action(folder.path(), &[("profile", "cafe")]);
    assert_eq!(exit, Some(2), "no service is named\n{said}");
}
