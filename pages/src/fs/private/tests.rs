use super::*;

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Name of the temporary file of a writer that has begun.
fn begun(target: &str) -> String {
    format!("{target}.00000000000040008000000000000000.new")
}

#[test]
#[cfg(unix)]
fn files_are_0600_and_directories_0700() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("one/two/file");
    write(&path, b"first").unwrap();
    assert_eq!((mode(&path), mode(&directory.path().join("one/two"))), (0o600, 0o700));
    assert_eq!(mode(&directory.path().join("one")), 0o700);
    let open_to_all = fs::Permissions::from_mode(0o644);
    fs::set_permissions(&path, open_to_all.clone()).unwrap();
    tighten(&path).unwrap();
    assert_eq!(mode(&path), 0o600);
    fs::set_permissions(&path, open_to_all).unwrap();
    write(&path, b"second").unwrap();
    assert_eq!((mode(&path), read(&path).unwrap().unwrap()), (0o600, b"second".to_vec()));
    drop(try_lock(&directory.path().join("one/lock")).unwrap().unwrap());
    assert_eq!(mode(&directory.path().join("one/lock")), 0o600);
    let names = || fs::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!(names(), 1, "nothing is left beside it");
    for age in [LONGEST_WRITE, Duration::ZERO] {
        let begun = fs::File::create(path.with_file_name(begun("file"))).unwrap();
        begun.set_modified(begun.metadata().unwrap().modified().unwrap() - age).unwrap();
        write(&path, b"third").unwrap();
        let is_young = age.is_zero();
        assert_eq!(names(), 1 + usize::from(is_young), "nor of a writer that came to no end");
    }
    remove(&path).unwrap();
    remove(&path).unwrap();
    tighten(&path).unwrap();
    assert_eq!((names(), read(&path).unwrap()), (0, None));
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_a_device_or_a_directory_is_refused_at_once() {
    use rustix::fs::{CWD, FileType, mknodat};
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    mknodat(CWD, at("pipe"), FileType::Fifo, 0o600.into(), 0).unwrap();
    fs::create_dir(at("directory")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", at("device")).unwrap();
    for name in ["pipe", "directory", "device"] {
        let error = read(&at(name)).unwrap_err();
        assert!(error.to_string().contains("not a regular file"), "{name}: {error}");
        open_file(&at(name)).unwrap_err();
    }
}

#[test]
fn other_files_in_the_directory_are_not_removed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    for name in [".file.swp", "file.mine.new", &begun("other")] {
        fs::write(path.with_file_name(name), "theirs").unwrap();
    }
    fs::create_dir(path.with_file_name(begun("file"))).unwrap();
    write(&path, b"ours").unwrap();
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 5);
    remove(&path).unwrap();
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 4);
}

#[test]
#[cfg(unix)]
fn files_and_directories_that_anyone_can_write_to_are_refused() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    write(&path, b"mine").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    tighten(&path).unwrap();
    let error = read(&path).unwrap_err();
    assert!(error.to_string().contains("it is writable by others"), "{error}");
    write(&path, b"mine").unwrap();
    let set = |mode| {
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(mode)).unwrap();
    };
    set(0o777);
    let errors = [write(&path, b"x"), prepare(&path), read(&path).map(drop)];
    for error in errors.map(Result::unwrap_err) {
        assert!(error.to_string().contains("its directory is writable by others"), "{error}");
    }
    for mode in [0o1777, 0o775, 0o700] {
        set(mode);
        assert_eq!(read(&path).unwrap().unwrap(), b"mine");
    }
}

#[test]
#[cfg(unix)]
fn a_file_of_another_user_is_neither_read_nor_changed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    fs::write(&path, "theirs").unwrap();
    if let Err(error) = std::os::unix::fs::chown(&path, Some(12_345), None) {
        println!("skipped: only the administrator can give a file away: {error}");
        return;
    }
    for mode in [0o1777, 0o700] {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(mode)).unwrap();
        let errors = [
            write(&path, b"ours").unwrap_err(),
            prepare(&path).unwrap_err(),
            remove(&path).unwrap_err(),
            read(&path).unwrap_err(),
        ];
        for error in errors {
            assert!(error.to_string().contains("another user"), "{error}");
        }
    }
    assert_eq!(fs::read(&path).unwrap(), b"theirs");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
#[cfg(unix)]
fn a_link_stays_a_link_and_its_target_is_replaced() {
    use std::os::unix::fs::symlink;
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::create_dir(at("elsewhere")).unwrap();
    symlink("elsewhere/real", at("second")).unwrap();
    symlink("second", at("first")).unwrap();
    let error = write(&at("first"), b"x").unwrap_err();
    assert!(error.to_string().contains("elsewhere/real, which does not exist"), "{error}");
    fs::write(at("elsewhere/real"), "").unwrap();
    prepare(&at("first")).unwrap();
    assert_eq!(fs::read_dir(at("elsewhere")).unwrap().count(), 1);
    for text in [b"made", b"kept"] {
        write(&at("first"), text).unwrap();
        assert!(at("first").is_symlink() && at("second").is_symlink());
        assert_eq!(fs::read(at("elsewhere/real")).unwrap(), text);
    }
    symlink("round", at("round")).unwrap();
    write(&at("round"), b"x").unwrap_err();
    remove(&at("first")).unwrap();
    assert!(!at("elsewhere/real").exists() && !at("first").is_symlink());
    remove(&at("second")).unwrap();
    assert!(!at("second").is_symlink());
}

#[test]
fn readers_see_complete_files_while_two_threads_write() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let texts = [vec![b'a'; 100_000], vec![b'b'; 50_000]];
    write(&path, &texts[0]).unwrap();
    let write_locked = |text: &[u8]| {
        let _lock = lock(&directory.path().join("lock")).unwrap();
        write(&path, text).unwrap();
    };
    std::thread::scope(|scope| {
        let write_locked = &write_locked;
        let writers = texts
            .clone()
            .map(|text| scope.spawn(move || (0..50).for_each(|_| write_locked(&text))));
        while !writers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            let seen = read(&path).unwrap().unwrap();
            assert!(texts.contains(&seen), "{} bytes", seen.len());
        }
    });
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2, "the file and its lock");
}

#[test]
fn lock_file_names_are_short_and_have_no_separators() {
    assert_eq!(lock_name("sandbox", "form-6f1c"), "sandbox-form-6f1c.lock");
    assert_eq!(lock_name("sandbox", "form-../Ж"), "sandbox-form-____.lock");
    assert!(lock_name("sandbox", &"x".repeat(1000)).len() < 100);
}

#[test]
fn only_regular_files_of_a_bounded_size_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    fs::write(&path, "12345").unwrap();
    let read = |most| bounded(open_file(&path).unwrap(), most);
    assert_eq!(read(5).unwrap(), b"12345");
    assert_eq!(read(4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    open_file(directory.path()).unwrap_err();
    #[cfg(unix)]
    {
        let error = open_file(Path::new("/dev/zero")).unwrap_err();
        assert!(error.to_string().contains("not a regular file"), "{error}");
    }
}
