//! The name of a tool.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A tool's name: one or more printable characters, looked up whole and never split.
///
/// What a provider allows in a name is stricter; the wire formats map names at their edge.
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

/// Why a text is no tool name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// The text has no characters.
    #[error("a tool name is empty")]
    Empty,
    /// The text is longer than 256 bytes.
    #[error("a tool name has {len} bytes, at most 256 are taken")]
    TooLong {
        /// How many bytes the text has.
        len: usize,
    },
    /// The text has a control character.
    #[error("a tool name has a control character at byte {at}")]
    Control {
        /// Where the first one stands.
        at: usize,
    },
}

impl ToolName {
    /// The longest name in bytes.
    pub const MAX_BYTES: usize = 256;

    /// Takes a name as it was registered or as a model wrote it.
    ///
    /// # Errors
    /// If the text is empty, too long, or has a control character.
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

    /// Returns what is left of a name if case, dashes and odd characters are not looked at: two names with the same form may
    /// be meant as one (RULES N3).
    ///
    /// ```
    /// use windlass_protocol::ToolName;
    /// assert_eq!(ToolName::loose_form("Read-File"), "read_file");
    /// ```
    pub fn loose_form(name: &str) -> String {
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
    }

    /// The name's text.
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
