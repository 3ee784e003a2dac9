//! A folder is swapped for another entry while paths below it are used. No path leads out of the workspace.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tempfile::{TempDir, tempdir};
use windlass_sandbox::{ExpectedState, Version, Workspace, WorkspacePath};

/// Number of swaps of a test; `WINDLASS_SWAPS` sets another.
fn swaps() -> usize {
    let asked = std::env::var("WINDLASS_SWAPS").ok().map(|text| text.parse().unwrap());
    asked.unwrap_or(10_000)
}

/// A workspace in which `real` is a folder, beside files of the same names that nothing may reach.
pub(crate) struct Race {
    folder: TempDir,
    pub(crate) work: PathBuf,
    pub(crate) workspace: Workspace,
    /// True if names are exchanged atomically, so that the victim's name is never free.
    is_exchange: bool,
}

#[cfg(target_os = "linux")]
fn exchange(left: &Path, right: &Path) {
    use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
    renameat2(AT_FDCWD, left, AT_FDCWD, right, RenameFlags::RENAME_EXCHANGE).unwrap();
}

/// The observations of an attempt.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) inside: usize,
    pub(crate) refused: usize,
    pub(crate) escapes: usize,
}

pub(crate) fn race() -> Race {
    let folder = tempdir().unwrap();
    let work = folder.path().join("work");
    fs::create_dir_all(work.join("real")).unwrap();
    for name in ["file", "twin", "kept"] {
        fs::write(folder.path().join(name), "outside").unwrap();
        fs::write(work.join("real").join(name), "inside").unwrap();
    }
    let workspace = Workspace::open(&work).unwrap();
    Race { folder, work, workspace, is_exchange: false }
}

/// A case in which a name is never free, so that no process creates a folder in its place.
#[cfg(target_os = "linux")]
pub(crate) fn exchanging() -> Race {
    Race { is_exchange: true, ..race() }
}

impl Race {
    pub(crate) fn path(&self, text: &str) -> WorkspacePath {
        self.workspace.resolve(text).unwrap()
    }

    /// Puts an impostor where `victim` is, and takes it away again.
    fn swap(&self, victim: &str, impostor: &str) {
        let at = |name: &str| self.work.join(name);
        #[cfg(target_os = "linux")]
        if self.is_exchange {
            for _ in 0..2 {
                exchange(&at(victim), &at(impostor));
            }
            return;
        }
        fs::rename(at(victim), at("aside")).unwrap();
        fs::rename(at(impostor), at(victim)).unwrap();
        fs::rename(at(victim), at(impostor)).unwrap();
        fs::rename(at("aside"), at(victim)).unwrap();
    }

    /// Swaps the victim with the impostors while `attempt` runs repeatedly, and then checks the files outside.
    pub(crate) fn run(&self, victim: &str, impostors: &[&str], attempt: impl Fn(&mut Seen)) -> Seen {
        let (made, done) = (AtomicUsize::new(0), AtomicBool::new(false));
        let mut seen = Seen::default();
        std::thread::scope(|scope| {
            let swapper = scope.spawn(|| {
                for impostor in impostors.iter().cycle().take(swaps()) {
                    self.swap(victim, impostor);
                    made.fetch_add(1, Ordering::Relaxed);
                }
                done.store(true, Ordering::Release);
            });
            while !done.load(Ordering::Acquire) && !swapper.is_finished() {
                attempt(&mut seen);
            }
        });
        // Without the race the same attempt succeeds, so the race caused the refusals above.
        let before = seen.inside;
        attempt(&mut seen);
        assert!(seen.inside > before, "{seen:?}");
        assert_eq!(made.into_inner(), swaps());
        for name in ["file", "twin", "kept"] {
            assert_eq!(fs::read(self.folder.path().join(name)).unwrap(), b"outside", "{name}");
        }
        let outside: Vec<_> = fs::read_dir(self.folder.path()).unwrap().collect();
        assert_eq!(outside.len(), 4, "{outside:?}");
        assert_eq!(seen.escapes, 0, "{seen:?}");
        seen
    }

    fn read(&self, path: &WorkspacePath, seen: &mut Seen) {
        match self.workspace.read(path) {
            Ok(read) if read.bytes == b"inside" || read.bytes == b"second" => seen.inside += 1,
            Ok(_) => seen.escapes += 1,
            Err(_) => seen.refused += 1,
        }
    }
}

pub(crate) fn links(race: &Race) -> [&'static str; 4] {
    symlink(race.folder.path(), race.work.join("absolute")).unwrap();
    symlink("..", race.work.join("relative")).unwrap();
    symlink(Path::new("/proc/self/cwd").join(race.folder.path()), race.work.join("magic")).unwrap();
    let root = Path::new("/proc/self/root").join(race.folder.path().strip_prefix("/").unwrap());
    symlink(root, race.work.join("root")).unwrap();
    ["absolute", "relative", "magic", "root"]
}

// SECURITY "Paths": check-then-open let 862 of 100,000 swaps through, a handle none.
#[test]
fn a_folder_swapped_for_a_link_is_never_read_through() {
    let race = race();
    let impostors = links(&race);
    let (file, folder) = (race.path("real/file"), race.path("real"));
    let seen = race.run("real", &impostors, |seen| {
        race.read(&file, seen);
        if let Ok(listed) = race.workspace.list(&folder, 10) {
            seen.escapes += usize::from(listed.entries.iter().any(|entry| entry.name == "work"));
        }
    });
    assert!(seen.inside + seen.refused > 0);
}

// H5
#[test]
fn a_folder_swapped_for_a_link_is_never_written_through() {
    let race = race();
    let impostors = links(&race);
    let twin = race.path("real/twin");
    let versions =
        [(Version::compute(b"inside"), &b"second"[..]), (Version::compute(b"second"), &b"inside"[..])];
    race.run("real", &impostors, |seen| {
        let written = versions.into_iter().find_map(|(version, bytes)| {
            race.workspace.write(&twin, bytes, ExpectedState::Unchanged(version)).ok()
        });
        if written.is_some() {
            seen.inside += 1;
        } else {
            seen.refused += 1;
        }
        let _ = race.workspace.remove(&race.path("real/kept"), Version::compute(b"outside"));
    });
    assert_eq!(fs::read(race.work.join("real/kept")).unwrap(), b"inside");
}

// PTH-029
#[cfg(target_os = "linux")]
#[test]
fn a_new_file_in_a_swapped_folder_is_never_made_outside() {
    let race = exchanging();
    let impostors = links(&race);
    let made = AtomicUsize::new(0);
    let seen = race.run("real", &impostors, |seen| {
        let number = made.fetch_add(1, Ordering::Relaxed);
        let path = race.path(&format!("real/deep/new-{number}"));
        match race.workspace.write(&path, b"new", ExpectedState::Absent) {
            Ok(written) => {
                seen.inside += 1;
                let _ = race.workspace.remove(&written.path, written.version);
            }
            Err(_) => seen.refused += 1,
        }
    });
    assert!(seen.inside > 0);
    // A refused attempt leaves nothing: no draft, and no folder beside the real one.
    let left: Vec<_> = fs::read_dir(&race.work).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".tmp")), "{left:?}");
}

// H6: `write` creates a missing folder only in a place that it has checked, not behind a link.
#[test]
fn no_folder_is_made_behind_a_link_to_a_hidden_one() {
    let race = race();
    fs::create_dir(race.work.join(".git")).unwrap();
    symlink(".git", race.work.join("docs")).unwrap();
    race.workspace.write(&race.path("docs/made/deep/x"), b"x", ExpectedState::Absent).unwrap_err();
    assert_eq!(fs::read_dir(race.work.join(".git")).unwrap().count(), 0);
}

// During the race the file becomes a link, a pipe, a link to a device, or a hard link of a file outside.
#[test]
fn a_file_swapped_for_something_else_is_never_written_and_never_waits() {
    let race = race();
    symlink("../../file", race.work.join("real/link")).unwrap();
    symlink("/dev/zero", race.work.join("real/device")).unwrap();
    symlink("/proc/self/mem", race.work.join("real/memory")).unwrap();
    let pipe = race.work.join("real/pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    fs::hard_link(race.folder.path().join("kept"), race.work.join("real/hard")).unwrap();
    let file = race.path("real/file");
    let impostors = ["real/link", "real/device", "real/memory", "real/pipe", "real/hard"];
    race.run("real/file", &impostors, |seen| {
        // A hard link is a file of the workspace as far as reading goes; writing must refuse it.
        match race.workspace.write(&file, b"inside", ExpectedState::Unchanged(Version::compute(b"inside"))) {
            Ok(_) => seen.inside += 1,
            Err(_) => seen.refused += 1,
        }
        if race
            .workspace
            .write(&file, b"taken", ExpectedState::Unchanged(Version::compute(b"outside")))
            .is_ok()
        {
            seen.escapes += 1;
        }
    });
}

// H6: a hidden folder stays hidden in any letter case, also when it replaces a harmless one.
#[test]
fn a_folder_swapped_for_a_hidden_one_is_never_shown_by_the_harmless_name() {
    let race = race();
    for name in [".git", ".GIT", ".Git"] {
        fs::create_dir(race.work.join(name)).unwrap();
        fs::write(race.work.join(name).join("file"), "protected").unwrap();
    }
    for (link, target) in [("lower", ".git"), ("upper", ".GIT"), ("mixed", ".Git/../.Git")] {
        symlink(target, race.work.join(link)).unwrap();
    }
    let file = race.path("real/file");
    race.run("real", &["lower", "upper", "mixed"], |seen| {
        race.read(&file, seen);
        let version = Version::compute(b"protected");
        if race.workspace.write(&file, b"taken", ExpectedState::Unchanged(version)).is_ok() {
            seen.escapes += 1;
        }
    });
    for name in [".git", ".GIT", ".Git"] {
        assert_eq!(fs::read(race.work.join(name).join("file")).unwrap(), b"protected", "{name}");
    }
}
