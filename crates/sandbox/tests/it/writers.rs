//! Two writers, in one process and in two, and writers that are killed: nothing is lost, mixed, or left behind.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::tempdir;
use windlass_sandbox::{ExpectedState, FileError, Workspace};
use windlass_testkit::{Need, require};

const PLACE: &str = "WINDLASS_TEST_PLACE";
/// Number of increments by each of two writers.
const COUNTS: u32 = 500;

/// Runs one test of this binary in a process of its own, as the other writer.
fn other(test: &str, place: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env(PLACE, place);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap()
}

/// The workspace in which this process is the other writer.
fn place() -> Option<Workspace> {
    std::env::var_os(PLACE).map(|place| Workspace::open(place).unwrap())
}

/// Increments a number in a file, and repeats an increment if another writer interfered.
fn count_up(workspace: &Workspace) {
    let path = workspace.resolve("counter").unwrap();
    let mut done = 0;
    while done < COUNTS {
        let read = workspace.read(&path).unwrap();
        let next = String::from_utf8(read.bytes).unwrap().parse::<u32>().unwrap() + 1;
        match workspace.write(&path, next.to_string().as_bytes(), ExpectedState::Unchanged(read.version)) {
            Err(FileError::Stale { .. }) => {}
            written => {
                written.unwrap();
                done += 1;
            }
        }
    }
}

// F42: two processes that increment one counter 1,000 times lose no update.
#[test]
fn two_processes_lose_no_update() {
    if let Some(workspace) = place() {
        return count_up(&workspace);
    }
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("counter"), "0").unwrap();
    let workspace = Workspace::open(folder.path()).unwrap();
    let mut child = other("writers::two_processes_lose_no_update", folder.path());
    count_up(&workspace);
    assert!(child.wait().unwrap().success());
    assert_eq!(fs::read_to_string(folder.path().join("counter")).unwrap(), (2 * COUNTS).to_string());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn two_threads_lose_no_update() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("counter"), "0").unwrap();
    // Two workspaces on one folder share only the lock of the file.
    let workspaces = [(); 2].map(|()| Workspace::open(folder.path()).unwrap());
    std::thread::scope(|scope| {
        for workspace in &workspaces {
            scope.spawn(|| count_up(workspace));
        }
    });
    assert_eq!(fs::read_to_string(folder.path().join("counter")).unwrap(), (2 * COUNTS).to_string());
}

/// Writes a new file and an old one without end, each time with the next byte value.
fn write_on(workspace: &Workspace) -> ! {
    let (old, new) = (workspace.resolve("deep/old").unwrap(), workspace.resolve("deep/new").unwrap());
    for byte in (0..=u8::MAX).cycle() {
        let before = workspace.read(&old).unwrap();
        workspace.write(&old, &vec![byte; 50_000], ExpectedState::Unchanged(before.version)).unwrap();
        let made = workspace.write(&new, &vec![byte; 50_000], ExpectedState::Absent).unwrap();
        workspace.remove(&new, made.version).unwrap();
        std::io::stdout().write_all(b"round\n").unwrap();
    }
    unreachable!("a cycle does not end")
}

// F44
#[test]
fn a_killed_writer_leaves_the_old_bytes_or_the_new_and_nothing_else() {
    if let Some(workspace) = place() {
        write_on(&workspace);
    }
    let folder = tempdir().unwrap();
    fs::create_dir(folder.path().join("deep")).unwrap();
    let old = folder.path().join("deep/old");
    fs::write(&old, vec![0; 50_000]).unwrap();
    let (mut swept, mut rounds) = (0, 0_usize);
    // On a busy machine it can take more rounds until a kill falls into a write.
    while rounds < 150 || (swept == 0 && rounds < 1_500) {
        let mut child =
            other("writers::a_killed_writer_leaves_the_old_bytes_or_the_new_and_nothing_else", folder.path());
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("round")));
        // Kill the other process a little later in each round, so that the kills hit every step of a write.
        (0..(rounds % 150) * 400).for_each(|_| std::hint::spin_loop());
        rounds += 1;
        child.kill().unwrap();
        child.wait().unwrap();
        for name in ["old", "new"] {
            let Ok(bytes) = fs::read(folder.path().join("deep").join(name)) else { continue };
            assert_eq!(bytes.len(), 50_000, "{name}");
            assert!(bytes.iter().all(|byte| *byte == bytes[0]), "{name} is a mixture");
        }
        swept += fs::read_dir(folder.path()).unwrap().count() - 1;
        Workspace::open(folder.path()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a draft stayed");
        let _ = fs::remove_file(folder.path().join("deep/new"));
        assert_eq!(fs::read_dir(folder.path().join("deep")).unwrap().count(), 1);
    }
    println!("{swept} drafts were swept in {rounds} rounds");
    assert!(swept > 0, "no kill fell into a write");
}

// A living writer keeps its draft when another process opens the folder.
#[test]
fn only_the_drafts_of_the_dead_are_swept() {
    let folder = tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in
        [".windlass-1-1.tmp", ".windlass-1-2.tmp", ".windlass-x-1.tmp", ".windlass-1.tmp", "windlass-1-1.tmp"]
    {
        fs::write(at(name), "x").unwrap();
    }
    fs::create_dir(at(".windlass-1-3.tmp")).unwrap();
    let living = fs::File::open(at(".windlass-1-1.tmp")).unwrap();
    living.lock().unwrap();
    Workspace::open(folder.path()).unwrap();
    let left = |name: &str| at(name).exists();
    assert!(!left(".windlass-1-2.tmp"));
    assert!(left(".windlass-1-1.tmp") && left(".windlass-1-3.tmp"));
    assert!(left(".windlass-x-1.tmp") && left(".windlass-1.tmp") && left("windlass-1-1.tmp"));
    drop(living);
    Workspace::open(folder.path()).unwrap();
    assert!(!left(".windlass-1-1.tmp"));
}

// The wait for a file that another process keeps locked is bounded.
#[test]
fn a_file_that_stays_locked_is_reported_as_busy() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("a"), "1").unwrap();
    let workspace = Workspace::open(folder.path()).unwrap();
    let path = workspace.resolve("a").unwrap();
    let version = workspace.read(&path).unwrap().version;
    let held = fs::File::open(folder.path().join("a")).unwrap();
    held.lock().unwrap();
    let refused = workspace.write(&path, b"2", ExpectedState::Unchanged(version)).unwrap_err();
    assert!(matches!(refused, FileError::Busy { .. }), "{refused}");
    drop(held);
    workspace.write(&path, b"2", ExpectedState::Unchanged(version)).unwrap();
}

// correctness 31: an edit as root took the file from its owner, and a file closed to its owner was written.
#[test]
fn an_edit_keeps_the_owner_and_refuses_a_closed_file() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let folder = tempdir().unwrap();
    let workspace = Workspace::open(folder.path()).unwrap();
    let path = workspace.resolve("a.txt").unwrap();
    let written = workspace.write(&path, b"one", ExpectedState::Absent).unwrap();
    let file = folder.path().join("a.txt");
    if chown(&file, Some(65_534), Some(65_534)).is_ok() {
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        workspace.write(&path, b"two", ExpectedState::Unchanged(written.version)).unwrap();
        let found = file.metadata().unwrap();
        assert_eq!((found.uid(), found.gid(), found.mode() & 0o7777), (65_534, 65_534, 0o640));
    }
    let version = workspace.read(&path).unwrap().version;
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    let refused = workspace.write(&path, b"three", ExpectedState::Unchanged(version)).unwrap_err();
    assert!(matches!(refused, FileError::ReadOnly { .. }), "{refused}");
    assert_ne!(fs::read(&file).unwrap(), b"three");
}

// correctness 10: the file was written, but the error stated that nothing was changed.
#[test]
fn an_unsyncable_folder_does_not_fail_an_edit() {
    use std::os::unix::fs::PermissionsExt;
    if !crate::other_user::is_here("writers::an_unsyncable_folder_does_not_fail_an_edit") {
        return;
    }
    let folder = tempdir().unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    let workspace = Workspace::open(folder.path()).unwrap();
    let path = workspace.resolve("sub/a.txt").unwrap();
    let written = workspace.write(&path, b"one", ExpectedState::Absent).unwrap();
    assert!(written.is_durable);
    let sub = folder.path().join("sub");
    fs::set_permissions(&sub, fs::Permissions::from_mode(0o300)).unwrap();
    let written = workspace.write(&path, b"two", ExpectedState::Unchanged(written.version)).unwrap();
    assert_eq!((written.is_durable, fs::read(sub.join("a.txt")).unwrap()), (false, b"two".to_vec()));
    fs::set_permissions(&sub, fs::Permissions::from_mode(0o700)).unwrap();
}

/// Returns an access list in the form of the kernel: owner, one more user, group, mask, others.
#[cfg(target_os = "linux")]
fn access_list(user: u32) -> Vec<u8> {
    let entries =
        [(1_u16, 6_u16, u32::MAX), (2, 6, user), (4, 0, u32::MAX), (16, 6, u32::MAX), (32, 0, u32::MAX)];
    let bytes = entries.into_iter().flat_map(|(kind, may, id)| {
        kind.to_le_bytes().into_iter().chain(may.to_le_bytes()).chain(id.to_le_bytes())
    });
    2_u32.to_le_bytes().into_iter().chain(bytes).collect()
}

// correctness "suspicions": an edit took a file's access list and attributes.
#[cfg(target_os = "linux")]
#[test]
fn an_edit_keeps_access_lists_and_attributes() {
    use std::os::unix::fs::PermissionsExt;

    use rustix::fs::{XattrFlags, getxattr, setxattr};

    const ACCESS: &str = "system.posix_acl_access";
    let folder = tempdir().unwrap();
    let workspace = Workspace::open(folder.path()).unwrap();
    let path = workspace.resolve("sub/a.txt").unwrap();
    let mut version = workspace.write(&path, b"one", ExpectedState::Absent).unwrap().version;
    let file = folder.path().join("sub/a.txt");
    let value = |name: &str| {
        let mut bytes = vec![0; 1000];
        getxattr(&file, name, &mut bytes).map(|len| bytes[..len].to_vec())
    };
    let list = access_list(1234);
    require!(Need::FileAttributes, setxattr(&file, ACCESS, &list, XattrFlags::empty()));
    require!(Need::FileAttributes, setxattr(&file, "user.origin", b"x", XattrFlags::empty()));
    // Belongs to the bytes, not to the file. Only root can set it, and then it does not belong to another
    // program.
    let _ = setxattr(&file, "security.capability", &capability(), XattrFlags::empty());
    version = workspace.write(&path, b"two", ExpectedState::Unchanged(version)).unwrap().version;
    assert_eq!(value(ACCESS).unwrap(), list);
    assert_eq!(value("user.origin").unwrap(), b"x");
    value("security.capability").unwrap_err();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o660);
    // A list that new files of the root get is not given to a file that has none.
    rustix::fs::removexattr(&file, ACCESS).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    setxattr(folder.path(), "system.posix_acl_default", &list, XattrFlags::empty()).unwrap();
    workspace.write(&path, b"three", ExpectedState::Unchanged(version)).unwrap();
    value(ACCESS).unwrap_err();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
}

/// `cap_net_raw=ep`
#[cfg(target_os = "linux")]
fn capability() -> Vec<u8> {
    let words = [0x0200_0001_u32, 1 << 13, 0, 0, 0];
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}
