//! The id that links a call to its result.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The id of a call, unique in its conversation. Cheap to clone.
///
/// An id of a provider is stored unchanged. A wire format with stricter rules maps ids when it encodes and
/// stores the original here.
///
/// ```
/// use windlass_protocol::CallId;
/// let id = CallId::new("toolu_01A")?;
/// assert_eq!(id.as_str(), "toolu_01A");
/// assert!(CallId::new("").is_err());
/// # Ok::<(), windlass_protocol::IdError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CallId(Arc<str>);

/// Error of creating a call id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdError {
    /// The text is empty.
    Empty,
    /// The text is longer than the ids of any provider.
    TooLong {
        /// The length in bytes.
        len: usize,
    },
}

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("a call id is empty"),
            Self::TooLong { len } => write!(f, "a call id has {len} bytes, at most 1024 are allowed"),
        }
    }
}

impl Error for IdError {}

impl CallId {
    /// Creates an id from a provider's text, unchanged.
    ///
    /// # Errors
    /// Returns an error if the text is empty or longer than 1024 bytes.
    pub fn new(text: impl Into<String>) -> Result<Self, IdError> {
        let text = text.into();
        match text.len() {
            0 => Err(IdError::Empty),
            1..=1024 => Ok(Self(text.into())),
            len => Err(IdError::TooLong { len }),
        }
    }

    /// Creates the id of a call that arrived without one. It is unique if the pair of `turn` and `position`
    /// is unique.
    pub fn synthesize(turn: u64, position: usize) -> Self {
        Self(format!("call_{turn}_{position}").into())
    }

    /// Returns the text of the id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for CallId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        Self::new(text)
    }
}

impl From<CallId> for String {
    fn from(id: CallId) -> Self {
        id.0.as_ref().to_owned()
    }
}
