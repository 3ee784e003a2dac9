//! What a scanner has to know before the first text.

use windlass_protocol::{ToolName, ToolSpec};

use crate::{Dialect, Limits};

/// Which tools a text can call (RULES X1).
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a list or no list, there is no third")]
pub enum Offer {
    /// These, and everything else is text. An empty list makes everything text.
    Only(Vec<ToolSpec>),
    /// Whatever name is written in the form of a call. For looking at recordings whose tools are not known.
    Any,
}

/// What becomes of thoughts that are written between tags, as `<think>` and `</think>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reasoning {
    /// They stay text, tags and all.
    #[default]
    Keep,
    /// They become reasoning chunks, and the tags are gone.
    Split,
    /// As `Split`, and the prompt has opened the first thoughts already, so the text begins inside of them.
    SplitOpened,
}

/// What a call inside of thoughts is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallsInReasoning {
    /// Part of the thoughts: a model that thinks about a call does not make it.
    #[default]
    Inert,
    /// A call, and the thoughts are over. For models that leave out the closing tag before a call.
    EndReasoning,
}

/// What a scanner has to know before the first text.
///
/// ```
/// use windlass_text_calls::{Dialect, Options, Reasoning};
/// let options = Options::default().with_dialect(Dialect::Hermes).with_reasoning(Reasoning::Split);
/// assert_eq!(options.id_prefix, "text");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The form in which the model writes calls.
    pub dialect: Dialect,
    /// The tools that can be called. None by default, so that everything is text.
    pub tools: Offer,
    /// What becomes of thoughts.
    pub reasoning: Reasoning,
    /// What a call inside of thoughts is.
    pub calls_in_reasoning: CallsInReasoning,
    /// What the ids of calls begin with. One prefix a message makes them unique in the conversation, and the
    /// same text gives the same ids again (RULES X4).
    pub id_prefix: String,
    /// How much is held and counted.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            dialect: Dialect::Auto,
            tools: Offer::Only(Vec::new()),
            reasoning: Reasoning::Keep,
            calls_in_reasoning: CallsInReasoning::Inert,
            id_prefix: "text".to_owned(),
            limits: Limits::default(),
        }
    }
}

impl Options {
    /// The same options for another dialect.
    pub fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// The same options with these tools on offer.
    pub fn with_tools(mut self, tools: impl IntoIterator<Item = ToolSpec>) -> Self {
        self.tools = Offer::Only(tools.into_iter().collect());
        self
    }

    /// The same options with tools of these names on offer, of whose parameters nothing is known.
    pub fn with_names(self, names: impl IntoIterator<Item = ToolName>) -> Self {
        self.with_tools(
            names.into_iter().map(|name| ToolSpec::function(name, "", windlass_protocol::RawJson::default())),
        )
    }

    /// The same options with any name taken as offered.
    pub fn with_any_tool(mut self) -> Self {
        self.tools = Offer::Any;
        self
    }

    /// The same options with other handling of thoughts.
    pub fn with_reasoning(mut self, reasoning: Reasoning) -> Self {
        self.reasoning = reasoning;
        self
    }

    /// The same options with other handling of calls inside of thoughts.
    pub fn with_calls_in_reasoning(mut self, calls: CallsInReasoning) -> Self {
        self.calls_in_reasoning = calls;
        self
    }

    /// The same options with another beginning of ids.
    pub fn with_id_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.id_prefix = prefix.into();
        self
    }

    /// The same options with other limits.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}
