//! The id that ties a call to its result.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The id of one call, unique in its conversation.
///
/// An id from a provider is kept as it came. A wire format that demands another form maps at its own edge
/// and stores the original here.
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
pub struct CallId(String);

/// Why a text is no call id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdError {
    /// The text has no characters.
    #[error("a call id is empty")]
    Empty,
    /// The text is longer than any provider's ids, so it is no id.
    #[error("a call id has {len} bytes, at most 1024 are taken")]
    TooLong {
        /// How many bytes the text has.
        len: usize,
    },
}

impl CallId {
    /// Takes a provider's id as it came.
    ///
    /// # Errors
    /// If the text is empty or longer than 1024 bytes.
    pub fn new(text: impl Into<String>) -> Result<Self, IdError> {
        let text = text.into();
        match text.len() {
            0 => Err(IdError::Empty),
            1..=1024 => Ok(Self(text)),
            len => Err(IdError::TooLong { len }),
        }
    }

    /// Makes the id of a call that came without one: unique as long as `turn` and `position` are.
    pub fn synthesized(turn: u64, position: usize) -> Self {
        Self(format!("call_{turn}_{position}"))
    }

    /// The id's text.
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
        id.0
    }
}
