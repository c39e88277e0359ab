//! Earlier versions of files, read from Git. A repository is input: Git runs nothing that it configures, fetches nothing, is asked for a
//! bounded number of commits, and has a bounded time to respond.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::env;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use crate::{process, signal};
use links_pages::fs::named;
use links_pages::fs::private::open_file;
use links_pages::page_file::local_image::hash_of;
use links_pages::page_file::{file_of, is_composed};

/// First argument of the process that becomes Git. The program and its arguments follow.
#[cfg(target_os = "linux")]
const RUN: &str = "__run-git";

/// Maximum number of commits that are looked at.
const COMMITS: usize = 10_000;

/// Number of commits that are asked for at once.
const BATCH: usize = 32;

/// Maximum number of bytes of what is asked for at once, so that the questions and their repetition in the answers fit into pipes.
const BATCH_BYTES: usize = 32 * 1024;

/// Maximum number of versions of one file that are looked at.
const VERSIONS: usize = 200;

/// Why the commits are not read before one that a shallow clone does not have.
const SHALLOW: &str =
    "this clone is shallow; run `git fetch --unshallow`, or set `fetch-depth: 0` in CI";

/// Why the commits are not read beyond the maximum number.
const LIMIT: &str = "there are too many";

/// The place of a directory without a commit.
pub(crate) const NO_COMMIT: u64 = 0;

/// Maximum time of all questions of a command.
const TIME_MAX: Duration = Duration::from_secs(10);

/// Maximum number of bytes of one object.
const OBJECT_MAX: u64 = 64 * 1024 * 1024;

/// Maximum number of bytes of the name of a branch.
const LINE_MAX: u64 = 8 * 1024;

/// Maximum number of bytes of all objects that one question reads.
const TOTAL_MAX: u64 = 256 * 1024 * 1024;

/// The variables that Git needs to know its user. All others stay away from it: `GIT_*` variables name other repositories, configuration and
/// programs.
const ENVIRONMENT: [&str; 4] = ["HOME", "USERPROFILE", "SYSTEMROOT", "SUDO_UID"];

/// Settings that keep Git from running a program and from asking another machine. A command line wins over every file.
const SETTINGS: [&str; 5] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.sshCommand=false",
    "protocol.allow=never",
];

/// The processes of this one, and the time that is left for their questions. A confined command cannot start any, so that they are started
/// before.
static HISTORIES: Mutex<(Vec<History>, Duration)> = Mutex::new((Vec::new(), TIME_MAX));

/// History of the work tree that is checked out: HEAD, and the commits before along their first parents. Those of a branch that was merged
/// are left out: nobody need have looked at them one by one.
#[derive(Debug)]
pub(crate) struct History {
    root: PathBuf,
    /// Gives the content of objects.
    contents: GitProcess,
    /// Gives only what objects are.
    ids: GitProcess,
    /// Number of bytes that may still be read.
    left: u64,
    deadline: Instant,
}

/// A process of Git that is asked for objects.
#[derive(Debug)]
struct GitProcess {
    /// Killed when this value is dropped, or when it does not respond.
    child: Child,
    /// Names of objects, and the maximum number of bytes of each. The content of larger ones is skipped; without a maximum, Git gives none.
    questions: mpsc::Sender<(Vec<String>, Option<u64>)>,
    responses: mpsc::Receiver<io::Result<Vec<Option<GitObject>>>>,
    /// True if it did not respond as it should.
    is_broken: bool,
}

/// HEAD and its ancestors along all parents, with the versions that they have of a file.
#[derive(Debug, Default)]
pub(crate) struct Ancestry {
    /// The [places](place) of the commits.
    pub(crate) places: BTreeSet<u64>,
    /// The content of each version, with the names of the commits that have it.
    pub(crate) versions: Vec<(Vec<u8>, Vec<String>)>,
    /// Why not all commits could be read.
    pub(crate) gap: Option<&'static str>,
}

/// Object of a repository.
#[derive(Debug)]
struct GitObject {
    id: String,
    kind: String,
    /// Empty if it is too large.
    content: Vec<u8>,
    size: u64,
}

/// Starts Git for the work tree of a directory, if it is in one. What fails is reported when a history is asked for.
pub(crate) fn prepare(directory: &Path) {
    with(directory, |_| Ok(()));
}

/// Gives the processes time for the questions of another command.
#[cfg(debug_assertions)]
pub(crate) fn renew_time() {
    signal::lock(&HISTORIES).1 = TIME_MAX;
}

/// Ends the processes for work trees beneath a directory.
#[cfg(debug_assertions)]
pub(crate) fn forget(directory: &Path) {
    signal::lock(&HISTORIES).0.retain(|history| !history.root.starts_with(directory));
}

/// Asks the history of the work tree that a directory without links is in. `None` if it is in none.
pub(crate) fn with<T>(
    directory: &Path,
    ask: impl FnOnce(&mut History) -> io::Result<T>,
) -> Option<io::Result<T>> {
    let root = named::git_work_tree(directory)?;
    let mut guard = signal::lock(&HISTORIES);
    let (histories, time) = &mut *guard;
    let nth = match histories.iter().position(|history| history.root == root) {
        Some(nth) => nth,
        None => match History::start(root) {
            Ok(started) => {
                histories.push(started);
                histories.len() - 1
            }
            Err(error) => return Some(Err(error)),
        },
    };
    let (history, start) = (&mut histories[nth], now());
    (history.left, history.deadline) = (TOTAL_MAX, start + *time);
    let result = ask(history);
    *time = time.saturating_sub(start.elapsed());
    if history.contents.is_broken || history.ids.is_broken {
        histories.remove(nth);
    }
    Some(result)
}

/// Returns the full name of the branch of the work tree that a directory without links is in. `None` if no branch is checked out.
fn branch(directory: &Path) -> Option<String> {
    let head = small(branch_files(directory).last()?)?;
    Some(head.strip_prefix("ref: ")?.to_owned())
}

/// Returns the name of a file with that of its branch, if there is one.
pub(crate) fn on_branch(file: &str) -> String {
    let branch = Path::new(file).parent().and_then(branch);
    branch.map_or_else(|| file.to_owned(), |branch| format!("{branch}:{file}"))
}

/// Returns the files that name the branch of the work tree that a directory without links is in.
pub(crate) fn branch_files(directory: &Path) -> Vec<PathBuf> {
    let Some(root) = named::git_work_tree(directory) else { return Vec::new() };
    let git = root.join(".git");
    if git.is_dir() {
        return vec![git.join("HEAD")];
    }
    let link = small(&git).unwrap_or_default();
    let target = link.strip_prefix("gitdir: ").map(|target| root.join(target).join("HEAD"));
    [git].into_iter().chain(target).collect()
}

/// Returns the text of a file of one line.
fn small(path: &Path) -> Option<String> {
    let mut text = String::new();
    open_file(path).ok()?.take(LINE_MAX).read_to_string(&mut text).ok()?;
    Some(text.trim_end().to_owned())
}

/// Returns the directories of `PATH` without those that depend on the current directory, which may be a repository.
fn search_path() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).filter(|it| it.is_absolute()).collect()
}

/// Returns a command for Git that ends with this process.
fn command() -> io::Result<Command> {
    let name = format!("git{}", env::consts::EXE_SUFFIX);
    let mut programs = search_path().into_iter().map(|it| it.join(&name));
    let Some(git) = programs.find(|it| it.is_file()) else {
        return Err(io::Error::new(io::ErrorKind::NotFound, "git not found in PATH"));
    };
    // The program of unit tests is another one.
    #[cfg(all(target_os = "linux", not(test)))]
    {
        let mut command = process::own_command(&[RUN])?;
        command.arg(std::process::id().to_string()).arg(git);
        Ok(command)
    }
    #[cfg(not(all(target_os = "linux", not(test))))]
    Ok(Command::new(git))
}

/// Becomes Git, if the program was started for that: the kernel ends it when the parent ends. Returns the exit code if that fails.
#[cfg(target_os = "linux")]
pub(crate) fn run_if_requested(args: &[OsString]) -> Option<crate::error::exit_code::Exit> {
    use rustix::process::{Signal, getppid, set_parent_process_death_signal};
    let [_, run, parent, git, rest @ ..] = args else { return None };
    if run != RUN {
        return None;
    }
    let is_set = set_parent_process_death_signal(Some(Signal::KILL)).is_ok();
    let is_parent = getppid().is_some_and(|it| *parent == *it.as_raw_nonzero().to_string());
    if is_set && is_parent {
        let _ = std::os::unix::process::CommandExt::exec(Command::new(git).args(rest));
    }
    Some(crate::error::exit_code::Exit::Usage)
}

/// Returns that the program was not started for Git.
#[cfg(not(target_os = "linux"))]
pub(crate) const fn run_if_requested(_: &[OsString]) -> Option<crate::error::exit_code::Exit> {
    None
}

impl GitProcess {
    /// Starts Git. `answer` is the option of `cat-file` that says what it answers.
    fn start(root: &Path, answer: &str) -> io::Result<Self> {
        let git = root.join(".git");
        named::check_owner_of(root)?;
        named::check_owner_of(&git)?;
        let mut command = command()?;
        command.env_clear();
        command.env("PATH", env::join_paths(search_path()).map_err(io::Error::other)?);
        for name in ENVIRONMENT {
            command.envs(env::var_os(name).map(|value| (name, value)));
        }
        // A `.git` that is none must not lead to the repository of a directory above.
        command.env("GIT_CEILING_DIRECTORIES", root.parent().unwrap_or(root));
        command.envs([
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("LC_ALL", "C"),
        ]);
        if !named::is_safe(&git) {
            // Git looks at the owner of a link, not at that of its target.
            named::check_owner_of(&git.canonicalize()?)?;
        }
        // Git checks the owner of the directory that a file `.git` leads to. It does not know this program's own exceptions.
        if named::is_safe(&git) || named::is_directory_of_root(&git) {
            command.arg("-c").arg(format!("safe.directory={}", root.display()));
        }
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command.arg("-C").arg(root).args(["cat-file", answer]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // A run that has to end a step first still asks, and could not start another process.
        process::without_interrupts(&mut command);
        let mut child = command.spawn()?;
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("git was started without pipes"));
        };
        let (questions, asked) = mpsc::channel::<(Vec<String>, Option<u64>)>();
        let (respond, responses) = mpsc::channel();
        thread::Builder::new().spawn(move || {
            let mut output = BufReader::new(output);
            for (names, most) in asked {
                // Fewer bytes than a pipe holds, so that both sides go on.
                let asked = input.write_all((names.join("\n") + "\n").as_bytes());
                let asked = asked.and_then(|()| input.flush());
                let found =
                    asked.and_then(|()| names.iter().map(|_| object(&mut output, most)).collect());
                if respond.send(found).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { child, questions, responses, is_broken: false })
    }

    /// Asks for objects, all at once.
    fn ask(
        &mut self,
        names: Vec<String>,
        most: Option<u64>,
        deadline: Instant,
    ) -> io::Result<Vec<Option<GitObject>>> {
        let late = || {
            let message = format!("git took longer than {} s", TIME_MAX.as_secs());
            Err(io::Error::new(io::ErrorKind::TimedOut, message))
        };
        // Its next answer may be the late one.
        if self.is_broken {
            return late();
        }
        let _ = self.questions.send((names, most));
        let time = deadline.saturating_duration_since(now());
        let found = self.responses.recv_timeout(time).unwrap_or_else(|_| late());
        self.is_broken |= found.is_err();
        found
    }
}

impl Drop for GitProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl History {
    fn start(root: &Path) -> io::Result<Self> {
        Ok(Self {
            root: root.to_owned(),
            contents: GitProcess::start(root, "--batch")?,
            ids: GitProcess::start(root, "--batch-check")?,
            left: TOTAL_MAX,
            deadline: now(),
        })
    }

    /// Returns a file as HEAD has it; `None` if HEAD does not have it.
    pub(crate) fn head(&mut self, file: &Path) -> io::Result<Option<Vec<u8>>> {
        let Some(path) = self.path(file) else { return Ok(None) };
        Ok(self.blob("HEAD", &path)?.map(|it| it.content))
    }

    /// Returns a file as a revision has it; `None` if the revision does not have it.
    ///
    /// # Errors
    ///
    /// Of the kind `NotFound` if there is no such revision.
    pub(crate) fn at(&mut self, revision: &str, file: &Path) -> io::Result<Option<Vec<u8>>> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, "no such revision");
        // A name with a line break would be two questions.
        if revision.contains('\n') {
            return Err(missing());
        }
        let commit = self.object(&format!("{revision}^{{commit}}"))?.ok_or_else(missing)?;
        let Some(path) = self.path(file) else { return Ok(None) };
        Ok(self.blob(&commit.id, &path)?.map(|it| it.content))
    }

    /// Hands out the versions of a file, each with its commit, the newest first, until what is searched for is found. Returns why not all
    /// commits could be read.
    pub(crate) fn versions(
        &mut self,
        file: &Path,
        mut is_found: impl FnMut(&mut Self, &str, Vec<u8>) -> bool,
    ) -> io::Result<Option<&'static str>> {
        let Some(path) = self.path(file) else { return Ok(None) };
        let (mut name, mut last) = ("HEAD".to_owned(), None);
        for nth in 0..COMMITS {
            let Some(commit) = self.object(&name)? else {
                return Ok((nth > 0).then_some(SHALLOW));
            };
            if let Some(GitObject { id, content, .. }) = self.blob(&commit.id, &path)?
                && (last.as_ref() != Some(&id) || is_composed(&content))
            {
                last = Some(id);
                if is_found(self, &commit.id, content) {
                    return Ok(None);
                }
            }
            match parents(&commit.content).next() {
                Some(parent) => name = parent,
                None => return Ok(None),
            }
        }
        Ok(Some(LIMIT))
    }

    /// Returns the [place](place) of HEAD.
    pub(crate) fn head_place(&mut self) -> io::Result<u64> {
        Ok(self.object("HEAD")?.map_or(NO_COMMIT, |commit| place(&commit.content)))
    }

    /// Reads the ancestors of HEAD. Beyond commits without the file, only those with the `wanted` places are searched for.
    pub(crate) fn ancestry(
        &mut self,
        file: Option<&Path>,
        mut wanted: BTreeSet<u64>,
    ) -> io::Result<Ancestry> {
        let path = file.and_then(|file| self.path(file)).unwrap_or_default();
        let mut found = Ancestry::default();
        let mut commits_of: Vec<(String, Vec<String>)> = Vec::new();
        let mut open: Vec<String> = vec!["HEAD".to_owned()];
        let mut known: HashSet<String> = HashSet::new();
        let count = (BATCH_BYTES / (path.len() + 64)).clamp(1, BATCH);
        while let Some(first) = open.pop() {
            if known.len() >= COMMITS || commits_of.len() >= VERSIONS {
                found.gap = Some(LIMIT);
                break;
            }
            // The commits before along the first parents are asked for at once.
            let names: Vec<String> = (0..count).map(|nth| format!("{first}~{nth}")).collect();
            let blobs = names.iter().map(|name| format!("{name}:{path}")).collect();
            let blobs = self.ids.ask(blobs, None, self.deadline)?;
            let mut next = None;
            for (commit, blob) in self.objects(names)?.into_iter().zip(blobs) {
                next = None;
                let Some(commit) = commit else {
                    if !known.is_empty() {
                        found.gap = Some(SHALLOW);
                    }
                    break;
                };
                if !known.insert(commit.id.clone()) {
                    break;
                }
                let place = place(&commit.content);
                found.places.insert(place);
                wanted.remove(&place);
                let blob = blob.filter(|it| it.kind == "blob");
                let has_file = blob.is_some();
                if let Some(GitObject { id, .. }) = blob {
                    match commits_of.iter_mut().find(|(known, _)| *known == id) {
                        Some((_, commits)) => commits.push(commit.id),
                        None => commits_of.push((id, vec![commit.id])),
                    }
                }
                let mut parents = parents(&commit.content);
                if !has_file && wanted.is_empty() {
                    break;
                }
                next = parents.next();
                open.extend(parents.filter(|parent| !known.contains(parent)));
                if next.is_none() {
                    break;
                }
            }
            open.extend(next.filter(|parent| !known.contains(parent)));
        }
        for (id, commits) in commits_of {
            let content = self.object(&id)?.map(|it| it.content).unwrap_or_default();
            found.versions.push((content, commits));
        }
        Ok(found)
    }

    /// Returns the different contents that commits have of a file.
    pub(crate) fn contents(
        &mut self,
        file: &Path,
        commits: &[String],
    ) -> io::Result<Vec<(String, Vec<u8>)>> {
        let Some(path) = self.path(file) else { return Ok(Vec::new()) };
        let mut found = BTreeMap::new();
        for commit in commits {
            if let Some(GitObject { id, content, .. }) = self.blob(commit, &path)? {
                // The files that it uses may differ.
                let used = is_composed(&content).then(|| commit.clone());
                found.entry((id, used)).or_insert((commit.clone(), content));
            }
        }
        Ok(found.into_values().collect())
    }

    /// Returns the path of a file in the work tree, as Git names it.
    fn path(&self, file: &Path) -> Option<String> {
        path_below(&self.root, file_of(file)).filter(|path| !path.contains('\n'))
    }

    /// Returns a file as a commit has it, if it has one there.
    fn blob(&mut self, commit: &str, path: &str) -> io::Result<Option<GitObject>> {
        let object = self.object(&format!("{commit}:{path}"))?;
        Ok(object.filter(|it| it.kind == "blob"))
    }

    fn object(&mut self, name: &str) -> io::Result<Option<GitObject>> {
        Ok(self.objects(vec![name.to_owned()])?.pop().flatten())
    }

    fn objects(&mut self, names: Vec<String>) -> io::Result<Vec<Option<GitObject>>> {
        let most = OBJECT_MAX.min(self.left);
        let found = self.contents.ask(names, Some(most), self.deadline)?;
        for object in found.iter().flatten() {
            if object.size > most {
                return Err(io::Error::other(format!(
                    "a file in the Git history is larger than {} MiB, or all of them are larger than {} MiB",
                    OBJECT_MAX >> 20,
                    TOTAL_MAX >> 20
                )));
            }
            self.left = self.left.saturating_sub(object.size);
        }
        Ok(found)
    }
}

/// Returns the path of a file from a directory above it, with `/` on every system.
pub(crate) fn path_below(directory: &Path, file: &Path) -> Option<String> {
    let names = file.strip_prefix(directory).ok()?.components().map(|part| match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    Some(names.collect::<Option<Vec<_>>>()?.join("/"))
}

/// Returns the lines before the message of a commit.
fn header(commit: &[u8]) -> impl Iterator<Item = std::borrow::Cow<'_, str>> {
    let lines = commit.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty());
    lines.map(String::from_utf8_lossy)
}

fn parents(commit: &[u8]) -> impl Iterator<Item = String> {
    header(commit).filter_map(|line| Some(line.strip_prefix("parent ")?.to_owned()))
}

/// Returns a digest of what an amend keeps of a commit: its parents, and its author with the time.
fn place(commit: &[u8]) -> u64 {
    let is_kept = |line: &str| line.starts_with("parent ") || line.starts_with("author ");
    let kept: Vec<_> = header(commit).filter(|line| is_kept(line)).collect();
    let hash = hash_of(kept.join("\n").as_bytes());
    u64::from_str_radix(&hash[..16], 16).unwrap_or(NO_COMMIT)
}

#[expect(
    clippy::disallowed_methods,
    reason = "it limits another process, which has no injected time"
)]
fn now() -> Instant {
    Instant::now()
}

fn object(output: &mut BufReader<ChildStdout>, most: Option<u64>) -> io::Result<Option<GitObject>> {
    let mut header = String::new();
    output.take(64 * 1024).read_line(&mut header)?;
    if header.is_empty() {
        return Err(io::Error::other("git cannot read this repository"));
    }
    let words: Vec<&str> = header.trim_end().rsplitn(3, ' ').collect();
    let [size, kind, id] = words[..] else { return Ok(None) };
    let Ok(size) = size.parse::<u64>() else { return Ok(None) };
    let (kind, id) = (kind.to_owned(), id.to_owned());
    let mut content = Vec::new();
    let Some(most) = most else { return Ok(Some(GitObject { id, kind, content, size })) };
    if size > most {
        io::copy(&mut output.take(size), &mut io::sink())?;
    } else {
        content = vec![0; usize::try_from(size).map_err(io::Error::other)?];
        output.read_exact(&mut content)?;
    }
    output.read_exact(&mut [0])?;
    Ok(Some(GitObject { id, kind, content, size }))
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
