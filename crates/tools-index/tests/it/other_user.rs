//! Tests about permissions, which do not restrict root. If root runs them, they run in a process of another user.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use windlass_testkit::Need;

/// The user `nobody` of most systems. It needs no entry in a table of users.
const NOBODY: u32 = 65_534;

/// Returns true if the test runs in this process. As root it runs in a process of another user instead, which
/// has to pass.
pub(crate) fn is_here(test: &str) -> bool {
    if fs::metadata("/proc/self").map_or(1, |process| process.uid()) != 0 {
        return true;
    }
    let open = open_place().ok_or("no temporary folder is open to other users");
    let Some(place) = Need::OtherUser.check(open) else { return false };
    let folder = tempfile::Builder::new().permissions(mode(0o777)).tempdir_in(place).unwrap();
    let program = folder.path().join("test");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    fs::set_permissions(&program, mode(0o755)).unwrap();
    let work = folder.path().join("work");
    fs::create_dir(&work).unwrap();
    fs::set_permissions(&work, mode(0o777)).unwrap();
    let mut other = Command::new(&program);
    other
        .args(["--exact", test, "--nocapture"])
        .current_dir(&work)
        .env("TMPDIR", &work)
        .uid(NOBODY)
        .gid(NOBODY);
    // Starting fails if the mount of the folder does not permit programs.
    if let Some(output) = Need::OtherUser.check(other.output()) {
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && told.contains("1 passed"), "{test}: {output:?}");
    }
    false
}

fn mode(mode: u32) -> fs::Permissions {
    fs::Permissions::from_mode(mode)
}

/// A folder for temporary files that every user can reach.
fn open_place() -> Option<PathBuf> {
    let is_open = |path: &Path| {
        let may_pass = |above: &Path| fs::metadata(above).is_ok_and(|found| found.mode() & 0o001 != 0);
        path.is_dir() && path.ancestors().all(may_pass)
    };
    [std::env::temp_dir(), "/tmp".into(), "/var/tmp".into()].into_iter().find(|path| is_open(path))
}
