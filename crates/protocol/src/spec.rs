//! Specs of the tools that a model is offered.

use serde::{Deserialize, Serialize};

use crate::{RawJson, ToolName};

/// The definition of a tool for a model.
///
/// ```
/// use windlass_protocol::{ToolName, ToolSpec};
/// let spec = ToolSpec::function(
///     ToolName::new("read_file")?,
///     "Reads a file.",
///     r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#.parse()?,
/// );
/// assert_eq!(spec.name().as_str(), "read_file");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolSpec {
    /// A function with JSON arguments.
    Function {
        /// The tool's name.
        name: ToolName,
        /// A description of the tool's purpose and use.
        description: String,
        /// The JSON Schema of the arguments, in the author's key order.
        parameters: RawJson,
        /// The enforcement of the schema by the provider.
        #[serde(default, skip_serializing_if = "Strictness::is_unsaid")]
        strict: Strictness,
        /// True if the provider sends the arguments as the model writes them, where it otherwise collects each value
        /// and checks it first.
        #[serde(default, skip_serializing_if = "is_false")]
        eager_arguments: bool,
        /// The JSON Schema of the results, whose texts are then JSON. Formats send it with functions that programs call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output_schema: Option<RawJson>,
    },
    /// A tool with free text as input.
    Freeform {
        /// The tool's name.
        name: ToolName,
        /// A description of the tool's purpose and use.
        description: String,
        /// A grammar that constrains the text, if the provider supports one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        grammar: Option<Grammar>,
    },
}

/// The enforcement of a schema: constrained decoding by the provider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "stated or left open; the set is closed")]
pub enum Strictness {
    /// The default of the wire format.
    #[default]
    Unsaid,
    /// Constrained. The schema must be in the provider's strict dialect.
    On,
    /// Not constrained.
    Off,
}

/// A grammar that constrains the text of a free-text tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "syntax", content = "text", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Grammar {
    /// A grammar in Lark syntax.
    Lark(String),
    /// A regular expression.
    Regex(String),
}

impl Grammar {
    /// Returns the text of the grammar.
    pub fn text(&self) -> &str {
        match self {
            Self::Lark(text) | Self::Regex(text) => text,
        }
    }
}

impl Strictness {
    /// Returns the strictness of the field `strict` of a wire format.
    ///
    /// ```
    /// use windlass_protocol::Strictness;
    /// assert_eq!(Strictness::from_flag(Some(true)).as_flag(), Some(true));
    /// assert_eq!(Strictness::from_flag(None), Strictness::Unsaid);
    /// ```
    pub fn from_flag(flag: Option<bool>) -> Self {
        match flag {
            None => Self::Unsaid,
            Some(true) => Self::On,
            Some(false) => Self::Off,
        }
    }

    /// Returns the value of the field `strict` of a wire format, or `None` to leave it out.
    pub fn as_flag(self) -> Option<bool> {
        match self {
            Self::Unsaid => None,
            Self::On => Some(true),
            Self::Off => Some(false),
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
    pub(crate) fn is_unsaid(&self) -> bool {
        *self == Self::Unsaid
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature of serde")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

impl ToolSpec {
    /// Creates a function with JSON arguments.
    pub fn function(name: ToolName, description: impl Into<String>, parameters: RawJson) -> Self {
        Self::Function {
            name,
            description: description.into(),
            parameters,
            strict: Strictness::Unsaid,
            eager_arguments: false,
            output_schema: None,
        }
    }

    /// Returns the tool's name.
    pub fn name(&self) -> &ToolName {
        match self {
            Self::Function { name, .. } | Self::Freeform { name, .. } => name,
        }
    }

    /// Returns the description of the tool's purpose and use.
    pub fn description(&self) -> &str {
        match self {
            Self::Function { description, .. } | Self::Freeform { description, .. } => description,
        }
    }

    /// Sets whether the provider enforces the schema of a function's arguments. Gemini enforces the schemas of all functions of
    /// a request as soon as one demands it.
    pub fn with_strict(mut self, strictness: Strictness) -> Self {
        if let Self::Function { strict, .. } = &mut self {
            *strict = strictness;
        }
        self
    }

    /// Asks the provider to send the arguments of a function as the model writes them, for a tool that shows them while
    /// they stream or that takes long texts. Anthropic otherwise collects each value; other providers ignore this. The
    /// arguments can then end as invalid JSON, which the assembler repairs or reports.
    pub fn with_eager_arguments(mut self) -> Self {
        if let Self::Function { eager_arguments, .. } = &mut self {
            *eager_arguments = true;
        }
        self
    }

    /// Sets the JSON Schema of a function's results, whose texts must then be JSON. OpenAI shows it to the programs that call
    /// the function ([`ProgrammaticCalling`](crate::ProgrammaticCalling)); a model that reads a result does not need it. Other
    /// providers ignore it. The results are not checked.
    ///
    /// ```
    /// use windlass_protocol::{ToolName, ToolSpec};
    /// let schema = |text: &str| text.parse();
    /// let spec = ToolSpec::function(ToolName::new("stock")?, "Counts a product.", schema(r#"{"type":"object"}"#)?)
    ///     .with_output_schema(schema(r#"{"type":"object","properties":{"units":{"type":"integer"}}}"#)?);
    /// # drop(spec);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_output_schema(mut self, schema: RawJson) -> Self {
        if let Self::Function { output_schema, .. } = &mut self {
            *output_schema = Some(schema);
        }
        self
    }

    /// Replaces the name, for example with an alias.
    pub fn with_name(mut self, to: ToolName) -> Self {
        match &mut self {
            Self::Function { name, .. } | Self::Freeform { name, .. } => *name = to,
        }
        self
    }
}

/// The obligation of the model to call a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "only the names that every provider has")]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// No calls, although tools are listed.
    None,
    /// At least one call of any tool.
    Required,
    /// A call of this tool.
    Named(ToolName),
}

impl ToolChoice {
    /// Returns true if the model must call a tool.
    pub fn demands_call(&self) -> bool {
        matches!(self, Self::Required | Self::Named(_))
    }
}

/// The permission for several calls in one answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "stated or left to the provider; the set is closed")]
pub enum ParallelCalls {
    /// The provider's default; the parameter is not sent.
    #[default]
    ProviderDefault,
    /// Several calls are allowed.
    Allow,
    /// At most one call.
    Forbid,
}
