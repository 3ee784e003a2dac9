//! Events about the work of a client, apart from the chunks of an answer.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use windlass_schema::Loss;
use windlass_vendors::ParameterRejection;

use crate::RateLimits;

/// An event about a request, for the callback of [`ClientBuilder::on_event`](crate::ClientBuilder::on_event).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ClientEvent {
    /// A request failed temporarily and is sent again after the wait.
    Retry {
        /// Number of requests sent so far.
        attempts: usize,
        /// Wait before the next request.
        wait: Duration,
        /// Message of the failure.
        message: String,
    },
    /// The rate limit is known to be used up: the request waits until its window resets.
    Wait {
        /// Length of the wait.
        wait: Duration,
    },
    /// A refusal named a parameter. The request is sent again with the remedy of this fact.
    Learned(ParameterRejection),
    /// The vendor's JSON Schema dialect cannot express all of a tool's schema. Arguments are still checked
    /// against the complete schema.
    SchemaLoss {
        /// Name of the tool or of the output schema.
        tool: String,
        /// Constraints that the dialect cannot express.
        losses: Vec<Loss>,
    },
    /// An answer started for a request without some of the caller's options, because the model is known to refuse them.
    /// Each such request has this event.
    OptionLoss {
        /// Name of the requested model.
        model: String,
        /// Paths of the options in the body, such as `temperature` or `generationConfig.topP`; `strict` and `grammar` are
        /// demands of tools.
        fields: BTreeSet<String>,
    },
    /// An answer started.
    Answer(AnswerInfo),
}

/// Metadata of an answer, known when it starts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AnswerInfo {
    /// Name of the provider.
    pub provider: String,
    /// Name of the requested model.
    pub model: String,
    /// HTTP status.
    pub status: u16,
    /// Request id that the provider assigned, for its support.
    pub request_id: Option<String>,
    /// Number of requests that were sent for this answer.
    pub attempts: usize,
    /// Rate limits from the response headers; `None` if the provider sent none.
    pub rate_limits: Option<RateLimits>,
}

/// Callback for events. It runs between other work and must not block.
pub(crate) type Observer = Arc<dyn Fn(&ClientEvent) + Send + Sync>;
