//! What a provider would refuse, said before it is asked.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One reason for which a provider would refuse a request.
///
/// ```
/// use windlass_protocol::{Refusal, RefusalKind};
/// let refusal = Refusal::new(RefusalKind::Empty, "messages[2]", "the message has no words");
/// assert_eq!(refusal.to_string(), "messages[2]: the message has no words");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Refusal {
    /// What kind of rule is broken.
    pub kind: RefusalKind,
    /// Where, in the words of the request: `messages[2].parts[0]`, `tools[1].name`.
    pub place: String,
    /// What is wrong, and what the provider takes instead.
    pub what: String,
}

/// What kind of rule is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RefusalKind {
    /// A call without its one result, or a result without its call (RULES R1).
    Pairing,
    /// Messages or parts in an order that is not taken.
    Order,
    /// A tool's name.
    Name,
    /// A call's id.
    Id,
    /// Content that is empty.
    Empty,
    /// A schema that is not of the provider's dialect.
    Schema,
    /// Prompt-cache markers.
    Cache,
    /// A parameter's value, or two that do not go together.
    Parameter,
    /// Something that this format cannot carry.
    Unsupported,
}

impl Refusal {
    /// A reason for a refusal.
    pub fn new(kind: RefusalKind, place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { kind, place: place.into(), what: what.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.is_empty() {
            return f.write_str(&self.what);
        }
        write!(f, "{}: {}", self.place, self.what)
    }
}
