//! The states of a disk that a power cut may leave, worked out from recorded changes by what POSIX promises, and no more: content is on the
//! disk after its file was synced, and a name after its directory was. Until then each change may be there or not, in any combination.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::random::Random;
use crate::trace::Change;

/// Most changes of which every combination is tried. Of more, some are.
const EVERY: usize = 3;

/// Combinations that are tried of more changes.
const SOME: usize = 10;

/// Size of the blocks of a disk: a write may end between two of them.
const BLOCK: u64 = 512;

/// Files and directories below a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Tree {
    pub(crate) files: BTreeMap<PathBuf, Vec<u8>>,
    pub(crate) directories: BTreeSet<PathBuf>,
    /// Mode bits of what was there at first.
    modes: BTreeMap<PathBuf, u32>,
}

impl Tree {
    pub(crate) fn read(root: &Path) -> Self {
        let mut tree = Self::default();
        tree.add(root);
        tree
    }

    fn add(&mut self, directory: &Path) {
        self.directories.insert(directory.to_owned());
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let found = path.symlink_metadata().unwrap();
            self.modes.insert(path.clone(), found.permissions().mode());
            if found.is_dir() {
                self.add(&path);
            } else {
                assert!(found.is_file(), "{} is neither a file nor a directory", path.display());
                self.files.insert(path.clone(), fs::read(&path).unwrap());
            }
        }
    }

    /// Replaces everything below a directory by this.
    pub(crate) fn restore(&self, root: &Path) {
        for entry in fs::read_dir(root).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                fs::remove_dir_all(path).unwrap();
            } else {
                fs::remove_file(path).unwrap();
            }
        }
        let mode = |path: &Path, mode: u32| {
            let mode = self.modes.get(path).copied().unwrap_or(mode);
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        for path in self.directories.iter().filter(|path| *path != root) {
            fs::create_dir(path).unwrap();
            mode(path, 0o700);
        }
        for (path, bytes) in &self.files {
            fs::write(path, bytes).unwrap();
            mode(path, 0o600);
        }
    }

    fn hash_with(&self, service: usize) -> u64 {
        let mut hasher = DefaultHasher::new();
        (service, &self.files, &self.directories).hash(&mut hasher);
        hasher.finish()
    }
}

/// A state after a power cut.
pub(crate) struct Cut {
    /// Number of changes before it.
    pub(crate) at: usize,
    /// State of the service.
    pub(crate) service: usize,
    pub(crate) tree: Tree,
    /// What of the changes is not on the disk, or not whole.
    pub(crate) lost: String,
}

/// A change with its file, which keeps its identity when its name changes.
enum Op<'c> {
    Data { file: usize, at: u64, bytes: &'c [u8] },
    Length { file: usize, length: u64 },
    Name { path: &'c Path, file: Option<usize> },
    Rename { from: &'c Path, to: &'c Path, file: usize },
    Directory { path: &'c Path, is_there: bool },
    Sync(usize),
    SyncDirectory(&'c Path),
    Send(usize),
}

/// What of a change is on the disk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    Whole,
    Nothing,
    /// The first bytes of a write.
    Part(usize),
    /// The file has grown, but the content is missing.
    Zeros,
}

/// Returns the states that a power cut during these changes may leave, each once.
pub(crate) fn cuts(before: &Tree, changes: &[Change], random: &mut Random) -> Vec<Cut> {
    let (ops, contents) = ops(before, changes);
    let (mut seen, mut all) = (BTreeSet::new(), Vec::new());
    for at in 0..=ops.len() {
        // What was sent is executed, even if its answer is lost.
        let next = ops[at..].iter().find_map(|op| match op {
            Op::Send(state) => Some(*state),
            _ => None,
        });
        let service = next.unwrap_or(usize::MAX);
        for left in combinations(&ops[..at], &ops, random) {
            let tree = applied(before, &contents, &ops[..at], &left);
            if seen.insert(tree.hash_with(service)) {
                let lost = left.keys().map(|nth| format!("{:?}", short(&changes[*nth])));
                let lost = lost.collect::<Vec<_>>().join(", ");
                all.push(Cut { at, service, tree, lost });
            }
        }
    }
    all
}

fn short(change: &Change) -> Change {
    match change {
        Change::Write { path, at, bytes } => {
            let bytes = bytes.iter().take(60).copied().collect();
            Change::Write { path: path.clone(), at: *at, bytes }
        }
        other => other.clone(),
    }
}

/// Returns the changes with their files, and the first content of each file.
fn ops<'c>(before: &Tree, changes: &'c [Change]) -> (Vec<Op<'c>>, Vec<Vec<u8>>) {
    let mut contents: Vec<Vec<u8>> = before.files.values().cloned().collect();
    let mut names: BTreeMap<PathBuf, usize> =
        before.files.keys().cloned().zip(0..contents.len()).collect();
    let mut ops = Vec::new();
    for change in changes {
        ops.push(match change {
            Change::Create(path) => {
                contents.push(Vec::new());
                names.insert(path.clone(), contents.len() - 1);
                Op::Name { path, file: Some(contents.len() - 1) }
            }
            Change::Write { path, at, bytes } => Op::Data { file: names[path], at: *at, bytes },
            Change::Length { path, length } => Op::Length { file: names[path], length: *length },
            Change::Sync(path) => Op::Sync(names[path]),
            Change::SyncDirectory(path) => Op::SyncDirectory(path),
            Change::Rename { from, to } => {
                let file =
                    names.remove(from).unwrap_or_else(|| panic!("{} has no file", from.display()));
                names.insert(to.clone(), file);
                Op::Rename { from, to, file }
            }
            Change::Link { from, to } => {
                let file = names[from];
                names.insert(to.clone(), file);
                Op::Name { path: to, file: Some(file) }
            }
            Change::Remove(path) => {
                names.remove(path);
                Op::Name { path, file: None }
            }
            Change::MakeDirectory(path) => Op::Directory { path, is_there: true },
            Change::RemoveDirectory(path) => Op::Directory { path, is_there: false },
            Change::Send(state) => Op::Send(*state),
        });
    }
    (ops, contents)
}

impl Op<'_> {
    /// Returns whether a later change puts this one on the disk.
    fn is_durable_by(&self, later: &Self) -> bool {
        match (self, later) {
            (Op::Data { file, .. } | Op::Length { file, .. }, Op::Sync(synced)) => file == synced,
            (
                Op::Name { path, .. } | Op::Rename { to: path, .. } | Op::Directory { path, .. },
                Op::SyncDirectory(directory),
            ) => path.parent() == Some(directory),
            _ => false,
        }
    }
}

/// Returns combinations of what is left of the changes that need not be on the disk. Files that are never synced, such as caches, are all as they
/// were written, or all of these changes are lost, or the last one has left zeros.
fn combinations(ops: &[Op<'_>], all: &[Op<'_>], random: &mut Random) -> Vec<BTreeMap<usize, Left>> {
    let is_pending = |nth: &usize| {
        let is_change = !matches!(ops[*nth], Op::Sync(_) | Op::SyncDirectory(_) | Op::Send(_));
        is_change && !ops[nth + 1..].iter().any(|later| ops[*nth].is_durable_by(later))
    };
    let is_kept = |nth: &usize| all[nth + 1..].iter().any(|later| ops[*nth].is_durable_by(later));
    let (kept, passing): (Vec<usize>, Vec<usize>) =
        (0..ops.len()).filter(is_pending).partition(is_kept);
    let subsets: Vec<u64> = match kept.len() {
        count @ 0..=EVERY => (0..1 << count).collect(),
        count => {
            let every = u64::MAX >> (64 - count.min(64));
            let some = (0..SOME).map(|_| random.next() & every);
            [0, every].into_iter().chain(some).collect()
        }
    };
    let mut combined = Vec::new();
    for lost in subsets {
        let is_lost = |nth: usize| nth < 64 && lost >> nth & 1 == 1;
        let gone = kept.iter().enumerate().filter(|(nth, _)| is_lost(*nth));
        let left: BTreeMap<usize, Left> = gone.map(|(_, at)| (*at, Left::Nothing)).collect();
        let is_data = |at: &&usize| matches!(ops[**at], Op::Data { .. });
        // The last write that is there may be torn.
        let there = kept.iter().rfind(|at| !left.contains_key(at) && is_data(at));
        if let Some((torn, Op::Data { at, bytes, .. })) = there.map(|it| (*it, &ops[*it])) {
            let first = usize::try_from(BLOCK - at % BLOCK).unwrap();
            let mut more = vec![Left::Zeros];
            more.extend((first < bytes.len()).then_some(Left::Part(first)));
            combined.extend(more.into_iter().map(|how| with(&left, [(torn, how)])));
        }
        let zeros = passing.iter().rfind(is_data).map(|at| (*at, Left::Zeros));
        match random.below(4) {
            0 => combined.push(with(&left, passing.iter().map(|at| (*at, Left::Nothing)))),
            1 => combined.push(with(&left, zeros)),
            _ => {}
        }
        combined.push(left);
    }
    combined
}

fn with(
    left: &BTreeMap<usize, Left>,
    more: impl IntoIterator<Item = (usize, Left)>,
) -> BTreeMap<usize, Left> {
    left.clone().into_iter().chain(more).collect()
}

fn applied(
    before: &Tree,
    contents: &[Vec<u8>],
    ops: &[Op<'_>],
    left: &BTreeMap<usize, Left>,
) -> Tree {
    let mut contents = contents.to_vec();
    let mut names: BTreeMap<PathBuf, usize> =
        before.files.keys().cloned().zip(0..contents.len()).collect();
    let mut directories = before.directories.clone();
    for (nth, op) in ops.iter().enumerate() {
        let is_left = left.get(&nth).copied().unwrap_or(Left::Whole);
        if is_left == Left::Nothing {
            continue;
        }
        match op {
            Op::Data { file, at, bytes } => {
                let bytes = match is_left {
                    Left::Part(length) => bytes[..length].to_vec(),
                    Left::Zeros => vec![0; bytes.len()],
                    Left::Whole | Left::Nothing => bytes.to_vec(),
                };
                let (content, at) = (&mut contents[*file], usize::try_from(*at).unwrap());
                content.resize(content.len().max(at + bytes.len()), 0);
                content[at..at + bytes.len()].copy_from_slice(&bytes);
            }
            Op::Length { file, length } => {
                contents[*file].resize(usize::try_from(*length).unwrap(), 0);
            }
            Op::Name { path, file: Some(file) } => {
                names.insert(path.to_path_buf(), *file);
            }
            Op::Name { path, file: None } => drop(names.remove(*path)),
            Op::Rename { from, to, file } => {
                if names.get(*from) == Some(file) {
                    names.remove(*from);
                }
                names.insert(to.to_path_buf(), *file);
            }
            Op::Directory { path, is_there: true } => {
                directories.insert(path.to_path_buf());
            }
            Op::Directory { path, is_there: false } => drop(directories.remove(*path)),
            Op::Sync(_) | Op::SyncDirectory(_) | Op::Send(_) => {}
        }
    }
    // What is below a directory that is not there cannot be found.
    let is_reached = |path: &Path, directories: &BTreeSet<PathBuf>| {
        let above = path.ancestors().skip(1);
        let root = before.directories.first().unwrap();
        above.take_while(|it| it.starts_with(root)).all(|it| directories.contains(it))
    };
    let all = directories.clone();
    directories.retain(|path| is_reached(path, &all));
    let mut tree = Tree { directories, modes: before.modes.clone(), ..Tree::default() };
    for (path, file) in names {
        if is_reached(&path, &tree.directories) {
            tree.files.insert(path, contents[file].clone());
        }
    }
    tree
}
