//! Finds keys and password hashes among the system's files: those that their owner does not show to every
//! user.

use std::fs::{self, File, Metadata};
use std::path::{Path, PathBuf};

/// The maximum number of hidden files, of names read, and of nested folders. Each hidden file is a mount.
const MOST: usize = 200;
const NAMES: usize = 20_000;
const DEPTH: usize = 8;
/// Files without secrets that programs require, even if a strict umask made them unreadable for other users.
const NEEDED: [&str; 8] =
    ["passwd", "group", "nsswitch.conf", "ld.so.cache", "ld.so.conf", "hosts", "resolv.conf", "localtime"];

/// Returns the files and folders below `root` that other users cannot read and this user can. The contents of
/// such a folder are not listed.
pub(super) fn find_private(root: &Path) -> Vec<PathBuf> {
    let (mut closed, mut seen) = (Vec::new(), 0_usize);
    let mut waiting = vec![(root.to_path_buf(), 0_usize)];
    while let Some((folder, depth)) = waiting.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok) {
            seen += 1;
            if seen > NAMES || closed.len() >= MOST {
                return closed;
            }
            let Ok(found) = entry.metadata() else { continue };
            let path = entry.path();
            let is_needed =
                depth == 0 && NEEDED.iter().any(|name| path.file_name().is_some_and(|own| own == *name));
            if is_closed(&found) && !is_needed && is_readable(&path, &found) {
                closed.push(path);
            } else if found.is_dir() && depth < DEPTH {
                waiting.push((path, depth + 1));
            }
        }
    }
    closed
}

#[cfg(unix)]
fn is_closed(found: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let is_kind = found.is_file() || found.is_dir();
    is_kind && found.mode() & 0o004 == 0
}

#[cfg(not(unix))]
fn is_closed(_: &Metadata) -> bool {
    false
}

/// Returns true if this user can read it. A folder that cannot be listed can still be entered with a known
/// name.
fn is_readable(path: &Path, found: &Metadata) -> bool {
    if found.is_dir() {
        return path.read_dir().is_ok() || path.join(".").symlink_metadata().is_ok();
    }
    File::open(path).is_ok()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn files_that_other_users_cannot_read_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for (name, mode) in [
            ("passwd", 0o600),
            ("shadow", 0o640),
            ("hostname", 0o644),
            ("security/opasswd", 0o600),
            ("sudoers.d/README", 0o644),
            ("pki/tls/private/key", 0o600),
            ("a/b/passwd", 0o600),
        ] {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
        fs::set_permissions(root.join("sudoers.d"), fs::Permissions::from_mode(0o750)).unwrap();
        std::os::unix::fs::symlink("shadow", root.join("link")).unwrap();
        let mut names: Vec<_> =
            find_private(root).into_iter().map(|path| path.strip_prefix(root).unwrap().to_owned()).collect();
        names.sort();
        let expected = ["a/b/passwd", "pki/tls/private/key", "security/opasswd", "shadow", "sudoers.d"];
        assert_eq!(names, expected.map(PathBuf::from));
    }
}
