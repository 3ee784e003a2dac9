//! Descents of a walk: files are opened by name in folders that are held open, also while folders are swapped.

use std::cell::RefCell;
use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use windlass_sandbox::Descent;

use crate::attacks::scene;
use crate::races::{Seen, links, race};

/// The result of a descent to a path.
fn found(descent: &mut Descent<'_>, below: &Path) -> Option<String> {
    let mut text = String::new();
    descent.stream(below).ok()?.read_to_string(&mut text).unwrap();
    Some(text)
}

// SECURITY "Paths": the handle of a folder gives access to no more than the handle of the root.
#[test]
fn a_way_down_follows_no_link_and_no_dots() {
    let (folder, workspace) = scene();
    let work = folder.path().join("work");
    fs::create_dir_all(work.join("notes/deep")).unwrap();
    fs::write(work.join("notes/deep/a"), "inside").unwrap();
    symlink("../../secret", work.join("notes/out")).unwrap();
    symlink("deep/a", work.join("notes/in")).unwrap();
    symlink("deep", work.join("notes/folder")).unwrap();
    symlink(folder.path(), work.join("notes/absolute")).unwrap();
    symlink("/proc/self/cwd", work.join("notes/magic")).unwrap();
    assert!(Command::new("mkfifo").arg(work.join("notes/pipe")).status().unwrap().success());
    let mut descent = Descent::new(&workspace);
    let refused = [
        "notes/out",
        "notes/in",
        "notes/folder/a",
        "notes/absolute/secret",
        "notes/magic/Cargo.toml",
        "notes/pipe",
        "notes/deep",
        "notes/none",
        "notes/../notes/deep/a",
        "notes/../../secret",
        "../secret",
        "/etc/passwd",
        "",
        ".",
        "..",
    ];
    for below in refused {
        // Test each path before and after a valid descent, so with the folder's handle closed and open.
        assert_eq!(found(&mut descent, Path::new(below)), None, "{below}");
        assert_eq!(found(&mut descent, Path::new("notes/deep/a")).as_deref(), Some("inside"), "{below}");
        assert_eq!(found(&mut descent, Path::new(below)), None, "{below}");
    }
    let absolute = folder.path().join("secret");
    assert_eq!(found(&mut descent, &absolute), None);
}

// A tree may be deeper than the number of open handles, and may be walked in any order.
#[test]
fn a_way_down_finds_each_file_in_any_order() {
    let (folder, workspace) = scene();
    let mut below = PathBuf::new();
    let mut files = vec![];
    for depth in 0..80 {
        files.push((below.join("file"), depth.to_string()));
        below.push(format!("d{}", depth % 3));
    }
    fs::create_dir_all(folder.path().join("work").join(&below)).unwrap();
    for (path, text) in &files {
        fs::write(folder.path().join("work").join(path), text).unwrap();
    }
    let mut descent = Descent::new(&workspace);
    for step in 0..400 {
        let (path, text) = &files[step * 37 % files.len()];
        assert_eq!(found(&mut descent, path).as_ref(), Some(text), "{}", path.display());
        let open = format!("{descent:?}").matches('"').count() / 2;
        assert!(open <= 32, "{open} folders are held open");
    }
}

/// Reads a file by the handle of its folder, as a walk does.
fn descend(descent: &RefCell<Descent<'_>>, below: &str, seen: &mut Seen) {
    let mut text = String::new();
    match descent.borrow_mut().stream(Path::new(below)) {
        Ok(mut stream) => {
            stream.read_to_string(&mut text).unwrap();
            if text == "inside" {
                seen.inside += 1;
            } else {
                seen.escapes += 1;
            }
        }
        Err(_) => seen.refused += 1,
    }
}

// Like the test above for files that are opened in folders held open: each attempt leaves `real` and returns
// to it.
#[test]
fn a_folder_swapped_for_a_link_is_never_descended_through() {
    let race = race();
    let mut impostors = links(&race).to_vec();
    symlink("elsewhere", race.work.join("inner")).unwrap();
    impostors.push("inner");
    for folder in ["elsewhere", "other"] {
        fs::create_dir(race.work.join(folder)).unwrap();
        fs::write(race.work.join(folder).join("twin"), "inside").unwrap();
    }
    // Even a link to a folder of the workspace is not followed.
    fs::write(race.work.join("elsewhere/file"), "through a link").unwrap();
    let descent = RefCell::new(Descent::new(&race.workspace));
    let seen = race.run("real", &impostors, |seen| {
        descend(&descent, "real/file", seen);
        descend(&descent, "real/twin", seen);
        descend(&descent, "other/twin", seen);
        // A new descent opens the folder during the race.
        let anew = RefCell::new(Descent::new(&race.workspace));
        descend(&anew, "real/kept", seen);
    });
    assert!(seen.refused > 0, "no swap was met: {seen:?}");
}

// A file that becomes a link, a device or a pipe while its folder is held open.
#[test]
fn a_file_swapped_in_an_open_folder_is_never_followed_and_never_waited_for() {
    let race = race();
    symlink("../../file", race.work.join("real/link")).unwrap();
    symlink("elsewhere", race.work.join("real/sibling")).unwrap();
    fs::write(race.work.join("real/elsewhere"), "through a link").unwrap();
    symlink("/dev/zero", race.work.join("real/device")).unwrap();
    symlink("/proc/self/mem", race.work.join("real/memory")).unwrap();
    assert!(Command::new("mkfifo").arg(race.work.join("real/pipe")).status().unwrap().success());
    let descent = RefCell::new(Descent::new(&race.workspace));
    let impostors = ["real/link", "real/sibling", "real/device", "real/memory", "real/pipe"];
    race.run("real/file", &impostors, |seen| descend(&descent, "real/file", seen));
}

// H6: rules check the text of a path, and a handle that was opened by this text leads nowhere else.
#[test]
fn a_folder_swapped_for_a_hidden_one_is_never_descended_into() {
    let race = race();
    fs::create_dir(race.work.join(".git")).unwrap();
    fs::write(race.work.join(".git/file"), "protected").unwrap();
    for (link, target) in [("plain", ".git"), ("winding", "real/../.git/.")] {
        symlink(target, race.work.join(link)).unwrap();
    }
    race.run("real", &["plain", "winding"], |seen| {
        descend(&RefCell::new(Descent::new(&race.workspace)), "real/file", seen);
    });
}
