//! Recorder of a program: every system call that changes a file below a directory, in order, and the state of the service at each request.
//!
//! The calls of all threads and child processes are observed, so that nothing depends on which part of the program writes a file.

use std::collections::BTreeMap;
use std::fs;
use std::io::IoSliceMut;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// A change of a file or of its name, or what makes it durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Create(PathBuf),
    Write {
        path: PathBuf,
        at: u64,
        bytes: Vec<u8>,
    },
    Length {
        path: PathBuf,
        length: u64,
    },
    Sync(PathBuf),
    SyncDirectory(PathBuf),
    Rename {
        from: PathBuf,
        to: PathBuf,
    },
    Link {
        from: PathBuf,
        to: PathBuf,
    },
    Remove(PathBuf),
    MakeDirectory(PathBuf),
    RemoveDirectory(PathBuf),
    /// Something is sent to the service, whose state is then that of this number.
    Send(usize),
}

/// What a program has done.
pub(crate) struct Recorded {
    pub(crate) changes: Vec<Change>,
    /// States of the service: at each request, and at the end.
    pub(crate) states: Vec<Vec<u8>>,
    pub(crate) exit: i32,
}

/// A call that has begun, with what it will have changed if it succeeds.
enum Begun {
    Nothing,
    One(Change),
    /// As many bytes as the call returns, of these.
    Write {
        path: PathBuf,
        at: u64,
        bytes: Vec<u8>,
    },
}

struct Recorder<'r> {
    root: &'r Path,
    service: &'r Path,
    begun: BTreeMap<Pid, Begun>,
    recorded: Recorded,
}

/// Runs a command to its end. `root` is the directory whose files are watched, without links, and `service` the state file of the service.
#[expect(clippy::zombie_processes, reason = "the recorder waits for it")]
pub(crate) fn record(command: &Command, stdin: Stdio, root: &Path, service: &Path) -> Recorded {
    // The shell waits to be seized before it becomes the program.
    let mut stopped = Command::new("/bin/sh");
    stopped.args(["-c", "kill -STOP $$; exec \"$@\"", "sh"]).arg(command.get_program());
    stopped.args(command.get_args()).env_clear();
    stopped.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    stopped.current_dir(command.get_current_dir().unwrap());
    let output = tempfile::NamedTempFile::new().unwrap();
    stopped.stdin(stdin).stdout(output.reopen().unwrap()).stderr(output.reopen().unwrap());
    let child = stopped.spawn().unwrap();
    let pid = Pid::from_raw(child.id().try_into().unwrap());
    let seen = waitpid(pid, Some(WaitPidFlag::WUNTRACED)).unwrap();
    assert_eq!(seen, WaitStatus::Stopped(pid, Signal::SIGSTOP));
    let options = Options::PTRACE_O_TRACESYSGOOD
        | Options::PTRACE_O_TRACECLONE
        | Options::PTRACE_O_TRACEFORK
        | Options::PTRACE_O_TRACEVFORK
        | Options::PTRACE_O_TRACEEXEC
        | Options::PTRACE_O_EXITKILL;
    ptrace::seize(pid, options).unwrap();
    kill(pid, Signal::SIGCONT).unwrap();
    let recorded = Recorded { changes: Vec::new(), states: Vec::new(), exit: -1 };
    let mut recorder = Recorder { root, service, begun: BTreeMap::new(), recorded };
    recorder.run(pid);
    recorder.note_state();
    let mut recorded = recorder.recorded;
    if recorded.exit != 0 {
        let text = fs::read_to_string(output.path()).unwrap_or_default();
        println!("exit {}: {text}", recorded.exit);
    }
    recorded.changes.dedup_by(
        |one, other| matches!((&one, &other), (Change::Send(a), Change::Send(b)) if a == b),
    );
    recorded
}

impl Recorder<'_> {
    fn run(&mut self, main: Pid) {
        loop {
            match waitpid(Pid::from_raw(-1), Some(WaitPidFlag::__WALL)) {
                Ok(WaitStatus::Exited(pid, code)) => {
                    if pid == main {
                        self.recorded.exit = code;
                    }
                }
                Ok(WaitStatus::PtraceSyscall(pid)) => {
                    self.call(pid);
                    let _ = ptrace::syscall(pid, None);
                }
                Ok(WaitStatus::PtraceEvent(pid, ..)) => drop(ptrace::syscall(pid, None)),
                Ok(WaitStatus::Stopped(pid, signal)) => drop(ptrace::syscall(pid, signal)),
                Ok(_) => {}
                // Everything has ended.
                Err(_) => return,
            }
        }
    }

    fn call(&mut self, pid: Pid) {
        let Ok(registers) = ptrace::getregs(pid) else { return };
        let result = registers.rax.cast_signed();
        // This is what the register holds when a call begins.
        if result == -i64::from(libc::ENOSYS) {
            let arguments =
                [registers.rdi, registers.rsi, registers.rdx, registers.r10, registers.r8];
            let begun = self.begin(pid, registers.orig_rax.cast_signed(), arguments);
            self.begun.insert(pid, begun);
            return;
        }
        match self.begun.remove(&pid) {
            Some(Begun::One(change)) if result >= 0 => self.recorded.changes.push(change),
            Some(Begun::Write { path, at, mut bytes }) if result > 0 => {
                bytes.truncate(usize::try_from(result).unwrap());
                self.recorded.changes.push(Change::Write { path, at, bytes });
            }
            _ => {}
        }
    }

    fn begin(&mut self, pid: Pid, call: i64, [one, two, three, four, _]: [u64; 5]) -> Begun {
        let here = u64::from_ne_bytes(i64::from(libc::AT_FDCWD).to_ne_bytes());
        let at = |directory, name| self.watched(path_of(pid, directory, name));
        let one_of = |path: Option<PathBuf>, change: fn(PathBuf) -> Change| {
            path.map_or(Begun::Nothing, |path| Begun::One(change(path)))
        };
        let both = |from: Option<PathBuf>, to: Option<PathBuf>, is_link: bool| match (from, to) {
            (Some(from), Some(to)) if is_link => Begun::One(Change::Link { from, to }),
            (Some(from), Some(to)) => Begun::One(Change::Rename { from, to }),
            (None, None) => Begun::Nothing,
            other => panic!("a name leads out of the watched directory: {other:?}"),
        };
        match call {
            libc::SYS_open => open(at(here, one), two),
            libc::SYS_openat => open(at(one, two), three),
            libc::SYS_openat2 => {
                let flags = memory(pid, three, 8).try_into().map(u64::from_ne_bytes);
                open(at(one, two), flags.unwrap())
            }
            libc::SYS_creat => open(at(here, one), creating()),
            libc::SYS_write | libc::SYS_pwrite64 => {
                let is_at = (call == libc::SYS_pwrite64).then_some(four);
                self.write(pid, one, &[(two, three)], is_at)
            }
            libc::SYS_writev => {
                let parts = parts_of(pid, two, three);
                self.write(pid, one, &parts, None)
            }
            libc::SYS_sendto | libc::SYS_sendmsg => {
                self.send();
                Begun::Nothing
            }
            libc::SYS_ftruncate => match self.file(pid, one) {
                Some(path) => Begun::One(Change::Length { path, length: two }),
                None => Begun::Nothing,
            },
            libc::SYS_fsync | libc::SYS_fdatasync => match self.file(pid, one) {
                Some(path) if path.is_dir() => Begun::One(Change::SyncDirectory(path)),
                Some(path) => Begun::One(Change::Sync(path)),
                None => Begun::Nothing,
            },
            libc::SYS_rename => both(at(here, one), at(here, two), false),
            libc::SYS_renameat | libc::SYS_renameat2 => both(at(one, two), at(three, four), false),
            libc::SYS_link => both(at(here, one), at(here, two), true),
            libc::SYS_linkat => both(at(one, two), at(three, four), true),
            libc::SYS_unlink => one_of(at(here, one), Change::Remove),
            libc::SYS_unlinkat if three & libc::AT_REMOVEDIR as u64 != 0 => {
                one_of(at(one, two), Change::RemoveDirectory)
            }
            libc::SYS_unlinkat => one_of(at(one, two), Change::Remove),
            libc::SYS_rmdir => one_of(at(here, one), Change::RemoveDirectory),
            libc::SYS_mkdir => one_of(at(here, one), Change::MakeDirectory),
            libc::SYS_mkdirat => one_of(at(one, two), Change::MakeDirectory),
            libc::SYS_copy_file_range => self.unknown(pid, call, three),
            libc::SYS_sendfile | libc::SYS_fallocate | libc::SYS_pwritev | libc::SYS_pwritev2 => {
                self.unknown(pid, call, one)
            }
            libc::SYS_mmap if three & 2 != 0 && four & libc::MAP_SHARED as u64 != 0 => {
                let Ok(registers) = ptrace::getregs(pid) else { return Begun::Nothing };
                self.unknown(pid, call, registers.r8)
            }
            libc::SYS_truncate | libc::SYS_io_uring_setup => {
                panic!("the recorder does not know system call {call}")
            }
            _ => Begun::Nothing,
        }
    }

    /// A call that may change a file in a way that is not recorded.
    fn unknown(&self, pid: Pid, call: i64, descriptor: u64) -> Begun {
        let file = self.file(pid, descriptor);
        assert!(file.is_none(), "the recorder does not know system call {call} of {file:?}");
        Begun::Nothing
    }

    fn write(
        &mut self,
        pid: Pid,
        descriptor: u64,
        parts: &[(u64, u64)],
        offset: Option<u64>,
    ) -> Begun {
        let Ok(target) = fs::read_link(format!("/proc/{pid}/fd/{descriptor}")) else {
            return Begun::Nothing;
        };
        if target.to_string_lossy().starts_with("socket:") {
            self.send();
            return Begun::Nothing;
        }
        let Some(path) = self.watched(Some(target)) else { return Begun::Nothing };
        let info = fs::read_to_string(format!("/proc/{pid}/fdinfo/{descriptor}")).unwrap();
        let field = |name: &str| {
            info.lines().find_map(|line| Some(line.strip_prefix(name)?.trim().to_owned())).unwrap()
        };
        let flags = u64::from_str_radix(&field("flags:"), 8).unwrap();
        let is_append = flags & u64::try_from(libc::O_APPEND).unwrap() != 0;
        let end = || fs::metadata(&path).unwrap().len();
        let at = match offset {
            Some(at) => at,
            None if is_append => end(),
            None => field("pos:").parse().unwrap(),
        };
        let bytes = parts.iter().flat_map(|(at, length)| memory(pid, *at, *length)).collect();
        Begun::Write { path, at, bytes }
    }

    fn send(&mut self) {
        self.note_state();
        self.recorded.changes.push(Change::Send(self.recorded.states.len() - 1));
    }

    fn note_state(&mut self) {
        let state = fs::read(self.service).unwrap();
        if self.recorded.states.last() != Some(&state) {
            self.recorded.states.push(state);
        }
    }

    /// Returns the watched file of a descriptor.
    fn file(&self, pid: Pid, descriptor: u64) -> Option<PathBuf> {
        self.watched(fs::read_link(format!("/proc/{pid}/fd/{}", descriptor.cast_signed())).ok())
    }

    fn watched(&self, path: Option<PathBuf>) -> Option<PathBuf> {
        let path = path.filter(|path| path.starts_with(self.root))?;
        (!path.to_string_lossy().ends_with(" (deleted)")).then_some(path)
    }
}

fn open(path: Option<PathBuf>, flags: u64) -> Begun {
    let has = |flag: i32| flags & u64::try_from(flag).unwrap() != 0;
    match path {
        Some(path) if has(libc::O_CREAT) && path.symlink_metadata().is_err() => {
            Begun::One(Change::Create(path))
        }
        Some(path) if has(libc::O_TRUNC) => Begun::One(Change::Length { path, length: 0 }),
        _ => Begun::Nothing,
    }
}

fn creating() -> u64 {
    u64::try_from(libc::O_CREAT | libc::O_TRUNC).unwrap()
}

/// Returns the path of a name in the memory of a process, without links in its directory.
fn path_of(pid: Pid, directory: u64, name: u64) -> Option<PathBuf> {
    let mut text = Vec::new();
    while !text.contains(&0) {
        let word = ptrace::read(pid, (name + text.len() as u64) as ptrace::AddressType).ok()?;
        text.extend(word.to_ne_bytes());
    }
    text.truncate(text.iter().position(|byte| *byte == 0)?);
    let name = PathBuf::from(String::from_utf8(text).ok()?);
    // A descriptor has 32 bits, of which only these count.
    let descriptor = i32::from_ne_bytes(u32::try_from(directory & 0xffff_ffff).ok()?.to_ne_bytes());
    let from = match descriptor {
        libc::AT_FDCWD => format!("/proc/{pid}/cwd"),
        descriptor => format!("/proc/{pid}/fd/{descriptor}"),
    };
    let path = if name.is_absolute() { name } else { fs::read_link(from).ok()?.join(name) };
    Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?))
}

/// Returns the parts of a vector in the memory of a process, each with its address and length.
fn parts_of(pid: Pid, vector: u64, count: u64) -> Vec<(u64, u64)> {
    let bytes = memory(pid, vector, count * 16);
    let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().unwrap());
    bytes.chunks_exact(16).map(|part| (word(&part[..8]), word(&part[8..]))).collect()
}

fn memory(pid: Pid, at: u64, length: u64) -> Vec<u8> {
    let length = usize::try_from(length).unwrap();
    let mut bytes = vec![0; length];
    if length > 0 {
        let remote = RemoteIoVec { base: usize::try_from(at).unwrap(), len: length };
        process_vm_readv(pid, &mut [IoSliceMut::new(&mut bytes)], &[remote]).unwrap();
    }
    bytes
}
