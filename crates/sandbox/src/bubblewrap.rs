//! Namespaces and a root made by `bwrap`, for machines that do not allow this program to create them itself.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::fcntl::AtFlags;
use nix::sys::stat::{Mode, fstat, fstatat};
use rustix::io::{FdFlags, fcntl_setfd};

use crate::confinement::stand_in::ProtectedPath;
use crate::namespaces::below;
use crate::plan::Plan;

/// The folders that are searched for `bwrap`. Neither the working folder nor `PATH` is searched, because a
/// workspace can control both.
const PLACES: [&str; 4] = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"];
/// The path of the helper as the child of `bwrap` sees it.
const HELPER: &str = "/.windlass-confine";
/// The paths that the new root has in addition to the grants.
const OWN: [&str; 3] = ["/proc", "/dev", "/tmp"];

/// Builds the `bwrap` command for a plan, up to the helper that continues inside; the helper's arguments
/// follow. The caller must keep the returned files open until the command has started.
pub(crate) fn start(plan: &Plan) -> Result<(Command, Vec<File>), String> {
    let program = find().ok_or_else(|| format!("it was not found in {}", PLACES.join(", ")))?;
    let helper = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut words = Words::default();
    words.namespaces(!plan.ports.is_empty());
    words.add("--proc", ["/proc"]);
    words.add("--dev", ["/dev"]);
    words.add("--perms", ["1777", "--tmpfs", "/tmp"]);
    words.mount_granted(plan);
    words.mount_protected(plan)?;
    let closed = words.cover_hidden(plan).map_err(|error| error.to_string())?;
    words.add("--ro-bind", [helper.as_os_str(), OsStr::new(HELPER)]);
    words.add("--remount-ro", ["/"]);
    words.add("--chdir", ["/", "--", HELPER]);
    let mut process = Command::new(program);
    process.args(words.0);
    Ok((process, closed))
}

/// Records the folder of each path that `bwrap` is to cover, and compares the file with the one that the scan found.
///
/// `bwrap` resolves paths, and another child may rename folders meanwhile. [`check_places`] then finds a cover that
/// was made elsewhere. If another file takes the place of the hidden file in the same folder, after this comparison
/// and before `bwrap` covers it, nothing notices it.
pub(crate) fn record_places(plan: &mut Plan) -> Result<(), String> {
    let root = below::root(Path::new("/")).map_err(|error| error.to_string())?;
    for hidden in plan.covers_mut() {
        let (folder, file) =
            identities(&root, &hidden.path).map_err(|error| describe_moved(&hidden.path, &error))?;
        if hidden.identity.is_some_and(|known| known != file.0) {
            return Err(describe_moved(&hidden.path, &"it is another file than the one that was found"));
        }
        hidden.folder = Some(folder);
    }
    Ok(())
}

/// Checks, inside of the root that `bwrap` made, that each cover is in the folder that was recorded.
pub(crate) fn check_places(plan: &Plan) -> Result<(), String> {
    let root = below::root(Path::new("/")).map_err(|error| error.to_string())?;
    for hidden in plan.hidden.iter().filter(|hidden| hidden.folder.is_some()) {
        let (folder, (file, mode)) =
            identities(&root, &hidden.path).map_err(|error| describe_moved(&hidden.path, &error))?;
        let is_covered = hidden.identity != Some(file) && Mode::from_bits_truncate(mode).is_empty();
        if Some(folder) != hidden.folder || !is_covered {
            return Err(describe_moved(&hidden.path, &"its folder was exchanged"));
        }
    }
    Ok(())
}

fn describe_moved(path: &Path, why: &dyn Display) -> String {
    format!("`{}` was moved or removed while it was to be hidden, try again: {why}", path.display())
}

/// Device and inode.
type Identity = (u64, u64);

/// Returns the identity of a path's folder, and the identity and mode of the file.
fn identities(root: &OwnedFd, path: &Path) -> io::Result<(Identity, (Identity, u32))> {
    let (folder, name) = below::parent(root, path.strip_prefix("/").unwrap_or(path))?;
    let around = fstat(&folder)?;
    let file = fstatat(&folder, name.as_os_str(), AtFlags::AT_SYMLINK_NOFOLLOW)?;
    Ok(((around.st_dev, around.st_ino), ((file.st_dev, file.st_ino), file.st_mode)))
}

/// Returns a `bwrap` that belongs to root and that no other user can write.
fn find() -> Option<PathBuf> {
    PLACES.into_iter().map(|place| Path::new(place).join("bwrap")).find(|program| {
        fs::metadata(program)
            .is_ok_and(|found| found.is_file() && found.uid() == 0 && found.mode() & 0o022 == 0)
    })
}

#[derive(Default)]
struct Words(Vec<OsString>);

impl Words {
    fn add<A: AsRef<OsStr>>(&mut self, name: &str, values: impl IntoIterator<Item = A>) {
        self.0.push(name.into());
        self.0.extend(values.into_iter().map(|value| value.as_ref().to_owned()));
    }

    fn namespaces(&mut self, with_network: bool) {
        // Run the helper as the first process, as without `bwrap`: it reaps orphans and holds the leash
        // (`crate::Leash`). A setuid `bwrap` does not need a user namespace and is possibly not allowed to create
        // one.
        let switches = [
            "--unshare-user-try",
            "--unshare-pid",
            "--unshare-ipc",
            "--unshare-uts",
            "--unshare-cgroup-try",
            "--as-pid-1",
            "--die-with-parent",
        ];
        self.0.extend(switches.map(OsString::from));
        if !with_network {
            self.0.push("--unshare-net".into());
        }
        self.add("--cap-drop", ["ALL"]);
    }

    /// Adds the granted paths, a folder before its contents, so that a later mount does not cover an earlier
    /// grant.
    fn mount_granted(&mut self, plan: &Plan) {
        let read = plan.readable.iter().map(|path| (path, "--ro-bind-try"));
        let write = plan.writable.iter().map(|path| (path, "--bind-try"));
        let private = plan.private.iter().map(|path| (path, "--tmpfs"));
        let mut grants: Vec<_> = read.chain(write).chain(private).collect();
        let rank =
            |how: &str| ["--ro-bind-try", "--bind-try", "--tmpfs"].iter().position(|known| *known == how);
        grants.sort_by_key(|(path, how)| (path.components().count(), rank(how)));
        for (path, how) in grants {
            match (how, fs::read_link(path)) {
                ("--tmpfs", _) => self.add("--perms", [OsStr::new("0700"), how.as_ref(), path.as_os_str()]),
                // A link such as /bin to usr/bin. If its target is not granted, the link dangles.
                (_, Ok(target)) => self.add("--symlink", [target.as_os_str(), path.as_os_str()]),
                _ if OWN.iter().any(|own| path == Path::new(own)) => {}
                _ => self.add(how, [path.as_os_str(), path.as_os_str()]),
            }
        }
    }

    fn mount_protected(&mut self, plan: &Plan) -> Result<(), String> {
        for path in plan.protected.iter().map(ProtectedPath::path) {
            // A mount would cover the link's target and leave the link itself changeable.
            if path.is_symlink() {
                return Err(format!("`{}` is a link and cannot be protected", path.display()));
            }
            self.add("--ro-bind", [path, path]);
        }
        Ok(())
    }

    /// Covers hidden paths with files and folders that cannot be opened. `bwrap` reads the contents of the
    /// files from the returned descriptors, which are empty.
    fn cover_hidden(&mut self, plan: &Plan) -> io::Result<Vec<File>> {
        let mut closed = Vec::new();
        for path in plan.covers().into_iter().map(|hidden| &hidden.path) {
            match fs::symlink_metadata(path) {
                Ok(found) if found.is_symlink() => {
                    let words = format!("`{}` is a link and cannot be hidden", path.display());
                    return Err(io::Error::other(words));
                }
                Ok(found) if found.is_dir() => {
                    self.add("--perms", [OsStr::new("0000"), "--tmpfs".as_ref(), path.as_os_str()]);
                    self.add("--remount-ro", [path]);
                }
                Ok(_) => {
                    let empty = File::open("/dev/null")?;
                    // Only `bwrap` may inherit this descriptor.
                    fcntl_setfd(&empty, FdFlags::empty())?;
                    let number = empty.as_raw_fd().to_string();
                    self.add(
                        "--perms",
                        [OsStr::new("0000"), "--ro-bind-data".as_ref(), number.as_ref(), path.as_os_str()],
                    );
                    closed.push(empty);
                }
                // The file may have been moved to a path where the child can read it.
                Err(error) => {
                    let words = format!(
                        "`{}` was moved or removed while it was to be hidden, try again: {error}",
                        path.display()
                    );
                    return Err(io::Error::other(words));
                }
            }
        }
        Ok(closed)
    }
}
