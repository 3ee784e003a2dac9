//! Folders that another process exchanges while a child is being confined.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::tempdir;
use windlass_sandbox::{CommandGrants, Confinement, Level};

use crate::levels::{apart, helper};

const ROUNDS: usize = 25;

/// Runs `during` while another thread calls `exchange` without pause.
fn meanwhile(exchange: impl Fn() + Sync, during: impl FnOnce()) {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                exchange();
            }
        });
        // Stop the other thread even if `during` panics, because the scope waits for it.
        let met = std::panic::catch_unwind(std::panic::AssertUnwindSafe(during));
        is_over.store(true, Ordering::Relaxed);
        if let Err(panic) = met {
            std::panic::resume_unwind(panic);
        }
    });
}

fn run(level: Level, confinement: &Confinement, work: &Path, script: &str) -> Output {
    let mut command = confinement.command(level, &helper(), work, "/bin/sh", ["-c", script]);
    command.stdin(Stdio::null()).output().unwrap()
}

/// Returns true if the command never started: our helper exits with 125, and bubblewrap with 1 and a line of its own.
fn is_refused(output: &Output) -> bool {
    let code = output.status.code();
    output.stdout.is_empty()
        && (code == Some(125) || code == Some(1) && output.stderr.starts_with(b"bwrap: "))
}

fn root() -> (tempfile::TempDir, PathBuf) {
    let folder = tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    fs::create_dir_all(root.join("work/conf/deep")).unwrap();
    fs::create_dir_all(root.join("outside/deep")).unwrap();
    (folder, root)
}

// security 12
#[test]
fn no_link_creates_a_file_outside_of_the_workspace() {
    for level in apart() {
        let (_folder, root) = root();
        let work = root.join("work");
        let names = ["conf/.bashrc", "conf/deep/.ssh", "conf/deep/.git"];
        let confinement = names.iter().fold(Confinement::new().with_writable(&work), |confinement, name| {
            confinement.with_protected(work.join(name))
        });
        symlink(root.join("outside"), work.join("link")).unwrap();
        let exchange = || {
            let _ = fs::rename(work.join("conf"), work.join("kept"));
            let _ = fs::rename(work.join("link"), work.join("conf"));
            let _ = fs::rename(work.join("conf"), work.join("link"));
            let _ = fs::rename(work.join("kept"), work.join("conf"));
        };
        let left = || {
            let below =
                ["outside", "outside/deep"].map(|name| fs::read_dir(root.join(name)).unwrap().count());
            assert_eq!(below, [1, 0], "{level}");
        };
        meanwhile(exchange, || {
            for _ in 0..ROUNDS {
                let output = run(level, &confinement, &work, "sleep 0.01; echo ran");
                assert!(is_refused(&output) || output.stdout == b"ran\n", "{level}: {output:?}");
                left();
            }
        });
        // Without the race a command runs, so the observation above is not the effect of a command that never
        // started.
        let output = run(level, &confinement, &work, "echo ran");
        assert_eq!(output.stdout, b"ran\n", "{level}: {output:?}");
        // And the file that was created inside is deleted, whatever its path is now.
        assert!(work.join("conf/deep").is_dir());
        assert_eq!(fs::read_dir(work.join("conf")).unwrap().count(), 1, "{level}");
        assert_eq!(fs::read_dir(work.join("conf/deep")).unwrap().count(), 0, "{level}");
    }
}

// security 11
#[test]
fn a_secret_in_a_folder_that_is_renamed_is_never_read() {
    for level in apart() {
        let (_folder, root) = root();
        let work = root.join("work");
        for name in [".env", "deep/id_rsa"] {
            fs::write(work.join("conf").join(name), "race-secret").unwrap();
        }
        let away = AtomicBool::new(false);
        let exchange = || {
            let _ = fs::rename(work.join("conf"), work.join("away"));
            away.store(true, Ordering::Relaxed);
            std::thread::sleep(std::time::Duration::from_millis(2));
            let _ = fs::rename(work.join("away"), work.join("conf"));
            std::thread::sleep(std::time::Duration::from_millis(2));
        };
        let mut ran = 0;
        meanwhile(exchange, || {
            for _ in 0..ROUNDS {
                let granted = CommandGrants::new(&work).look();
                let script = "for i in 1 2 3 4 5 6 7 8; do grep -rs race- .; done; echo ran";
                let output = run(level, &granted.confinement, &work, script);
                let text = String::from_utf8_lossy(&output.stdout);
                assert!(!text.contains("race-secret"), "{level}: {output:?}");
                assert!(is_refused(&output) || text == "ran\n", "{level}: {output:?}");
                ran += usize::from(!is_refused(&output));
            }
        });
        assert!(away.into_inner());
        // Without the race the files are hidden too, and the command runs, so the test observes its output.
        let granted = CommandGrants::new(&work).look();
        let output = run(level, &granted.confinement, &work, "cat conf/.env conf/deep/id_rsa || echo hidden");
        assert_eq!(output.stdout, b"hidden\n", "{level}: {output:?}, {ran} ran before");
    }
}

#[test]
fn a_missing_hidden_path_stops_the_start() {
    for level in apart() {
        let (_folder, root) = root();
        let work = root.join("work");
        let confinement = Confinement::new().with_writable(&work).with_hidden(work.join("conf/.env"));
        let output = run(level, &confinement, &work, "echo ran");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(125), 0), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("try again"), "{output:?}");
        // A path without a grant is invisible, whether it exists or not.
        let confinement = Confinement::new().with_writable(&work).with_hidden(root.join("outside/.env"));
        assert_eq!(run(level, &confinement, &work, "echo ran").stdout, b"ran\n");
    }
}
