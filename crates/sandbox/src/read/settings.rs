//! Reads settings files and folders of them: the user's own, or those that a project ships.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};

/// The maximum length of a settings file, in bytes.
const MAX_SETTINGS_BYTES: u64 = 1024 * 1024;

/// The maximum number of names in a folder of settings.
const MAX_SETTINGS_NAMES: usize = 2_000;

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
/// The file is opened once and then checked by its handle, so nothing can take its place in between. The open
/// does not wait: a pipe, a device, a folder and a file of more than 1 MiB are refused.
///
/// # Errors
/// If the file is refused, cannot be read, is not UTF-8, or is not below the project's root.
pub fn read_settings(file: &Path, owner: SettingsOwner<'_>) -> io::Result<Option<String>> {
    let Some(bytes) = read_bytes(file, owner)? else { return Ok(None) };
    let text = String::from_utf8(bytes).map_err(|_| invalid("it is not UTF-8".to_owned()))?;
    Ok(Some(text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned)))
}

/// Reads a file like [`read_settings`], whatever its encoding.
pub(crate) fn read_bytes(file: &Path, owner: SettingsOwner<'_>) -> io::Result<Option<Vec<u8>>> {
    let opened = match owner {
        SettingsOwner::User => {
            File::open_ambient_with(file, &options(FollowSymlinks::Yes), ambient_authority())
        }
        SettingsOwner::Project { root } => open_below(root, file),
    };
    let Some(opened) = if_exists(opened)? else { return Ok(None) };
    if !opened.metadata()?.is_file() {
        return Err(invalid("it is not a regular file".to_owned()));
    }
    let mut bytes = Vec::new();
    // One byte more than the limit finds a file that grows.
    opened.take(MAX_SETTINGS_BYTES.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_SETTINGS_BYTES {
        return Err(invalid(format!("it has more than {MAX_SETTINGS_BYTES} bytes")));
    }
    Ok(Some(bytes))
}

/// Lists the files of a folder of settings whose names have an extension, in the order of their names. Returns `None` if
/// the folder does not exist. Each file is for [`read_settings`], which checks it.
///
/// The folder is opened once, by the same rules as a file: a user's folder may be a link, but the path of a project's
/// folder must not contain a link.
///
/// # Errors
/// If the folder is refused, is not a folder, cannot be read, has more than 2,000 names, or is not below the
/// project's root.
pub fn settings_files(
    folder: &Path,
    owner: SettingsOwner<'_>,
    extension: &str,
) -> io::Result<Option<Vec<PathBuf>>> {
    let Some(opened) = if_exists(open_folder(folder, owner))? else { return Ok(None) };
    let mut files = Vec::new();
    for (number, entry) in opened.entries()?.enumerate() {
        if number >= MAX_SETTINGS_NAMES {
            return Err(invalid(format!("it has more than {MAX_SETTINGS_NAMES} names")));
        }
        let name = entry?.file_name();
        if Path::new(&name).extension() == Some(OsStr::new(extension)) {
            files.push(folder.join(name));
        }
    }
    files.sort();
    Ok(Some(files))
}

/// Opens a folder of settings by the rules of its owner.
pub(crate) fn open_folder(folder: &Path, owner: SettingsOwner<'_>) -> io::Result<Dir> {
    match owner {
        SettingsOwner::User => Dir::open_ambient_dir(folder, ambient_authority()),
        SettingsOwner::Project { root } => folder_below(root, folder),
    }
}

/// Converts the error of a missing file or folder to `None`.
fn if_exists<T>(opened: io::Result<T>) -> io::Result<Option<T>> {
    match opened {
        Ok(opened) => Ok(Some(opened)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn options(follow: FollowSymlinks) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).follow(follow).nonblock(true);
    options
}

fn invalid(words: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, words)
}

fn to_outside_error() -> io::Error {
    invalid("it is not below the project's folder".to_owned())
}

/// Opens a file below a folder part by part; a link is an error.
fn open_below(root: &Path, file: &Path) -> io::Result<File> {
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
        return Err(to_outside_error());
    };
    let dir = folder_below(root, folder)?;
    refuse_link(&dir, name)?;
    dir.open_with(name, &options(FollowSymlinks::No))
}

/// Opens a folder below another part by part; a link is an error.
fn folder_below(root: &Path, folder: &Path) -> io::Result<Dir> {
    let below = folder.strip_prefix(root).map_err(|_| to_outside_error())?;
    below.components().try_fold(Dir::open_ambient_dir(root, ambient_authority())?, |dir, part| {
        let Component::Normal(name) = part else { return Err(to_outside_error()) };
        refuse_link(&dir, name)?;
        dir.open_dir_nofollow(name)
    })
}

fn refuse_link(dir: &Dir, name: &OsStr) -> io::Result<()> {
    if dir.symlink_metadata(name)?.is_symlink() {
        return Err(invalid("a link in a project's settings is not followed".to_owned()));
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn linked_project_settings_and_all_non_files_are_refused() {
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

    #[test]
    fn a_projects_folder_is_listed_by_its_handle_and_the_users_may_be_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (project, elsewhere) = (root.join("project"), root.join("elsewhere"));
        fs::create_dir_all(project.join(".windlass/tools")).unwrap();
        fs::create_dir_all(elsewhere.join("tools")).unwrap();
        for name in ["tools/b.toml", "tools/a.toml", "tools/c.md", "tools/toml"] {
            fs::write(elsewhere.join(name), "").unwrap();
            fs::write(project.join(".windlass").join(name), "").unwrap();
        }
        let owner = SettingsOwner::Project { root: &project };
        let tools = project.join(".windlass/tools");
        let expected = vec![tools.join("a.toml"), tools.join("b.toml")];
        assert_eq!(settings_files(&tools, owner, "toml").unwrap(), Some(expected));
        assert_eq!(settings_files(&project.join(".windlass/no"), owner, "toml").unwrap(), None);
        fs::write(project.join(".windlass/file"), "").unwrap();
        assert!(settings_files(&project.join(".windlass/file"), owner, "toml").is_err());
        // The folder, or one above it, is a link; also one that stays in the project.
        symlink(elsewhere.join("tools"), project.join(".windlass/out")).unwrap();
        symlink("tools", project.join(".windlass/inside")).unwrap();
        symlink(&elsewhere, project.join("linked")).unwrap();
        symlink("nowhere", project.join("dangling")).unwrap();
        for name in [".windlass/out", ".windlass/inside", "linked/tools", "dangling"] {
            let error = settings_files(&project.join(name), owner, "toml").unwrap_err();
            assert!(error.to_string().contains("link"), "{name}: {error}");
            assert!(open_folder(&project.join(name), owner).is_err(), "{name}");
        }
        let users = settings_files(&project.join("linked/tools"), SettingsOwner::User, "toml").unwrap();
        assert_eq!(users.unwrap().len(), 2);
        for number in 0..=MAX_SETTINGS_NAMES {
            fs::write(tools.join(format!("{number}")), "").unwrap();
        }
        assert!(settings_files(&tools, owner, "toml").unwrap_err().to_string().contains("2000 names"));
    }
}
