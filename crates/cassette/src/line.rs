//! Line format of a cassette.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_hitl::{ApprovalDecision, Digest};
use windlass_protocol::{CallId, Containment, Content, ResultStatus, Target};

/// Prefix of the source of definitions that are the base URL of a vendor.
pub(crate) const BASE_URL: &str = "base-url/";

/// One line of a cassette, in chronological order. Exchanges can overlap, so each of their lines carries the
/// number of its exchange.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
pub(crate) enum Line {
    /// First line of the file.
    Begin {
        /// Version of the line format.
        version: u32,
        /// Settings of the recorded run, in a format that the recording program chooses.
        settings: Value,
    },
    /// The tools that programs outside of the recording one define. The first line of a source is written before the
    /// first request. A further one is written when the definitions changed, before the request that follows the
    /// change.
    Definitions {
        /// The kind of these programs, such as `mcp`.
        source: String,
        /// The definitions, in a format that the recording program chooses.
        definitions: Value,
    },
    /// A request was sent.
    Request {
        /// Number of the exchange, from 0.
        exchange: u64,
        /// HTTP method: `GET` or `POST`.
        method: String,
        /// URL of the request.
        url: String,
        /// Headers, without those that carry a key.
        headers: Vec<(String, String)>,
        /// Body of the request.
        body: Body,
    },
    /// The status and headers of a response arrived.
    Response {
        /// Number of the exchange.
        exchange: u64,
        /// HTTP status.
        status: u16,
        /// Headers of the response.
        headers: Vec<(String, String)>,
    },
    /// A part of a response body arrived.
    Bytes {
        /// Number of the exchange.
        exchange: u64,
        /// The bytes.
        body: Body,
    },
    /// The exchange ended.
    End {
        /// Number of the exchange.
        exchange: u64,
        /// Failure that ended the exchange, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<Failure>,
    },
    /// A tool inspected the targets of a call. The planned changes are not recorded: they follow from the
    /// call.
    Inspection {
        /// Name of the tool.
        tool: String,
        /// Text of the call's payload.
        input: String,
        /// Targets of the call's paths.
        targets: Vec<Target>,
        /// Confinement of the call's processes.
        containment: Option<Containment>,
    },
    /// A tool ran.
    Call {
        /// Names of the agents from the root to the caller; absent in recordings of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agents: Option<Vec<String>>,
        /// Id of the call.
        call: CallId,
        /// Name of the tool.
        tool: String,
        /// Text of the call's payload.
        input: String,
        /// Outcome of the call.
        outcome: Outcome,
    },
    /// The approver was asked to decide on a call.
    Approval {
        /// Id of the call.
        call: CallId,
        /// Content of the request; absent in recordings of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<AskedApproval>,
        /// Decision; `None` if no approver answered.
        decision: Option<ApprovalDecision>,
    },
    /// The human was asked a question.
    Question {
        /// Text of the question.
        question: String,
        /// Answer; `None` if the human gave none.
        answer: Option<String>,
    },
}

/// Content of an approval request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AskedApproval {
    /// Names of the agents from the root to the caller.
    pub(crate) agents: Vec<String>,
    /// Name of the tool.
    pub(crate) tool: String,
    /// Text of the call's payload.
    pub(crate) input: String,
    /// Digest that the decision is bound to (RULES H4).
    pub(crate) digest: Digest,
}

/// Bytes in the most readable form that preserves them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Body {
    /// Parsed JSON.
    Json(Value),
    /// UTF-8 text.
    Text(String),
    /// Base64 of any other bytes.
    Base64(String),
}

/// Failure of an exchange.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failure {
    /// Name of the [`windlass_client::TransportErrorKind`] variant.
    pub(crate) kind: String,
    /// Message of the failure.
    pub(crate) message: String,
}

/// Outcome of a tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// The call returned a result.
    Output {
        /// Status of the result.
        status: ResultStatus,
        /// Content of the result for the model.
        content: Vec<Content>,
        /// The next step for the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        advice: Option<String>,
    },
    /// The call failed with an error message for the model, without advice.
    Error(String),
    /// The call failed with an error message and advice for the model.
    AdvisedError {
        /// Description of the problem.
        problem: String,
        /// The next step for the model.
        advice: String,
    },
    /// The call failed with an error that ends the run.
    Fatal(String),
}

impl Line {
    /// Version of the line format that this program writes. Version 2 added [`Line::Definitions`], and its
    /// approvals have digests of another version.
    pub(crate) const VERSION: u32 = 2;

    /// First version whose approvals have digests that this program computes.
    pub(crate) const DIGEST_VERSION: u32 = 2;
}

impl Body {
    /// Converts a complete body. JSON is kept as a value, so that a difference can be named by its path.
    pub(crate) fn whole(bytes: &[u8]) -> Self {
        match serde_json::from_slice(bytes) {
            Ok(value) => Self::Json(value),
            Err(_) => Self::piece(bytes),
        }
    }

    /// Converts a part of a body, so that replay returns exactly the same bytes.
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
