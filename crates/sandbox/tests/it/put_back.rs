//! Restored names: at rest, with another entry in their place, and while folders are swapped.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use windlass_sandbox::{FileError, Kind, PathState, Run, Workspace};

use crate::attacks::scene;
#[cfg(target_os = "linux")]
use crate::races::{exchanging, links};

fn file(text: &str, run: Run) -> PathState {
    PathState::File { bytes: text.as_bytes().to_vec(), run }
}

fn link(target: &str) -> PathState {
    PathState::Link { target: PathBuf::from(target) }
}

/// Restores a state over any entry.
fn put(workspace: &Workspace, path: &str, wanted: &PathState) -> Result<(), FileError> {
    let path = workspace.resolve(path).unwrap();
    let seen = workspace.state(&path)?;
    workspace.put_back(&path, &seen, wanted)?;
    assert_eq!(workspace.state(&path)?, *wanted);
    Ok(())
}

#[test]
fn restore_replaces_any_entry_with_the_earlier_one() {
    let (folder, workspace) = scene();
    let all = [
        file("one", Run::Plain),
        file("two", Run::Program),
        link("nowhere"),
        file("three", Run::Plain),
        link("/etc/passwd"),
        PathState::Nothing,
        link("../secret"),
        file("", Run::Program),
    ];
    for wanted in &all {
        for path in ["name", "deep/er/name", "odd \u{202e} name"] {
            put(&workspace, path, wanted).unwrap();
        }
    }
    assert_eq!(fs::read(folder.path().join("secret")).unwrap(), b"secret");
    // No other entry is left beside the restored name.
    let left = fs::read_dir(folder.path().join("work")).unwrap().count();
    assert_eq!(left, 3);
}

#[test]
fn restore_keeps_mode_bits_except_the_executable_ones() {
    let (folder, workspace) = scene();
    let path = folder.path().join("work/name");
    for (mode, run, expected) in [
        (0o640, Run::Program, 0o750),
        (0o755, Run::Plain, 0o644),
        (0o600, Run::Plain, 0o600),
        (0o4755, Run::Program, 0o755),
    ] {
        fs::write(&path, "before").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        put(&workspace, "name", &file("after", run)).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, expected, "{mode:o}");
    }
}

#[test]
fn changed_paths_and_non_files_are_not_restored() {
    let (folder, workspace) = scene();
    let work = folder.path().join("work");
    let path = workspace.resolve("name").unwrap();
    for (seen, now) in [("one", "two"), ("one", ""), ("", "one")] {
        let _ = fs::remove_file(work.join("name"));
        let seen = if seen.is_empty() { PathState::Nothing } else { file(seen, Run::Plain) };
        if !now.is_empty() {
            fs::write(work.join("name"), now).unwrap();
        }
        for wanted in [file("three", Run::Plain), link("x"), PathState::Nothing] {
            let refused = workspace.put_back(&path, &seen, &wanted);
            assert!(matches!(refused, Err(FileError::Stale { .. })), "{seen:?} {now:?}: {refused:?}");
        }
        assert_eq!(fs::read_to_string(work.join("name")).unwrap_or_default(), now);
    }
    let _ = fs::remove_file(work.join("name"));
    fs::create_dir_all(work.join("name/full")).unwrap();
    assert_eq!(workspace.state(&path).unwrap(), PathState::Other(Kind::Folder));
    let seen = PathState::Other(Kind::Folder);
    workspace.put_back(&path, &seen, &file("x", Run::Plain)).unwrap_err();
    workspace.put_back(&path, &seen, &PathState::Nothing).unwrap_err();
    assert!(work.join("name/full").is_dir());
}

#[test]
fn no_link_on_the_way_is_followed() {
    let (folder, workspace) = scene();
    let work = folder.path().join("work");
    fs::create_dir(folder.path().join("outside")).unwrap();
    fs::create_dir(work.join("inside")).unwrap();
    symlink("../outside", work.join("out")).unwrap();
    symlink("inside", work.join("in")).unwrap();
    symlink(Path::new("/proc/self/cwd"), work.join("magic")).unwrap();
    for way in ["out/name", "in/name", "magic/name", "out/deep/name"] {
        let path = workspace.resolve(way).unwrap();
        workspace.put_back(&path, &PathState::Nothing, &file("x", Run::Plain)).unwrap_err();
        workspace.put_back(&path, &PathState::Nothing, &link("x")).unwrap_err();
    }
    assert_eq!(fs::read_dir(folder.path().join("outside")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(work.join("inside")).unwrap().count(), 0);
}

// H5: while links replace the folder, `put_back` writes nothing outside the workspace and removes nothing outside it.
#[cfg(target_os = "linux")]
#[test]
fn restore_never_follows_a_swapped_folder() {
    let race = exchanging();
    let impostors = links(&race);
    let (twin, gone, new) = (race.path("real/twin"), race.path("real/file"), race.path("real/new"));
    let inside = file("inside", Run::Plain);
    race.run("real", &impostors, |seen| {
        let steps = [
            (&twin, &inside, &link("elsewhere")),
            (&twin, &link("elsewhere"), &inside),
            (&gone, &inside, &PathState::Nothing),
            (&gone, &PathState::Nothing, &inside),
            (&new, &PathState::Nothing, &file("new", Run::Program)),
            (&new, &file("new", Run::Program), &PathState::Nothing),
        ];
        let done =
            steps.iter().filter(|(path, was, wanted)| race.workspace.put_back(path, was, wanted).is_ok());
        match done.count() {
            0 => seen.refused += 1,
            _ => seen.inside += 1,
        }
    });
    let left: Vec<_> = fs::read_dir(&race.work).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".tmp")), "{left:?}");
}
