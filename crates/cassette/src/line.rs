//! The lines of a cassette.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_hitl::{ApprovalDecision, Digest};
use windlass_protocol::{CallId, Containment, Content, ResultStatus, Target};

/// One line of a cassette: JSON, in the order in which things happened. Lines of one exchange carry its number,
/// since several can be open at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
pub(crate) enum Line {
    /// The beginning.
    Begin {
        /// The version of this vocabulary.
        version: u32,
        /// What the run was started with, in the words of whoever recorded it.
        settings: Value,
    },
    /// A request went out.
    Request {
        /// The exchange's number, from 0.
        exchange: u64,
        /// `GET` or `POST`.
        method: String,
        /// The address.
        url: String,
        /// The headers but for keys.
        headers: Vec<(String, String)>,
        /// The body.
        body: Body,
    },
    /// Its answer began.
    Response {
        /// The exchange's number.
        exchange: u64,
        /// The status.
        status: u16,
        /// The headers.
        headers: Vec<(String, String)>,
    },
    /// More of the answer's bytes.
    Bytes {
        /// The exchange's number.
        exchange: u64,
        /// The bytes.
        body: Body,
    },
    /// The exchange is over.
    End {
        /// The exchange's number.
        exchange: u64,
        /// How it failed, if it did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<Failure>,
    },
    /// A tool looked at what a call would meet. What was to be changed is not kept: it is in the call.
    Inspection {
        /// The tool's name.
        tool: String,
        /// The payload's text.
        input: String,
        /// What its paths met.
        targets: Vec<Target>,
        /// How its processes would be confined.
        containment: Option<Containment>,
    },
    /// A tool ran.
    Call {
        /// The agents from the root down to the one that made the call; absent in recordings of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agents: Option<Vec<String>>,
        /// Which call.
        call: CallId,
        /// The tool's name.
        tool: String,
        /// The payload's text.
        input: String,
        /// What came of it.
        outcome: Outcome,
    },
    /// The human was asked whether a call may run.
    Approval {
        /// Which call.
        call: CallId,
        /// What was asked; absent in recordings of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<Asked>,
        /// The answer; none if nobody was there.
        decision: Option<ApprovalDecision>,
    },
    /// The human was asked a question.
    Question {
        /// The question.
        question: String,
        /// The answer; none if there was none.
        answer: Option<String>,
    },
}

/// What an approver was asked about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Asked {
    /// The agents from the root down to the one that made the call.
    pub(crate) agents: Vec<String>,
    /// The tool's name.
    pub(crate) tool: String,
    /// The payload's text.
    pub(crate) input: String,
    /// What the answer is bound to (RULES H4).
    pub(crate) digest: Digest,
}

/// Bytes, as the text or the JSON that they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Body {
    /// They are JSON.
    Json(Value),
    /// They are text.
    Text(String),
    /// They are neither.
    Base64(String),
}

/// How an exchange failed on the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failure {
    /// What went wrong, in the transport's word.
    pub(crate) kind: String,
    /// In which words.
    pub(crate) message: String,
}

/// What came of a tool's call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// It gave something back.
    Output {
        /// How it ended.
        status: ResultStatus,
        /// What the model was told.
        content: Vec<Content>,
    },
    /// It could not do what was asked, and told the model so.
    Error(String),
    /// It ended the run.
    Fatal(String),
}

impl Line {
    /// The version of this vocabulary that is written.
    pub(crate) const VERSION: u32 = 1;
}

impl Body {
    /// A body as it is sent: JSON is kept as a value, so that a difference can be named by its place.
    pub(crate) fn whole(bytes: &[u8]) -> Self {
        match serde_json::from_slice(bytes) {
            Ok(value) => Self::Json(value),
            Err(_) => Self::piece(bytes),
        }
    }

    /// A piece of a body, which comes back byte for byte.
    pub(crate) fn piece(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Base64(STANDARD.encode(bytes)),
        }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Json(value) => value.to_string().into_bytes(),
            Self::Text(text) => text.clone().into_bytes(),
            Self::Base64(text) => STANDARD.decode(text).unwrap_or_default(),
        }
    }
}
