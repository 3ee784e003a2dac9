//! Results of calls.

mod error_text;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{CallId, Image, Opaque};

pub use self::error_text::ErrorText;

/// The outcome of a call. A closed vocabulary (RULES P6) that journals, events and wire formats share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a closed vocabulary, by rule P6")]
pub enum ResultStatus {
    /// The tool succeeded.
    Ok,
    /// The tool failed.
    Error,
    /// Policy or a human denied the call.
    Denied,
    /// The call was not started.
    NotStarted,
    /// The call was cancelled.
    Cancelled,
    /// The process ended while the call was running; its effects are unknown.
    EffectsUnknown,
    /// The call or its approval timed out.
    TimedOut,
    /// The stream ended inside the arguments.
    TruncatedArguments,
    /// The tool does not accept the arguments.
    InvalidArguments,
    /// No tool has this name.
    UnknownTool,
}

impl ResultStatus {
    /// Returns the name in journals and in texts for the model.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Denied => "denied",
            Self::NotStarted => "not_started",
            Self::Cancelled => "cancelled",
            Self::EffectsUnknown => "effects_unknown",
            Self::TimedOut => "timed_out",
            Self::TruncatedArguments => "truncated_arguments",
            Self::InvalidArguments => "invalid_arguments",
            Self::UnknownTool => "unknown_tool",
        }
    }

    /// Parses the text of a result as [`ToolResult::wire_text`] writes it. Returns the status of its prefix,
    /// or `Ok` without a prefix, and the remaining text.
    ///
    /// ```
    /// use windlass_protocol::ResultStatus;
    /// assert_eq!(ResultStatus::parse_prefix("[denied] not here"), (ResultStatus::Denied, "not here"));
    /// assert_eq!(ResultStatus::parse_prefix("[1] a footnote"), (ResultStatus::Ok, "[1] a footnote"));
    /// ```
    pub fn parse_prefix(text: &str) -> (Self, &str) {
        const NAMED: [ResultStatus; 9] = [
            ResultStatus::Error,
            ResultStatus::Denied,
            ResultStatus::NotStarted,
            ResultStatus::Cancelled,
            ResultStatus::EffectsUnknown,
            ResultStatus::TimedOut,
            ResultStatus::TruncatedArguments,
            ResultStatus::InvalidArguments,
            ResultStatus::UnknownTool,
        ];
        let named = text.strip_prefix('[').and_then(|text| text.split_once("] "));
        let known = named
            .and_then(|(word, rest)| Some((*NAMED.iter().find(|status| status.as_str() == word)?, rest)));
        known.unwrap_or((Self::Ok, text))
    }

    /// Returns whether the call succeeded.
    pub fn is_ok(self) -> bool {
        self == Self::Ok
    }
}

/// One part of a result's content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Content {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// A picture.
    Image(Image),
    /// A document with a URI.
    Resource {
        /// The URI.
        uri: String,
        /// The media type, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        media_type: Option<String>,
        /// The text of the document.
        text: String,
    },
    /// A structured value; a model receives its JSON text.
    Structured {
        /// The value.
        value: Value,
    },
}

impl Content {
    /// Creates a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// The result of a call. Each call has exactly one.
///
/// ```
/// use windlass_protocol::{CallId, ResultStatus, ToolResult};
/// let result = ToolResult::text(CallId::new("call_1")?, ResultStatus::Denied, "not outside the workspace");
/// assert_eq!(result.wire_text(), "[denied] not outside the workspace");
/// # Ok::<(), windlass_protocol::IdError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolResult {
    /// The id of the call.
    pub call: CallId,
    /// The outcome of the call.
    pub status: ResultStatus,
    /// The content, for the model and for people.
    pub content: Vec<Content>,
    /// The next step that the program suggests to the model. It follows the content in the text for the model, and
    /// interfaces do not display it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// Properties of the content for display and policy; they are not sent to the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<ResultFlag>,
    /// Fields of the provider that are sent back with the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

/// A property of a result's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ResultFlag {
    /// The text contains invisible characters: zero-width, bidirectional control or tag characters.
    InvisibleChars,
    /// A third party wrote the content: it arrived over a connection or from another program's tool.
    External,
}

impl ToolResult {
    /// Creates a result with any content.
    pub fn new(call: CallId, status: ResultStatus, content: Vec<Content>) -> Self {
        Self { call, status, content, advice: None, flags: Vec::new(), opaque: None }
    }

    /// Sets the provider's fields.
    pub fn with_opaque(mut self, opaque: Option<Opaque>) -> Self {
        self.opaque = opaque;
        self
    }

    /// Sets the next step that only the model receives.
    ///
    /// ```
    /// use windlass_protocol::{CallId, ResultStatus, ToolResult};
    /// let result = ToolResult::text(CallId::new("call_1")?, ResultStatus::Denied, "It is not allowed.")
    ///     .with_advice("Continue without it.".to_owned());
    /// assert_eq!(result.wire_text(), "[denied] It is not allowed.\nContinue without it.");
    /// assert_eq!(result.display_text(), "[denied] It is not allowed.");
    /// # Ok::<(), windlass_protocol::IdError>(())
    /// ```
    pub fn with_advice(mut self, advice: impl Into<Option<String>>) -> Self {
        self.advice = advice.into();
        self
    }

    /// Sets the flags.
    pub fn with_flags(mut self, flags: Vec<ResultFlag>) -> Self {
        self.flags = flags;
        self
    }

    /// Creates a result with one text.
    pub fn text(call: CallId, status: ResultStatus, text: impl Into<String>) -> Self {
        Self::new(call, status, vec![Content::text(text)])
    }

    /// Returns the text of the result for a provider: the content and the advice. It is never empty, and a status
    /// other than ok is its prefix (RULES P6). Pictures are not included; a wire format sends them separately.
    pub fn wire_text(&self) -> String {
        let mut text = self.display_text();
        if let Some(advice) = &self.advice {
            text.push('\n');
            text.push_str(advice);
        }
        text
    }

    /// Returns the text of the result for a person: like [`wire_text`](Self::wire_text), without the advice.
    pub fn display_text(&self) -> String {
        let mut text = String::new();
        if !self.status.is_ok() {
            text.push('[');
            text.push_str(self.status.as_str());
            text.push_str("] ");
        }
        let prefix = text.len();
        for piece in &self.content {
            if text.len() > prefix && !matches!(piece, Content::Image(_)) {
                text.push('\n');
            }
            match piece {
                Content::Text { text: words } => text.push_str(words),
                Content::Resource { uri, text: words, .. } => {
                    text.push_str(uri);
                    text.push('\n');
                    text.push_str(words);
                }
                Content::Structured { value } => text.push_str(&value.to_string()),
                Content::Image(_) => {}
            }
        }
        if text.len() == prefix {
            let empty = if self.images().next().is_some() { "(see the image)" } else { "(no output)" };
            text.push_str(empty);
        }
        text
    }

    /// Iterates over the pictures of the result, in order.
    pub fn images(&self) -> impl Iterator<Item = &Image> {
        self.content.iter().filter_map(|piece| match piece {
            Content::Image(image) => Some(image),
            Content::Text { .. } | Content::Resource { .. } | Content::Structured { .. } => None,
        })
    }
}
