//! Ways out of the workspace, each tried and refused.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use tempfile::{TempDir, tempdir};
use windlass_sandbox::{ExpectedState, FileError, Kind, Version, Workspace};

/// A workspace beside a secret.
pub(crate) fn scene() -> (TempDir, Workspace) {
    let folder = tempdir().unwrap();
    fs::create_dir(folder.path().join("work")).unwrap();
    fs::write(folder.path().join("secret"), "secret").unwrap();
    let workspace = Workspace::open(folder.path().join("work")).unwrap();
    (folder, workspace)
}

/// Checks that a name cannot be used to read, write or create a file outside.
#[track_caller]
fn check_refused(workspace: &Workspace, name: &str) {
    let path = workspace.resolve(name).unwrap();
    workspace.read(&path).unwrap_err();
    workspace.write(&path, b"taken", ExpectedState::Absent).unwrap_err();
    workspace.write(&path, b"taken", ExpectedState::Unchanged(Version::compute(b"secret"))).unwrap_err();
    workspace.remove(&path, Version::compute(b"secret")).unwrap_err();
    workspace.list(&path, 10).unwrap_err();
    workspace.absolute(&path).unwrap_err();
}

#[test]
fn links_that_lead_out_are_refused() {
    let (folder, workspace) = scene();
    let work = folder.path().join("work");
    symlink("../secret", work.join("relative")).unwrap();
    symlink(folder.path().join("secret"), work.join("absolute")).unwrap();
    symlink("..", work.join("up")).unwrap();
    symlink("/proc/self/root", work.join("magic")).unwrap();
    symlink("/proc/self/cwd", work.join("cwd")).unwrap();
    symlink("nothing", work.join("dangling")).unwrap();
    symlink("loop", work.join("loop")).unwrap();
    symlink("/new", work.join("new")).unwrap();
    for name in ["relative", "absolute", "up", "up/secret", "magic", "magic/etc/passwd", "cwd", "new"] {
        check_refused(&workspace, name);
    }
    check_refused(&workspace, "dangling");
    check_refused(&workspace, "loop");
    check_refused(&workspace, "up/made/deep");
    assert_eq!(fs::read_to_string(folder.path().join("secret")).unwrap(), "secret");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn links_inside_are_read_and_written_through_and_stay_links() {
    let (folder, workspace) = scene();
    let work = folder.path().join("work");
    fs::write(work.join("target"), "one").unwrap();
    symlink("target", work.join("link")).unwrap();
    let link = workspace.resolve("link").unwrap();
    let read = workspace.read(&link).unwrap();
    assert_eq!((read.bytes.as_slice(), read.path.to_string().as_str()), (&b"one"[..], "target"));
    workspace.write(&link, b"two", ExpectedState::Unchanged(read.version)).unwrap();
    assert!(fs::symlink_metadata(work.join("link")).unwrap().is_symlink());
    assert_eq!(fs::read(work.join("target")).unwrap(), b"two");
    workspace.remove(&link, Version::compute(b"two")).unwrap();
    assert_eq!(fs::read(work.join("target")).unwrap(), b"two");
}

// A path with links leads to the same place as for commands, so rules can apply to that place.
#[test]
fn a_path_leads_where_its_links_lead() {
    let (folder, workspace) = scene();
    let work = folder.path().join("work");
    fs::create_dir_all(work.join("private/deep")).unwrap();
    symlink("private", work.join("pub")).unwrap();
    symlink("pub/deep", work.join("twice")).unwrap();
    symlink(work.canonicalize().unwrap().join("private"), work.join("absolute")).unwrap();
    symlink(folder.path(), work.join("out")).unwrap();
    symlink("/nothing/there", work.join("nowhere")).unwrap();
    for (path, place) in [
        ("pub", Some("private")),
        ("pub/deep/new", Some("private/deep/new")),
        ("twice/new", Some("private/deep/new")),
        ("absolute/deep", Some("private/deep")),
        ("absolute/new/file", Some("private/new/file")),
        ("private", Some("private")),
        ("missing/path", Some("missing/path")),
        ("out", None),
        ("out/secret", None),
        ("../secret", None),
    ] {
        assert_eq!(workspace.leads_to(path).as_deref(), place, "{path}");
    }
    assert_eq!(workspace.leads_to("nowhere/x").as_deref(), Some("nowhere/x"));
}

// H6: rules about dot names are compared with the text of a path, so a link must not hide such a name.
#[test]
fn a_link_does_not_hide_a_hidden_name() {
    let (folder, workspace) = scene();
    let work = folder.path().join("work");
    fs::create_dir(work.join(".git")).unwrap();
    fs::write(work.join(".git/config"), "secret").unwrap();
    symlink(".git", work.join("docs")).unwrap();
    check_refused(&workspace, "docs/config");
    let refused = workspace.read(&workspace.resolve("docs/config").unwrap()).unwrap_err();
    assert!(refused.to_string().contains("`.git/config`"), "{refused}");
    assert!(workspace.read(&workspace.resolve(".git/config").unwrap()).is_ok());
    check_refused(&workspace, "docs/made");
    assert!(!work.join(".git/made").exists());
}

#[test]
fn pipes_and_devices_are_refused_without_waiting() {
    let (folder, workspace) = scene();
    let pipe = folder.path().join("work/pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    check_refused(&workspace, "pipe");
    let refused = workspace.read(&workspace.resolve("pipe").unwrap()).unwrap_err();
    assert!(matches!(refused, FileError::NotAFile { kind: Kind::Special, .. }), "{refused}");
    fs::create_dir(folder.path().join("work/sub")).unwrap();
    let refused = workspace.read(&workspace.resolve("sub").unwrap()).unwrap_err();
    assert!(matches!(refused, FileError::NotAFile { kind: Kind::Folder, .. }), "{refused}");
}

#[test]
fn a_file_with_other_names_is_not_written() {
    let (folder, workspace) = scene();
    let work = folder.path().join("work");
    fs::hard_link(folder.path().join("secret"), work.join("twin")).unwrap();
    let path = workspace.resolve("twin").unwrap();
    let read = workspace.read(&path).unwrap();
    let refused = workspace.write(&path, b"taken", ExpectedState::Unchanged(read.version)).unwrap_err();
    assert!(matches!(refused, FileError::HardLinked { links: 2, .. }), "{refused}");
    assert_eq!(fs::read(folder.path().join("secret")).unwrap(), b"secret");
}

#[test]
fn a_setuid_file_is_not_written() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, workspace) = scene();
    let file = folder.path().join("work/tool");
    fs::write(&file, "x").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o4755)).unwrap();
    let path = workspace.resolve("tool").unwrap();
    let refused = workspace.write(&path, b"y", ExpectedState::Unchanged(Version::compute(b"x"))).unwrap_err();
    assert!(matches!(refused, FileError::Privileged { .. }), "{refused}");
}

// SECURITY "Files": one of two writers wins, nothing is mixed, nothing is lost silently.
#[test]
fn racing_writers_never_lose_an_update_silently() {
    let (folder, workspace) = scene();
    let path = workspace.resolve("counter").unwrap();
    workspace.write(&path, b"0", ExpectedState::Absent).unwrap();
    let count = || {
        let mut done = 0;
        while done < 50 {
            let read = workspace.read(&path).unwrap();
            let next = String::from_utf8(read.bytes).unwrap().parse::<u32>().unwrap() + 1;
            match workspace.write(&path, next.to_string().as_bytes(), ExpectedState::Unchanged(read.version))
            {
                Ok(_) => done += 1,
                Err(FileError::Stale { .. }) => {}
                Err(other) => panic!("{other}"),
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(count);
        }
    });
    assert_eq!(fs::read(folder.path().join("work/counter")).unwrap(), b"200");
}
