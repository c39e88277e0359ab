//! Earlier versions of files, read from Git. A repository is input: Git runs nothing that it configures, fetches nothing, and is asked for a
//! bounded number of commits.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use crate::fs::named;

/// Maximum number of commits that are looked at.
const COMMITS: usize = 200;

/// Maximum number of bytes of one object.
const OBJECT_MAX: u64 = 64 * 1024 * 1024;

/// Maximum number of bytes of all objects that one question reads.
const TOTAL_MAX: u64 = 256 * 1024 * 1024;

/// The variables that Git needs to be found and to know its user. All others stay away from it: `GIT_*` variables name other repositories,
/// configuration and programs.
const ENVIRONMENT: [&str; 4] = ["PATH", "HOME", "USERPROFILE", "SYSTEMROOT"];

/// Settings that keep Git from running a program and from asking another machine. A command line wins over every file.
const SETTINGS: [&str; 5] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.sshCommand=false",
    "protocol.allow=never",
];

/// The processes of this one. A confined command cannot start any, so that they are started before.
static HISTORIES: Mutex<Vec<History>> = Mutex::new(Vec::new());

/// History of the work tree that is checked out: HEAD, and the commits before along their first parents. Those of a branch that was merged
/// are left out: nobody need have looked at them one by one.
#[derive(Debug)]
pub(crate) struct History {
    root: PathBuf,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Number of bytes that may still be read.
    left: u64,
}

/// Where a history ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HistoryEnd {
    /// Nothing more was asked for.
    Found,
    /// At the first commit.
    FirstCommit,
    /// At a commit that a shallow clone does not have.
    Shallow,
    /// At the maximum number of commits.
    Limit,
}

/// Object of a repository.
struct GitObject {
    id: String,
    kind: String,
    content: Vec<u8>,
}

/// Starts Git for the work tree of a directory, if it is in one. What fails is reported when a history is asked for.
pub(crate) fn prepare(directory: &Path) {
    with(directory, |_| Ok(()));
}

/// Asks the history of the work tree that a directory without links is in. `None` if it is in none.
pub(crate) fn with<T>(
    directory: &Path,
    ask: impl FnOnce(&mut History) -> io::Result<T>,
) -> Option<io::Result<T>> {
    let root = directory.ancestors().find(|it| it.join(".git").symlink_metadata().is_ok())?;
    let mut histories = HISTORIES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let known = histories.iter().position(|history| history.root == root);
    let nth = match known.map_or_else(|| History::start(root).map(Some), |_| Ok(None)) {
        Ok(started) => {
            histories.extend(started);
            known.unwrap_or(histories.len() - 1)
        }
        Err(error) => return Some(Err(error)),
    };
    let history = &mut histories[nth];
    history.left = TOTAL_MAX;
    Some(ask(history))
}

impl History {
    fn start(root: &Path) -> io::Result<Self> {
        named::check_owner_of(root)?;
        named::check_owner_of(&root.join(".git"))?;
        let mut command = Command::new("git");
        command.env_clear();
        for name in ENVIRONMENT {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        // A `.git` that is none must not lead to the repository of a directory above.
        command.env("GIT_CEILING_DIRECTORIES", root.parent().unwrap_or(root));
        for (name, value) in [
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("LC_ALL", "C"),
        ] {
            command.env(name, value);
        }
        // The owner was checked, with this program's own exceptions.
        command.arg("-c").arg(format!("safe.directory={}", root.display()));
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command.arg("-C").arg(root).args(["cat-file", "--batch"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("it has no pipes"));
        };
        let (root, output) = (root.to_owned(), BufReader::new(output));
        Ok(Self { root, child, input, output, left: TOTAL_MAX })
    }

    /// Returns a file as HEAD has it; `None` if HEAD does not have it.
    pub(crate) fn head(&mut self, file: &Path) -> io::Result<Option<Vec<u8>>> {
        let mut found = None;
        if let Some(path) = self.path(file) {
            let blob = self.object(&format!("HEAD:{path}"))?;
            found = blob.filter(|it| it.kind == "blob").map(|it| it.content);
        }
        Ok(found)
    }

    /// Hands out the versions of a file, the newest first, until it is told to stop.
    pub(crate) fn versions(
        &mut self,
        file: &Path,
        mut each: impl FnMut(Vec<u8>) -> ControlFlow<()>,
    ) -> io::Result<HistoryEnd> {
        let Some(path) = self.path(file) else { return Ok(HistoryEnd::FirstCommit) };
        let (mut name, mut last) = ("HEAD".to_owned(), None);
        for nth in 0..COMMITS {
            let Some(commit) = self.object(&name)? else {
                return Ok(if nth == 0 { HistoryEnd::FirstCommit } else { HistoryEnd::Shallow });
            };
            let blob = self.object(&format!("{}:{path}", commit.id))?;
            if let Some(GitObject { id, content, .. }) = blob.filter(|it| it.kind == "blob")
                && last.as_ref() != Some(&id)
            {
                last = Some(id);
                if each(content).is_break() {
                    return Ok(HistoryEnd::Found);
                }
            }
            let text = String::from_utf8_lossy(&commit.content);
            let mut lines = text.lines().take_while(|line| !line.is_empty());
            match lines.find_map(|line| line.strip_prefix("parent ")) {
                Some(parent) => parent.clone_into(&mut name),
                None => return Ok(HistoryEnd::FirstCommit),
            }
        }
        Ok(HistoryEnd::Limit)
    }

    /// Returns the path of a file in the work tree, as Git names it.
    fn path(&self, file: &Path) -> Option<String> {
        let names = file.strip_prefix(&self.root).ok()?.components().map(|part| match part {
            Component::Normal(name) => name.to_str().filter(|name| !name.contains('\n')),
            _ => None,
        });
        Some(names.collect::<Option<Vec<_>>>()?.join("/"))
    }

    fn object(&mut self, name: &str) -> io::Result<Option<GitObject>> {
        writeln!(self.input, "{name}")?;
        self.input.flush()?;
        let mut header = String::new();
        (&mut self.output).take(64 * 1024).read_line(&mut header)?;
        if header.is_empty() {
            return Err(io::Error::other("git does not read this repository"));
        }
        let words: Vec<&str> = header.trim_end().rsplitn(3, ' ').collect();
        let [size, kind, id] = words[..] else { return Ok(None) };
        let Ok(size) = size.parse::<u64>() else { return Ok(None) };
        if size > OBJECT_MAX || size > self.left {
            // The rest of the answer is not read, so that this process is of no use any more.
            self.child.kill()?;
            return Err(io::Error::other("it is too large"));
        }
        self.left -= size;
        let (kind, id) = (kind.to_owned(), id.to_owned());
        let mut content = vec![0; usize::try_from(size).map_err(io::Error::other)?];
        self.output.read_exact(&mut content)?;
        self.output.read_exact(&mut [0])?;
        Ok(Some(GitObject { id, kind, content }))
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn git(root: &Path, line: &str) {
        let mut command = Command::new("git");
        for name in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{name}_NAME"), "x").env(format!("GIT_{name}_EMAIL"), "x@x");
        }
        let output = command.arg("-C").arg(root).args(line.split(' ')).output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn commit(root: &Path, file: &str, text: &str) {
        std::fs::write(root.join(file), text).unwrap();
        git(root, "add -A");
        git(root, "commit -q --allow-empty -m x");
    }

    fn versions(root: &Path, file: &str) -> (Vec<String>, HistoryEnd) {
        let mut found = Vec::new();
        let each = |text| {
            found.push(String::from_utf8(text).unwrap());
            ControlFlow::Continue(())
        };
        let end = with(root, |history| history.versions(&root.join(file), each)).unwrap().unwrap();
        (found, end)
    }

    fn repository() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap().join("work");
        std::fs::create_dir_all(root.join("pages")).unwrap();
        git(&root, "init -q -b main");
        (directory, root)
    }

    #[test]
    fn the_versions_of_a_file_are_those_of_the_first_parents() {
        let (directory, root) = repository();
        assert_eq!(versions(&root, "pages/a"), (vec![], HistoryEnd::FirstCommit));
        commit(&root, "pages/a", "one");
        commit(&root, "other", "");
        git(&root, "checkout -q -b branch");
        commit(&root, "pages/a", "of the branch");
        commit(&root, "pages/a", "merged");
        git(&root, "checkout -q main");
        commit(&root, "main", "");
        git(&root, "merge -q --no-ff -m x branch");
        std::fs::write(root.join("pages/a"), "not committed").unwrap();
        let expected = vec!["merged".to_owned(), "one".to_owned()];
        assert_eq!(versions(&root, "pages/a"), (expected.clone(), HistoryEnd::FirstCommit));
        let below = root.join("pages");
        let head = with(&below, |history| history.head(&below.join("a"))).unwrap().unwrap();
        assert_eq!(head.as_deref(), Some(&b"merged"[..]));
        assert_eq!(versions(&root, "pages").0, [""; 0], "a directory is no file");
        let shallow = directory.path().canonicalize().unwrap().join("shallow");
        let from = format!("file://{}", root.display());
        git(&root, &format!("clone -q --depth 1 {from} {}", shallow.display()));
        assert_eq!(versions(&shallow, "pages/a"), (expected[..1].to_vec(), HistoryEnd::Shallow));
        assert!(with(directory.path(), |_| Ok(())).is_none());
    }

    #[test]
    fn a_repository_runs_nothing_and_replaces_no_object() {
        let (directory, root) = repository();
        commit(&root, "a", "one\n");
        let ran = directory.path().canonicalize().unwrap().join("ran");
        let touch = format!("touch {}", ran.display());
        for name in [
            "core.fsmonitor",
            "core.pager",
            "core.editor",
            "core.sshCommand",
            "core.askPass",
            "core.alternateRefsCommand",
            "diff.external",
            "diff.x.textconv",
            "filter.x.smudge",
            "filter.x.clean",
            "alias.cat-file",
            "gpg.program",
            "credential.helper",
        ] {
            let mut command = Command::new("git");
            let set = command.arg("-C").arg(&root).args(["config", name, &touch]).status();
            assert!(set.unwrap().success());
        }
        // A clone that lacks objects fetches them when it is asked for one.
        for line in [
            "config extensions.partialClone evil",
            "config core.repositoryFormatVersion 1",
            "config remote.evil.promisor true",
            "config protocol.ext.allow always",
        ] {
            git(&root, line);
        }
        let url = format!("ext::sh -c {}", touch.replace(' ', "% "));
        let mut command = Command::new("git");
        command.arg("-C").arg(&root).args(["config", "remote.evil.url", &url]);
        assert!(command.status().unwrap().success());
        std::fs::write(root.join(".git/info/attributes"), "* diff=x filter=x\n").unwrap();
        let missing = "0123456789012345678901234567890123456789";
        let seen = with(&root, |history| {
            assert!(history.object(missing)?.is_none());
            history.head(&root.join("a"))
        });
        assert_eq!(seen.unwrap().unwrap().as_deref(), Some(&b"one\n"[..]));
        assert!(!ran.exists());
    }
}
