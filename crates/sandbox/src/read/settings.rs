//! Reads settings files: the user's own, or those that a project ships.

use std::io::{self, Read};
use std::path::{Component, Path};

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};

/// The maximum length of a settings file, in bytes.
const MAX_SETTINGS_BYTES: u64 = 1024 * 1024;

/// The owner of a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettingsOwner<'a> {
    /// The user or the machine. A link is followed, because people link their settings to a repository of
    /// them.
    User,
    /// The project, whose files a stranger may have written. No part of the path below `root` may be a link.
    Project {
        /// The folder of the project.
        root: &'a Path,
    },
}

/// Reads a settings file as text, without a byte order mark. Returns `None` if the file does not exist.
///
/// The file is opened once and then judged by its handle, so nothing can take its place in between. The open does not
/// wait: a pipe, a device, a folder and a file of more than 1 MiB are refused.
///
/// # Errors
/// If the file is refused, cannot be read, is not UTF-8, or does not lie below the project's root.
pub fn read_settings(file: &Path, owner: SettingsOwner<'_>) -> io::Result<Option<String>> {
    let opened = match owner {
        SettingsOwner::User => {
            File::open_ambient_with(file, &options(FollowSymlinks::Yes), ambient_authority())
        }
        SettingsOwner::Project { root } => open_below(root, file),
    };
    let opened = match opened {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let invalid = |words: String| io::Error::new(io::ErrorKind::InvalidInput, words);
    if !opened.metadata()?.is_file() {
        return Err(invalid("it is not a regular file".to_owned()));
    }
    let mut bytes = Vec::new();
    // One byte more than the limit finds a file that grows.
    opened.take(MAX_SETTINGS_BYTES.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_SETTINGS_BYTES {
        return Err(invalid(format!("it has more than {MAX_SETTINGS_BYTES} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|_| invalid("it is not UTF-8".to_owned()))?;
    Ok(Some(text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned)))
}

fn options(follow: FollowSymlinks) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).follow(follow).nonblock(true);
    options
}

/// Opens a file below a folder part by part; a link is an error.
fn open_below(root: &Path, file: &Path) -> io::Result<File> {
    let invalid = |words: &str| io::Error::new(io::ErrorKind::InvalidInput, words.to_owned());
    let outside = || invalid("it is not below the project's folder");
    let below = file.strip_prefix(root).map_err(|_| outside())?;
    let mut parts = below.components().peekable();
    let mut dir = Dir::open_ambient_dir(root, ambient_authority())?;
    while let Some(part) = parts.next() {
        let Component::Normal(name) = part else { return Err(outside()) };
        let about = dir.symlink_metadata(name)?;
        if about.is_symlink() {
            return Err(invalid("a link in a project's settings is not followed"));
        }
        if parts.peek().is_some() {
            dir = dir.open_dir_nofollow(name)?;
        } else {
            return dir.open_with(name, &options(FollowSymlinks::No));
        }
    }
    Err(outside())
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_projects_file_is_refused_behind_a_link_and_what_is_not_a_file_is_refused_for_all() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("project/.windlass")).unwrap();
        fs::create_dir(root.join("elsewhere")).unwrap();
        fs::write(root.join("elsewhere/config.toml"), "\u{feff}a = 1\n").unwrap();
        let project = root.join("project");
        let owner = SettingsOwner::Project { root: &project };
        let file = project.join(".windlass/config.toml");
        assert_eq!(read_settings(&file, owner).unwrap(), None);
        fs::copy(root.join("elsewhere/config.toml"), &file).unwrap();
        assert_eq!(read_settings(&file, owner).unwrap().as_deref(), Some("a = 1\n"));
        symlink(root.join("elsewhere"), project.join("linked")).unwrap();
        symlink("config.toml", project.join(".windlass/alias.toml")).unwrap();
        for file in ["linked/config.toml", ".windlass/alias.toml"] {
            let file = project.join(file);
            assert!(
                read_settings(&file, owner).unwrap_err().to_string().contains("link"),
                "{}",
                file.display()
            );
            assert!(read_settings(&file, SettingsOwner::User).unwrap().is_some());
        }
        symlink("/dev/zero", project.join("zero")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            project.join("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        fs::write(project.join("large"), vec![b'#'; 1024 * 1024 + 1]).unwrap();
        fs::write(project.join("bytes"), [0xff, 0xfe]).unwrap();
        for name in ["zero", "pipe", "large", "bytes", ".windlass"] {
            for owner in [owner, SettingsOwner::User] {
                assert!(read_settings(&project.join(name), owner).is_err(), "{name} {owner:?}");
            }
        }
        assert!(read_settings(&root.join("elsewhere/config.toml"), owner).is_err());
        assert!(read_settings(&project.join("../elsewhere/config.toml"), owner).is_err());
    }
}
