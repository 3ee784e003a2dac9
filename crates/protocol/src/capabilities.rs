//! Abilities of models, and the protocol for tool calls.

use serde::{Deserialize, Serialize};

/// The protocol for calls and results between windlass and a model. It is chosen once per run (RULES P5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "the three ways there are to make a model call a tool")]
pub enum ToolProtocol {
    /// The provider's native tool calls.
    #[default]
    Native,
    /// Calls as JSON in a constrained answer.
    Structured,
    /// Calls embedded in the answer's text.
    Text,
}

/// The support of a model for an ability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "yes, no and unknown are all there is")]
pub enum Support {
    /// The model supports it.
    Yes,
    /// The model does not support it, or its provider rejects the parameter.
    No,
    /// Not known; a request may try it.
    #[default]
    Unknown,
}

/// The known abilities of a model.
///
/// ```
/// use windlass_protocol::{Capabilities, Support};
/// let known = Capabilities { parallel_calls: Support::No, ..Capabilities::default() };
/// assert_eq!(known.native_tools, Support::Unknown);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..Capabilities::default()`")]
pub struct Capabilities {
    /// The provider's native tool calls.
    pub native_tools: Support,
    /// Several calls in one answer.
    pub parallel_calls: Support,
    /// A tool choice that forces a call.
    pub forced_tool_choice: Support,
    /// Images in user messages.
    pub images: Support,
    /// PDF documents in user messages.
    pub documents: Support,
    /// Recordings in user messages.
    pub audio: Support,
    /// Answers constrained to a JSON Schema.
    pub structured_output: Support,
    /// Answers constrained to valid JSON of any form.
    pub json_output: Support,
}

impl ToolProtocol {
    /// Returns the protocols that a model with these abilities may support, the best first: native tool
    /// calls, constrained answers, text (RULES P5). An ability that is not known may be tried.
    ///
    /// ```
    /// use windlass_protocol::{Capabilities, Support, ToolProtocol};
    /// let small = Capabilities { native_tools: Support::No, structured_output: Support::Yes, ..Capabilities::default() };
    /// assert_eq!(ToolProtocol::in_order(small), [ToolProtocol::Structured, ToolProtocol::Text]);
    /// ```
    pub fn in_order(capabilities: Capabilities) -> Vec<Self> {
        let is_constrained =
            capabilities.structured_output != Support::No || capabilities.json_output != Support::No;
        let mut order = Vec::with_capacity(3);
        order.extend((capabilities.native_tools != Support::No).then_some(Self::Native));
        order.extend(is_constrained.then_some(Self::Structured));
        order.push(Self::Text);
        order
    }

    /// Returns the name in journals and on command lines.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Structured => "structured",
            Self::Text => "text",
        }
    }
}
