//! What a client tells about its work, besides the chunks of an answer.

use std::sync::Arc;
use std::time::Duration;

use windlass_schema::Loss;

use crate::{Fact, RateLimits};

/// What a client tells about its work while it goes on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ClientEvent {
    /// A request was refused for now, and is sent again after the wait.
    Retry {
        /// How many requests were sent so far.
        attempts: usize,
        /// How long it waits.
        wait: Duration,
        /// What the refusal said.
        message: String,
    },
    /// Nothing is left of what the provider allows: the request waits until there is.
    Wait {
        /// How long it waits.
        wait: Duration,
    },
    /// A refusal named a parameter; the request is said without it, or with another in its place.
    Learned(Fact),
    /// The vendor's dialect of JSON Schema cannot say all of a tool's schema. Arguments are checked against the whole.
    SchemaLoss {
        /// The tool.
        tool: String,
        /// What is lost.
        losses: Vec<Loss>,
    },
    /// An answer began.
    Answer(AnswerInfo),
}

/// What is known of an answer when it begins.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AnswerInfo {
    /// The provider's name.
    pub provider: String,
    /// The model that was asked for.
    pub model: String,
    /// The status.
    pub status: u16,
    /// The provider's id of the request, for its support.
    pub request_id: Option<String>,
    /// How many requests it took.
    pub attempts: usize,
    /// How much is left, where the provider says it.
    pub rate_limits: Option<RateLimits>,
}

/// Who is told. It is called between other work and must not wait.
pub(crate) type Observer = Arc<dyn Fn(&ClientEvent) + Send + Sync>;
