//! Confinement of `slots plan` and `slots apply` with Landlock: they read data of others, page files and answers, so they can reach only
//! the files that they need, and run no program. It is set before the command begins; the thread that waits for Ctrl-C runs already, and
//! opens no file. A kernel without Landlock confines nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::auth::SecretLocation;
use crate::settings::{Settings, TokenOrigin};
use links_pages::fs::directory_of;
use links_pages::fs::private::make_directory;

/// Files that the arguments of a command name, or that the process may use: each with everything beneath it.
#[derive(Debug, Default)]
pub(crate) struct NamedFiles {
    /// Files and directories that are read.
    pub(crate) read: Vec<PathBuf>,
    /// Files that are written.
    pub(crate) write: Vec<PathBuf>,
}

/// Paths that name resolution, TLS and time zones need.
const SYSTEM: &str = "\
    /dev/null /dev/random /dev/tty /dev/urandom /etc/ca-certificates /etc/gai.conf \
    /etc/host.conf /etc/hosts /etc/ld.so.cache /etc/localtime /etc/machine-id \
    /etc/nsswitch.conf /etc/pki /etc/protocols /etc/resolv.conf /etc/services /etc/ssl \
    /etc/static /gnu/store /lib /lib64 /nix/store /proc/self /run/nscd /run/systemd/resolve \
    /sys/fs/cgroup /usr/lib /usr/lib64 /usr/local/share/ca-certificates /usr/share \
    /var/lib/sss/mc";

const TERMINAL: [&str; 2] = ["/dev/null", "/dev/tty"];

/// Confines this thread and the threads that it starts to the files that a command needs.
///
/// # Errors
///
/// When nothing is confined, with the reason.
pub(crate) fn command(settings: &Settings, named: NamedFiles) -> Result<(), String> {
    if let TokenOrigin::Account(_, account) = &settings.token
        && matches!(account.kept, SecretLocation::Command(_))
    {
        return Err("the account's token_command must run".to_owned());
    }
    // A rule needs an existing path, and the command may need these directories later.
    for directory in [settings.state_directory(), settings.cache_directory()].into_iter().flatten()
    {
        // If this fails, nothing is saved there, as without Landlock.
        let _ = make_directory(&directory);
    }
    enforce(&allowed(settings, named, &|name| std::env::var_os(name).map(PathBuf::from)))
}

impl NamedFiles {
    /// Adds files and directories of page files and form files, with the `links.lock` that governs each. A lock is written where `writes` says so.
    pub(crate) fn with_all(mut self, paths: &[PathBuf], locks: Vec<PathBuf>, writes: bool) -> Self {
        for path in paths {
            if path.is_dir() {
                self.read.push(path.clone());
            } else {
                self = self.with_directory(path);
            }
        }
        let access = if writes { &mut self.write } else { &mut self.read };
        // A link would widen the confinement to where it leads. It is refused when the lock is read.
        access.extend(locks.into_iter().filter(|lock| !lock.is_symlink()));
        self
    }

    /// Returns the directories of the files, without links.
    pub(crate) fn directories(&self) -> BTreeSet<PathBuf> {
        let files = self.read.iter().chain(&self.write);
        files.filter_map(|file| directory_of(file).canonicalize().ok()).collect()
    }

    /// Adds a page file or a plan, `-` for standard input, and the directory beneath which its images are.
    fn with_directory(mut self, file: &Path) -> Self {
        if file.as_os_str() != "-" {
            self.read.push(file.to_owned());
        }
        self.read.push(directory_of(file).to_owned());
        self
    }
}

/// Returns the paths that the process may use.
fn allowed(
    settings: &Settings,
    named: NamedFiles,
    env: &dyn Fn(&str) -> Option<PathBuf>,
) -> NamedFiles {
    let own = [settings.config_directory(), settings.state_directory(), settings.cache_directory()];
    let own: Vec<_> = own.into_iter().flatten().collect();
    let certificates = ["SSL_CERT_FILE", "SSL_CERT_DIR"].iter().filter_map(|name| env(name));
    let token = match &settings.token {
        TokenOrigin::File(path) => Some(path.clone()),
        _ => None,
    };
    // Without the variable the home directory is read from this file.
    let home = env("HOME").is_none().then(|| PathBuf::from("/etc/passwd"));
    // A file is replaced as a whole, and a symbolic link stays a link.
    let written = |file: PathBuf| {
        let target = file.canonicalize().map(|target| directory_of(&target).to_owned());
        [Some(directory_of(&file).to_owned()), target.ok()].into_iter().flatten()
    };
    let read = SYSTEM.split(' ').map(PathBuf::from).chain(named.read);
    let write = TERMINAL.iter().map(PathBuf::from).chain(own);
    NamedFiles {
        read: read
            .chain(certificates)
            .chain(settings.connection.paths())
            .chain(token)
            .chain(home)
            .collect(),
        write: write.chain(named.write.into_iter().flat_map(written)).collect(),
    }
}

#[cfg(target_os = "linux")]
fn enforce(reach: &NamedFiles) -> Result<(), String> {
    use landlock::{
        ABI, Access, AccessFs, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError,
        RulesetStatus, path_beneath_rules,
    };
    // The command runs no program.
    let all = AccessFs::from_all(ABI::V3);
    let use_of = |rights| rights & !AccessFs::Execute;
    let restrict = || -> Result<RulesetStatus, RulesetError> {
        let rules = Ruleset::default().handle_access(all)?.create()?;
        let rules = rules
            .add_rules(path_beneath_rules(&reach.read, use_of(AccessFs::from_read(ABI::V3))))?;
        let rules = rules.add_rules(path_beneath_rules(&reach.write, use_of(all)))?;
        Ok(rules.restrict_self()?.ruleset)
    };
    match restrict() {
        Ok(RulesetStatus::NotEnforced) => Err("this kernel does not support Landlock".to_owned()),
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(not(target_os = "linux"))]
fn enforce(_: &NamedFiles) -> Result<(), String> {
    Err("this system does not support Landlock".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::config_file::Config;
    use crate::settings::global_args::GlobalArgs;

    fn settings() -> Settings {
        let env = |name: &str| match name {
            "LINKS_CONFIG_DIR" => Some("/c".to_owned()),
            "LINKS_STATE_DIR" => Some("/s".to_owned()),
            "LINKS_CACHE_DIR" => Some("/k".to_owned()),
            "LINKS_TOKEN_FILE" => Some("/t/token".to_owned()),
            _ => None,
        };
        crate::settings::resolve(&GlobalArgs::default(), &env, &Config::default()).unwrap()
    }

    #[test]
    fn hardening_a_command_may_access_only_named_and_own_paths() {
        let named = NamedFiles { read: vec!["images".into()], write: vec!["out/plan.json".into()] };
        let named = named.with_directory(Path::new("pages/cafe.yaml"));
        let home = |name: &str| (name == "HOME").then(|| PathBuf::from("/home/me"));
        let reach = allowed(&settings(), named, &home);
        let own: Vec<_> = reach
            .read
            .iter()
            .filter(|it| !SYSTEM.split(' ').any(|known| *it == Path::new(known)))
            .collect();
        let expected = ["images", "pages/cafe.yaml", "pages", "/t/token"].map(PathBuf::from);
        assert_eq!(own, expected.iter().collect::<Vec<_>>());
        let written = ["/dev/null", "/dev/tty", "/c", "/s", "/k", "out"].map(PathBuf::from);
        assert_eq!(reach.write, written);
        let from_stdin = NamedFiles::default().with_directory(Path::new("-"));
        assert_eq!(from_stdin.read, [PathBuf::from(".")]);
        let reach = allowed(&settings(), NamedFiles::default(), &|_| None);
        assert!(reach.read.contains(&PathBuf::from("/etc/passwd")), "where there is no HOME");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn hardening_a_confined_thread_opens_only_allowed_paths_and_starts_no_program() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        for name in ["read", "write", "outside"] {
            std::fs::create_dir(path(name)).unwrap();
            std::fs::write(path(name).join("file"), "text").unwrap();
        }
        let reach = NamedFiles { read: vec![path("read")], write: vec![path("write")] };
        let (inside, own, outside) = (path("read/file"), path("write/file"), path("outside/file"));
        let seen = std::thread::spawn(move || {
            enforce(&reach).map(|()| {
                let reads = [&inside, &own, &outside].map(|it| std::fs::read(it).is_ok());
                let writes = [&inside, &own, &outside].map(|it| std::fs::write(it, "").is_ok());
                (reads, writes, std::process::Command::new("/bin/true").status().is_ok())
            })
        });
        match seen.join().unwrap() {
            Ok(seen) => assert_eq!(seen, ([true, true, false], [false, true, false], false)),
            Err(why) => eprintln!("SKIPPED, NOTHING IS TESTED: {why}"),
        }
    }
}
