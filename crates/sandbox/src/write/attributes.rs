//! Copies extended attributes and access lists, which a replacement file does not have by itself.

use std::io;
use std::os::unix::fs::MetadataExt;

use cap_std::fs::File;
use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr};
use rustix::io::Errno;

/// The POSIX access control list.
const ACCESS: &str = "system.posix_acl_access";
/// The `SELinux` label.
const LABEL: &str = "security.selinux";
/// The kernel's maximum length of a list of names or of a value, in bytes.
const MOST: usize = 64 * 1024;

/// Copies the access list, the label and the `user.*` attributes from the old file to the new one.
/// Capabilities and signatures are not copied, because they belong to the old bytes.
///
/// # Errors
/// If the access list cannot be copied. The mode alone would admit or exclude other users.
pub(super) fn copy(old: &File, new: &File) -> io::Result<()> {
    let names = match names(old) {
        // The file system has no extended attributes.
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
        // The new file may have inherited a list from its folder. Most have none, so ignore the error.
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

/// On another disk the new file cannot be renamed over the old one, and the caller creates another draft.
fn is_same_disk(old: &File, new: &File) -> io::Result<bool> {
    let dev = |file: &File| Ok::<_, io::Error>(file.try_clone()?.into_std().metadata()?.dev());
    Ok(dev(old)? == dev(new)?)
}
