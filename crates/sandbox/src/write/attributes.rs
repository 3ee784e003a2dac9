//! Extended attributes and access lists, which a file that takes the place of another one does not have by itself.

use std::io;
use std::os::unix::fs::MetadataExt;

use cap_std::fs::File;
use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr};
use rustix::io::Errno;

/// The list of who else may read and write a file.
const ACCESS: &str = "system.posix_acl_access";
/// The label by which the kernel separates programs.
const LABEL: &str = "security.selinux";
/// The most that the kernel lets a name list or a value have, in bytes.
const MOST: usize = 64 * 1024;

/// Gives a new file the access list, label and attributes of users that an old one has. Capabilities and signatures are
/// left out, because they belong to the old bytes.
///
/// # Errors
/// If the new file cannot have the same access list: its mode alone would let other users read it or keep them out.
pub(super) fn copy(old: &File, new: &File) -> io::Result<()> {
    let names = match names(old) {
        // The file system has none.
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => Vec::new(),
        names => names?,
    };
    let is_kept = |name: &&String| name.starts_with("user.") || *name == LABEL || *name == ACCESS;
    for name in names.iter().filter(is_kept) {
        let copied = copy_one(old, new, name);
        if name == ACCESS && copied.is_err() && is_same_disk(old, new)? {
            copied?;
        }
    }
    if !names.iter().any(|name| name == ACCESS) {
        // The new file may have a list from the folder in which it was made. Most have none.
        let _ = fremovexattr(new, ACCESS);
    }
    Ok(())
}

fn names(file: &File) -> Result<Vec<String>, Errno> {
    let mut bytes = vec![0; MOST];
    let len = flistxattr(file, &mut bytes)?;
    let names = bytes.get(..len).unwrap_or_default().split(|byte| *byte == 0);
    Ok(names.filter_map(|name| std::str::from_utf8(name).ok()).map(str::to_owned).collect())
}

fn copy_one(old: &File, new: &File, name: &str) -> Result<(), Errno> {
    let mut bytes = vec![0; MOST];
    let len = fgetxattr(old, name, &mut bytes)?;
    fsetxattr(new, name, bytes.get(..len).unwrap_or_default(), XattrFlags::empty())
}

/// On another disk the new file cannot take the place of the old one, and another one is made.
fn is_same_disk(old: &File, new: &File) -> io::Result<bool> {
    let dev = |file: &File| Ok::<_, io::Error>(file.try_clone()?.into_std().metadata()?.dev());
    Ok(dev(old)? == dev(new)?)
}
