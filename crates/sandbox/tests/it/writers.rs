//! Two writers, in one process and in two, and writers that are killed: nothing is lost, mixed, or left behind.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::tempdir;
use windlass_sandbox::{Expected, FileError, Workspace};

const PLACE: &str = "WINDLASS_TEST_PLACE";
/// How many times each of two writers counts up.
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

/// Counts up in a file, again wherever another writer came between.
fn count_up(workspace: &Workspace) {
    let path = workspace.resolve("counter").unwrap();
    let mut done = 0;
    while done < COUNTS {
        let read = workspace.read(&path).unwrap();
        let next = String::from_utf8(read.bytes).unwrap().parse::<u32>().unwrap() + 1;
        match workspace.write(&path, next.to_string().as_bytes(), Expected::Unchanged(read.version)) {
            Err(FileError::Stale { .. }) => {}
            written => {
                written.unwrap();
                done += 1;
            }
        }
    }
}

// F42: 1,000 races.
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
    // Two workspaces on one folder share no lock but the file's.
    let workspaces = [(); 2].map(|()| Workspace::open(folder.path()).unwrap());
    std::thread::scope(|scope| {
        for workspace in &workspaces {
            scope.spawn(|| count_up(workspace));
        }
    });
    assert_eq!(fs::read_to_string(folder.path().join("counter")).unwrap(), (2 * COUNTS).to_string());
}

/// Writes for ever, one byte value after another, a new file and an old one.
fn write_on(workspace: &Workspace) -> ! {
    let (old, new) = (workspace.resolve("deep/old").unwrap(), workspace.resolve("deep/new").unwrap());
    for byte in (0..=u8::MAX).cycle() {
        let before = workspace.read(&old).unwrap();
        workspace.write(&old, &vec![byte; 50_000], Expected::Unchanged(before.version)).unwrap();
        let made = workspace.write(&new, &vec![byte; 50_000], Expected::Absent).unwrap();
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
    let mut swept = 0;
    for round in 0..150_usize {
        let mut child =
            other("writers::a_killed_writer_leaves_the_old_bytes_or_the_new_and_nothing_else", folder.path());
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("round")));
        // Later in each round by a few steps of the other process, so that the kills fall everywhere.
        (0..round * 400).for_each(|_| std::hint::spin_loop());
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
    println!("{swept} drafts were swept");
    assert!(swept > 0, "no kill fell into a write");
}

// A writer that lives keeps its draft, whoever opens the folder meanwhile.
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

// A file that somebody else keeps locked is not waited for without end.
#[test]
fn a_file_that_stays_locked_is_told_as_busy() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("a"), "1").unwrap();
    let workspace = Workspace::open(folder.path()).unwrap();
    let path = workspace.resolve("a").unwrap();
    let version = workspace.read(&path).unwrap().version;
    let held = fs::File::open(folder.path().join("a")).unwrap();
    held.lock().unwrap();
    let refused = workspace.write(&path, b"2", Expected::Unchanged(version)).unwrap_err();
    assert!(matches!(refused, FileError::Busy { .. }), "{refused}");
    drop(held);
    workspace.write(&path, b"2", Expected::Unchanged(version)).unwrap();
}
