//! A result: what comes back to the model.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{CallId, Image, Opaque};

/// How a call ended. A closed vocabulary (RULES P6), the same in journals, events and on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a closed vocabulary, by rule P6")]
pub enum ResultStatus {
    /// The tool did what was asked.
    Ok,
    /// The tool tried and could not.
    Error,
    /// Policy or a human said no.
    Denied,
    /// The call never began.
    NotStarted,
    /// The call was stopped.
    Cancelled,
    /// The call was running when the process ended; what it did is not known.
    EffectsUnknown,
    /// The call, or the question whether it may run, took too long.
    TimedOut,
    /// The stream ended inside the arguments.
    TruncatedArguments,
    /// The arguments are not what the tool takes.
    InvalidArguments,
    /// There is no tool of this name.
    UnknownTool,
}

impl ResultStatus {
    /// The word in journals and in texts for the model.
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

    /// Reads the words of a result as [`ToolResult::wire_text`] writes them: the status that they name first, or ok,
    /// and the rest.
    ///
    /// ```
    /// use windlass_protocol::ResultStatus;
    /// assert_eq!(ResultStatus::named_in("[denied] not here"), (ResultStatus::Denied, "not here"));
    /// assert_eq!(ResultStatus::named_in("[1] a footnote"), (ResultStatus::Ok, "[1] a footnote"));
    /// ```
    pub fn named_in(text: &str) -> (Self, &str) {
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

    /// Whether the call did what was asked.
    pub fn is_ok(self) -> bool {
        self == Self::Ok
    }
}

/// One piece of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Content {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// A picture.
    Image(Image),
    /// A document with an address.
    Resource {
        /// The address.
        uri: String,
        /// Its media type, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        media_type: Option<String>,
        /// Its words.
        text: String,
    },
    /// A value for programs; a model gets its JSON.
    Structured {
        /// The value.
        value: Value,
    },
}

impl Content {
    /// A piece of words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// The one result of a call.
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
    /// The call that this answers.
    pub call: CallId,
    /// How the call ended.
    pub status: ResultStatus,
    /// What the model is told.
    pub content: Vec<Content>,
    /// What is to be known about the content by whoever shows or judges it; a model is not told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<ResultFlag>,
    /// Fields of the provider that travel with the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

/// Something to know about a result's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ResultFlag {
    /// Its text has characters that cannot be seen: of no width, of the other direction, tags.
    InvisibleChars,
    /// Strangers wrote it: it came over a connection or from another program's tool.
    External,
}

impl ToolResult {
    /// A result of any content.
    pub fn new(call: CallId, status: ResultStatus, content: Vec<Content>) -> Self {
        Self { call, status, content, flags: Vec::new(), opaque: None }
    }

    /// The same result with the provider's own fields.
    pub fn with_opaque(mut self, opaque: Option<Opaque>) -> Self {
        self.opaque = opaque;
        self
    }

    /// The same result with what is to be known about it.
    pub fn with_flags(mut self, flags: Vec<ResultFlag>) -> Self {
        self.flags = flags;
        self
    }

    /// A result of words.
    pub fn text(call: CallId, status: ResultStatus, text: impl Into<String>) -> Self {
        Self::new(call, status, vec![Content::text(text)])
    }

    /// The words of the result as a provider gets them: never empty, and a status other than ok is named
    /// first (RULES P6). Pictures are not words; a wire format sends them beside this text.
    pub fn wire_text(&self) -> String {
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

    /// The pictures of the result, in order.
    pub fn images(&self) -> impl Iterator<Item = &Image> {
        self.content.iter().filter_map(|piece| match piece {
            Content::Image(image) => Some(image),
            Content::Text { .. } | Content::Resource { .. } | Content::Structured { .. } => None,
        })
    }
}
