//! What a model can do, and how calls reach it.

use serde::{Deserialize, Serialize};

/// How calls and results travel between windlass and a model. Chosen once for a run (RULES P5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "the three ways there are to make a model call a tool")]
pub enum ToolProtocol {
    /// The provider's own tool calls.
    #[default]
    Native,
    /// Calls as JSON in a constrained answer.
    Structured,
    /// Calls written into the text.
    Text,
}

/// Whether a model has an ability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "yes, no and unknown are all there is")]
pub enum Support {
    /// It has it.
    Yes,
    /// It does not, or its provider refuses the parameter.
    No,
    /// Nobody has said; a request may try.
    #[default]
    Unknown,
}

/// What a model can do, as far as is known.
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
    /// Tool calls of the provider's own kind.
    pub native_tools: Support,
    /// Several calls in one answer.
    pub parallel_calls: Support,
    /// A tool choice that forces a call.
    pub forced_tool_choice: Support,
    /// Images in user messages.
    pub images: Support,
    /// Answers held to a JSON schema.
    pub structured_output: Support,
    /// Answers held to JSON of any form.
    pub json_output: Support,
}

impl ToolProtocol {
    /// The ways to make a model with these abilities call a tool, the best first: its own tool calls, then a
    /// constrained answer, then text (RULES P5). What nobody has said may be tried.
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

    /// The word in journals and on command lines.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Structured => "structured",
            Self::Text => "text",
        }
    }
}
