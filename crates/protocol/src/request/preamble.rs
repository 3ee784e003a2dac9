//! The system prompt and tools of earlier requests of a conversation.

use serde::{Deserialize, Serialize};

use crate::ToolSpec;

/// The system prompt and the tools of the earlier requests of a conversation, until they changed.
///
/// Both precede the conversation in the prefix that a provider caches. A format that can change tools inside a
/// conversation sends the first system prompt and tools, followed by the changes, so that the prefix stays the same. Other
/// formats send those of the request.
///
/// ```
/// use windlass_protocol::{EarlierPreamble, Message, Request};
/// let mut request = Request::new("claude-opus-5", vec![Message::user("hello")]);
/// request.earlier_preambles.push(EarlierPreamble::new(1, Some("Only read.".to_owned()), Vec::new()));
/// assert_eq!(request.all_tools().count(), 0);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EarlierPreamble {
    /// The number of messages that the conversation had when the change took effect.
    pub messages: usize,
    /// The system prompt before the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The offered tools before the change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
}

impl EarlierPreamble {
    /// Creates a preamble that changed when the conversation had this number of messages.
    pub fn new(messages: usize, system: Option<String>, tools: Vec<ToolSpec>) -> Self {
        Self { messages, system, tools }
    }
}
