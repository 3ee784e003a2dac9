//! A path inside the workspace, and the words of a model from which it is made.

mod name;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use self::name::{Position, shown, unquoted};
use crate::WindowsPath;

/// What stands before the name of a spilled output.
pub(crate) const OUTPUTS: &str = "@outputs";
const MAX_BYTES: usize = 4096;

/// A path that lies, by its words, inside the workspace or is the name of a spilled output.
///
/// Links are not looked at here: the file operations do that when they run, by handle.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WorkspacePath {
    area: Area,
    relative: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Area {
    Root,
    Outputs,
}

/// Why a text is no path inside the workspace, in words for the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// Nothing was given.
    #[error("the path is empty; give a path relative to the workspace, `.` is the workspace itself")]
    Empty,
    /// No file has such a name.
    #[error("the path has a NUL character; no file has such a name")]
    Nul,
    /// Longer than any path.
    #[error("the path has {len} bytes, at most 4096 are taken")]
    TooLong {
        /// How many bytes it has.
        len: usize,
    },
    /// The path leads out of the workspace.
    #[error(
        "`{path}` is outside the workspace; give a path inside it, relative to its root, without leading `..` or `/`"
    )]
    Outside {
        /// The path as it was written.
        path: String,
    },
    /// A shell would expand this, a tool does not.
    #[error("`{path}` starts with `~`, which is not expanded here; give a path relative to the workspace")]
    Home {
        /// The path as it was written.
        path: String,
    },
    /// Windows reads this in another way than it looks.
    #[error("`{path}` is no plain path to Windows ({what:?}); give plain names with `/` between them")]
    Windows {
        /// The path as it was written.
        path: String,
        /// What it is to Windows.
        what: WindowsPath,
    },
    /// The part behind `@outputs/` is not one plain name.
    #[error("`{path}` is no spilled output; give `@outputs/NAME` exactly as the notice wrote it")]
    Output {
        /// The path as it was written.
        path: String,
    },
}

impl WorkspacePath {
    /// The workspace's root itself.
    pub fn root() -> Self {
        Self { area: Area::Root, relative: PathBuf::new() }
    }

    /// Reads a model's words; `roots` are the absolute spellings of the workspace's root.
    pub(crate) fn parse(text: &str, roots: &[PathBuf]) -> Result<Self, PathError> {
        check_text(text)?;
        let outside = || PathError::Outside { path: text.to_owned() };
        if let Some(name) = text.strip_prefix(OUTPUTS).and_then(|rest| rest.strip_prefix('/')) {
            return Self::output(text, name);
        }
        let written = unquoted(text);
        if written.as_encoded_bytes().contains(&0) {
            return Err(PathError::Nul);
        }
        let written = Path::new(&*written);
        let plain = normalize(written).ok_or_else(outside)?;
        let relative = if written.has_root() || written.is_absolute() {
            // Compared component by component, so that `project-two` is not inside `project`.
            let found = roots.iter().find_map(|root| plain.strip_prefix(root).ok());
            found.ok_or_else(outside)?.to_path_buf()
        } else {
            plain
        };
        if cfg!(windows) {
            check_windows(text, &relative)?;
        }
        Ok(Self { area: Area::Root, relative })
    }

    fn output(text: &str, name: &str) -> Result<Self, PathError> {
        let mut parts = Path::new(name).components();
        match (parts.next(), parts.next()) {
            (Some(Component::Normal(name)), None) => Ok(Self { area: Area::Outputs, relative: name.into() }),
            _ => Err(PathError::Output { path: text.to_owned() }),
        }
    }

    /// The path of something that was found below the root, as a walker names it.
    ///
    /// # Errors
    /// If it leads out of the workspace.
    pub fn found(below: &Path) -> Result<Self, PathError> {
        let plain = if below.is_absolute() { None } else { normalize(below) };
        let outside = || PathError::Outside { path: below.to_string_lossy().into_owned() };
        plain.map(Self::inside).ok_or_else(outside)
    }

    pub(crate) fn inside(relative: PathBuf) -> Self {
        Self { area: Area::Root, relative }
    }

    pub(crate) fn area(&self) -> Area {
        self.area
    }

    /// The path as handle-relative calls take it: never empty.
    pub(crate) fn for_handle(&self) -> &Path {
        if self.relative.as_os_str().is_empty() { Path::new(".") } else { &self.relative }
    }

    /// The path below the workspace's root, or the output's bare name; empty for the root itself.
    pub fn relative(&self) -> &Path {
        &self.relative
    }

    /// Whether this is a spilled output and not a file of the workspace.
    pub fn is_output(&self) -> bool {
        self.area == Area::Outputs
    }

    /// The path of something inside this folder.
    pub fn join(&self, name: impl AsRef<OsStr>) -> Self {
        Self { area: self.area, relative: self.relative.join(Path::new(name.as_ref())) }
    }

    /// The path as it is seen from a folder that holds it; the path itself where it lies elsewhere.
    pub fn below(&self, folder: &Self) -> Self {
        let relative = self.relative.strip_prefix(&folder.relative).unwrap_or(&self.relative);
        Self { area: self.area, relative: relative.to_path_buf() }
    }

    /// The path with every name as it is, for rules to judge; what is no text in it is replaced. To be shown it
    /// is written with `Display`, which leads back to the same file.
    pub fn plain(&self) -> String {
        self.written(|name, _| name.to_string_lossy())
    }

    fn written<'s>(&'s self, word: impl Fn(&'s OsStr, Position) -> Cow<'s, str>) -> String {
        let mut text = String::new();
        if self.area == Area::Outputs {
            text.push_str(OUTPUTS);
            text.push('/');
        } else if self.relative.as_os_str().is_empty() {
            text.push('.');
        }
        for (position, part) in self.relative.iter().enumerate() {
            if position > 0 {
                text.push('/');
            }
            let is_first = position == 0 && self.area == Area::Root;
            text.push_str(&word(part, if is_first { Position::First } else { Position::Later }));
        }
        text
    }
}

impl fmt::Display for WorkspacePath {
    /// Relative, with `/` between names on every system; `.` is the root. Names with control characters or
    /// without a UTF-8 reading stand between double quotes, escaped, and are read back so.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written(shown))
    }
}

/// The words of a text that is no path inside the workspace, as rules judge them.
pub(crate) fn words(text: &str) -> String {
    unquoted(text).to_string_lossy().into_owned()
}

/// On Windows a name can lead to another file than its words say.
fn check_windows(text: &str, relative: &Path) -> Result<(), PathError> {
    match WindowsPath::of(&relative.to_string_lossy()) {
        WindowsPath::Relative => Ok(()),
        what => Err(PathError::Windows { path: text.to_owned(), what }),
    }
}

fn check_text(text: &str) -> Result<(), PathError> {
    if text.is_empty() {
        return Err(PathError::Empty);
    }
    if text.len() > MAX_BYTES {
        return Err(PathError::TooLong { len: text.len() });
    }
    if text.contains('\0') {
        return Err(PathError::Nul);
    }
    if text == "~" || text.starts_with("~/") {
        return Err(PathError::Home { path: text.to_owned() });
    }
    Ok(())
}

/// The path without `.` and `..`, by its words alone; none if `..` leads above its start.
///
/// Policy judges this very form (RULES H6), so it is also the form that is opened: with a link before `..`
/// the file system's reading could be another place than the one that was judged.
pub(crate) fn normalize(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
            Component::ParentDir => match plain.components().next_back() {
                Some(Component::Normal(_)) => {
                    plain.pop();
                }
                _ => return None,
            },
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests;
