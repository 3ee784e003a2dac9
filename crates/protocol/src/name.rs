//! Names of tools.

use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The name of a tool: 1 to 256 bytes without control characters, compared as a whole and never split.
///
/// Providers allow fewer characters; the toolbox and the wire formats map names accordingly.
///
/// ```
/// use windlass_protocol::ToolName;
/// assert_eq!(ToolName::new("read_file")?.as_str(), "read_file");
/// assert!(ToolName::new("two\nlines").is_err());
/// # Ok::<(), windlass_protocol::NameError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolName(String);

/// Error of creating a tool name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameError {
    /// The text is empty.
    Empty,
    /// The text is longer than [`ToolName::MAX_BYTES`].
    TooLong {
        /// The length in bytes.
        len: usize,
    },
    /// The text contains a control character.
    Control {
        /// The byte offset of the first control character.
        at: usize,
    },
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("a tool name is empty"),
            Self::TooLong { len } => write!(f, "a tool name has {len} bytes, at most 256 are allowed"),
            Self::Control { at } => write!(f, "a tool name has a control character at byte {at}"),
        }
    }
}

impl Error for NameError {}

impl ToolName {
    /// The maximum length of a name in bytes.
    pub const MAX_BYTES: usize = 256;

    /// Creates a name from a registered name or from a name that a model wrote.
    ///
    /// # Errors
    /// Returns an error if the text is empty, is too long, or contains a control character.
    pub fn new(text: impl Into<String>) -> Result<Self, NameError> {
        let text = text.into();
        if text.is_empty() {
            return Err(NameError::Empty);
        }
        if text.len() > Self::MAX_BYTES {
            return Err(NameError::TooLong { len: text.len() });
        }
        match text.find(char::is_control) {
            Some(at) => Err(NameError::Control { at }),
            None => Ok(Self(text)),
        }
    }

    /// Returns the loose form of a name: lowercase, with `_` for each character other than an ASCII letter or
    /// digit. A model may mean the same tool by two names with equal loose forms (RULES N3).
    ///
    /// ```
    /// use windlass_protocol::ToolName;
    /// assert_eq!(ToolName::loose_form("Read-File"), "read_file");
    /// ```
    pub fn loose_form(name: &str) -> String {
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
    }

    /// Returns the text of the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for ToolName {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        Self::new(text)
    }
}

impl From<ToolName> for String {
    fn from(name: ToolName) -> Self {
        name.0
    }
}
