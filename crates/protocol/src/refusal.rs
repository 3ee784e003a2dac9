//! Rules of providers that a request violates, found before it is sent.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One reason for which a provider would reject a request.
///
/// ```
/// use windlass_protocol::{Refusal, RefusalKind};
/// let refusal = Refusal::new(RefusalKind::Empty, "messages[2]", "the message has no words");
/// assert_eq!(refusal.to_string(), "messages[2]: the message has no words");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Refusal {
    /// The kind of the violated rule.
    pub kind: RefusalKind,
    /// The place in the request: `messages[2].parts[0]`, `tools[1].name`.
    pub place: String,
    /// A description of the problem and of the accepted form.
    pub what: String,
}

/// The kind of a violated rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RefusalKind {
    /// A call without its one result, or a result without its call (RULES R1).
    Pairing,
    /// Messages or parts in an order that the provider rejects.
    Order,
    /// The name of a tool.
    Name,
    /// The id of a call.
    Id,
    /// Empty content.
    Empty,
    /// A schema outside of the provider's dialect.
    Schema,
    /// Prompt-cache markers.
    Cache,
    /// The value of a parameter, or two parameters that exclude each other.
    Parameter,
    /// A feature that this wire format cannot express.
    Unsupported,
    /// A picture that the model does not take.
    Image,
    /// A file that the model does not take.
    File,
}

impl Refusal {
    /// Creates a reason.
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
