//! Paths inside the workspace, and their construction from a model's text.

mod name;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use windlass_protocol::ErrorText;

use self::name::{Position, display_name, unquote};
use crate::WindowsPath;

/// The prefix of a spilled output's name.
pub(crate) const OUTPUTS: &str = "@outputs";
const MAX_BYTES: usize = 4096;

/// A path that is lexically inside the workspace, or the name of a spilled output.
///
/// Links are not considered here; the file operations check them, by handle, when they run.
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

/// The reason why a text is not a path inside the workspace. The text describes the problem; [`PathError::advice`]
/// is the next step for the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// The text is empty.
    #[error("the path is empty")]
    Empty,
    /// The text has a NUL character, which no file name can have.
    #[error("the path has a NUL character, which no file name has")]
    Nul,
    /// The text is too long.
    #[error("the path has {len} bytes, at most 4096 are allowed")]
    TooLong {
        /// Its length in bytes.
        len: usize,
    },
    /// The path leads out of the workspace.
    #[error("`{path}` is outside the workspace")]
    Outside {
        /// The path as it was written.
        path: String,
    },
    /// The path starts with `~`, which a shell would expand and a tool does not.
    #[error("`{path}` starts with `~`, which is not expanded here")]
    Home {
        /// The path as it was written.
        path: String,
    },
    /// Windows interprets the path in a special way.
    #[error("`{path}` is not a plain path on Windows ({what:?})")]
    Windows {
        /// The path as it was written.
        path: String,
        /// Its interpretation on Windows.
        what: WindowsPath,
    },
    /// The part after `@outputs/` is not one plain name.
    #[error("`{path}` is not a spilled output")]
    Output {
        /// The path as it was written.
        path: String,
    },
}

impl PathError {
    /// Returns the next step for the model, as a sentence.
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            Self::Empty => Some("Give a path relative to the workspace; `.` is the workspace itself."),
            Self::Nul | Self::TooLong { .. } => None,
            Self::Outside { .. } => {
                Some("Give a path inside it, relative to its root, without leading `..` or `/`.")
            }
            Self::Home { .. } => Some("Give a path relative to the workspace."),
            Self::Windows { .. } => Some("Give plain names with `/` between them."),
            Self::Output { .. } => Some("Give `@outputs/NAME` exactly as the notice wrote it."),
        }
    }
}

impl From<PathError> for ErrorText {
    fn from(error: PathError) -> Self {
        let text = Self::new(error.to_string());
        error.advice().into_iter().fold(text, Self::with_advice)
    }
}

impl WorkspacePath {
    /// Returns the path of the workspace's root.
    pub fn root() -> Self {
        Self { area: Area::Root, relative: PathBuf::new() }
    }

    /// Parses a model's text. `roots` are the absolute spellings of the workspace's root.
    pub(crate) fn parse(text: &str, roots: &[PathBuf]) -> Result<Self, PathError> {
        check_text(text)?;
        let outside = || PathError::Outside { path: text.to_owned() };
        if let Some(name) = text.strip_prefix(OUTPUTS).and_then(|rest| rest.strip_prefix('/')) {
            return Self::output(text, name);
        }
        let written = unquote(text);
        if written.as_encoded_bytes().contains(&0) {
            return Err(PathError::Nul);
        }
        let written = Path::new(&*written);
        let plain = normalize(written).ok_or_else(outside)?;
        let relative = if written.has_root() || written.is_absolute() {
            // Compare by components, so that `project-two` is not inside `project`.
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

    /// Creates the path of an entry below the root, as a directory walker reports it.
    ///
    /// # Errors
    /// If the path leads out of the workspace.
    pub fn from_walk(below: &Path) -> Result<Self, PathError> {
        let plain = if below.is_absolute() { None } else { normalize(below) };
        let outside = || PathError::Outside { path: below.to_string_lossy().into_owned() };
        plain.map(Self::from_relative).ok_or_else(outside)
    }

    pub(crate) fn from_relative(relative: PathBuf) -> Self {
        Self { area: Area::Root, relative }
    }

    pub(crate) fn area(&self) -> Area {
        self.area
    }

    /// Returns the path for handle-relative calls: `.` instead of an empty path.
    pub(crate) fn for_handle(&self) -> &Path {
        if self.relative.as_os_str().is_empty() { Path::new(".") } else { &self.relative }
    }

    /// Returns the path below the workspace's root, or the output's bare name. It is empty for the root
    /// itself.
    pub fn relative(&self) -> &Path {
        &self.relative
    }

    /// Returns true if this is a spilled output and not a file of the workspace.
    pub fn is_output(&self) -> bool {
        self.area == Area::Outputs
    }

    /// Returns the path of an entry in this folder.
    pub fn join(&self, name: impl AsRef<OsStr>) -> Self {
        Self { area: self.area, relative: self.relative.join(Path::new(name.as_ref())) }
    }

    /// Returns the path relative to a folder that contains it, or the path itself if the folder does not
    /// contain it.
    pub fn relative_to(&self, folder: &Self) -> Self {
        let relative = self.relative.strip_prefix(&folder.relative).unwrap_or(&self.relative);
        Self { area: self.area, relative: relative.to_path_buf() }
    }

    /// Returns the path with every name unquoted, as rules check it; invalid UTF-8 is replaced. For display
    /// use `Display`, whose output resolves to the same file.
    pub fn plain(&self) -> String {
        self.render_with(|name, _| name.to_string_lossy())
    }

    fn render_with<'s>(&'s self, word: impl Fn(&'s OsStr, Position) -> Cow<'s, str>) -> String {
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
    /// Writes the path relative to the root, with `/` as separator on every system; `.` is the root. Names
    /// with control characters or invalid UTF-8 are quoted and escaped, and parsing restores them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render_with(display_name))
    }
}

/// Returns a text that is not a path inside the workspace in the form that rules check.
pub(crate) fn words(text: &str) -> String {
    unquote(text).to_string_lossy().into_owned()
}

/// Refuses names that lead to another file on Windows than they seem to.
fn check_windows(text: &str, relative: &Path) -> Result<(), PathError> {
    match WindowsPath::classify(&relative.to_string_lossy()) {
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

/// Removes `.` and `..` lexically. Returns `None` if `..` leads above the start.
///
/// Policy decides about this form (RULES H6), so the same form is opened. If a link precedes `..`, the file
/// system would resolve the original path to another place than the one that was checked.
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
