//! The configuration of a scanner.

use windlass_protocol::{ToolName, ToolSpec};

use crate::{Dialect, TextCallLimits};

/// The tools that text can call (RULES X1).
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a list or no list; the set is closed")]
pub enum CallableTools {
    /// Only these tools; everything else is text. With an empty list everything is text.
    Only(Vec<ToolSpec>),
    /// Every name in the syntax of a call. Meant for analysing recordings whose tools are unknown.
    Any,
}

/// The handling of thoughts between tags such as `<think>` and `</think>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reasoning {
    /// Thoughts stay text, including their tags.
    #[default]
    Keep,
    /// Thoughts become reasoning chunks, and the tags are removed.
    Split,
    /// Like `Split`, but the prompt has already opened the first thoughts, so the text starts inside them.
    SplitOpened,
}

/// The handling of a call inside thoughts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallsInReasoning {
    /// The call stays part of the reasoning and is not executed, because a model also thinks about calls that it does
    /// not make.
    #[default]
    Inert,
    /// A call that ends the thoughts. For models that omit the closing tag before a call.
    EndReasoning,
}

/// The configuration of a [`Scanner`](crate::Scanner): the dialect, the offered tools, the handling of
/// thoughts, and limits. By default no tool is offered, so everything stays text.
///
/// ```
/// use windlass_text_calls::{Dialect, TextCallOptions, Reasoning};
/// let options = TextCallOptions::default().with_dialect(Dialect::Hermes).with_reasoning(Reasoning::Split);
/// assert_eq!(options.id_prefix, "text");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextCallOptions {
    /// The syntax in which the model writes calls.
    pub dialect: Dialect,
    /// The tools that can be called; none by default.
    pub tools: CallableTools,
    /// The handling of thoughts.
    pub reasoning: Reasoning,
    /// The handling of a call inside thoughts.
    pub calls_in_reasoning: CallsInReasoning,
    /// The prefix of call ids. A different prefix for each message makes ids unique in the conversation; the
    /// same text always gives the same ids (RULES X4).
    pub id_prefix: String,
    /// Limits on buffered text and on the number of calls.
    pub limits: TextCallLimits,
}

impl Default for TextCallOptions {
    fn default() -> Self {
        Self {
            dialect: Dialect::Auto,
            tools: CallableTools::Only(Vec::new()),
            reasoning: Reasoning::Keep,
            calls_in_reasoning: CallsInReasoning::Inert,
            id_prefix: "text".to_owned(),
            limits: TextCallLimits::default(),
        }
    }
}

impl TextCallOptions {
    /// Sets the dialect.
    pub fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Sets the offered tools.
    pub fn with_tools(mut self, tools: impl IntoIterator<Item = ToolSpec>) -> Self {
        self.tools = CallableTools::Only(tools.into_iter().collect());
        self
    }

    /// Sets the offered tools by name only, without parameter schemas.
    pub fn with_names(self, names: impl IntoIterator<Item = ToolName>) -> Self {
        self.with_tools(
            names.into_iter().map(|name| ToolSpec::function(name, "", windlass_protocol::RawJson::default())),
        )
    }

    /// Accepts every tool name.
    pub fn with_any_tool(mut self) -> Self {
        self.tools = CallableTools::Any;
        self
    }

    /// Sets the handling of thoughts.
    pub fn with_reasoning(mut self, reasoning: Reasoning) -> Self {
        self.reasoning = reasoning;
        self
    }

    /// Sets the handling of calls inside thoughts.
    pub fn with_calls_in_reasoning(mut self, calls: CallsInReasoning) -> Self {
        self.calls_in_reasoning = calls;
        self
    }

    /// Sets the prefix of call ids.
    pub fn with_id_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.id_prefix = prefix.into();
        self
    }

    /// Sets the limits.
    pub fn with_limits(mut self, limits: TextCallLimits) -> Self {
        self.limits = limits;
        self
    }
}
