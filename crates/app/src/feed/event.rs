//! The events of the feed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::FeedKind;

/// Version of the feed's schema. Later versions add kinds and optional fields; a change that an existing reader
/// could misread increases it.
pub const FEED_VERSION: u32 = 1;

/// Event of a session, as every front end reads it.
///
/// The feed of a session has numbered events and deltas. Numbered events ([`FeedKind::is_numbered`]) have the numbers
/// 1, 2, 3 and so on, which stay the same after a restart and in every process. A delta shows work that is not
/// recorded yet; it has the number of the last numbered event before it, so a reader that passes the number of any
/// event that it received receives every numbered event after it.
///
/// ```
/// use windlass_app::feed::{FeedEvent, FeedKind};
///
/// let line = r#"{"seq":7,"session":"s-1","run":"r-1","at_ms":0,"kind":"text","turn":1,"text":"Hello"}"#;
/// let event: FeedEvent = serde_json::from_str(line)?;
/// assert!(matches!(&event.kind, FeedKind::Text { text, .. } if text == "Hello"));
/// assert_eq!(serde_json::to_string(&event)?, line);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct FeedEvent {
    /// Number in the session, from 1 without gaps. A delta has the number of the last numbered event before it.
    pub seq: u64,
    /// Id of the session.
    pub session: String,
    /// Id of the run.
    pub run: String,
    /// Time in milliseconds since 1970.
    pub at_ms: u64,
    /// The sub-agent that the event is about; missing for the run itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentPath>,
    /// The event itself.
    #[serde(flatten)]
    pub kind: FeedKind,
}

/// The place of a sub-agent in the tree of a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct AgentPath {
    /// Id of the call of the root that started the first agent of the path.
    pub call: String,
    /// Names of the agents from the root's child down to the agent itself.
    pub names: Vec<String>,
}

impl AgentPath {
    /// Creates a path from the id of the root's call and the names of the agents.
    pub fn new(call: impl Into<String>, names: Vec<String>) -> Self {
        Self { call: call.into(), names }
    }
}

/// First line of the feed as `windlass run --json` prints it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct FeedHeader {
    /// Version of the schema.
    pub feed: u32,
    /// Id of the session.
    pub session: String,
    /// Id of the run.
    pub run: String,
}

impl FeedHeader {
    /// Creates the header of a feed.
    pub fn new(session: impl Into<String>, run: impl Into<String>) -> Self {
        Self { feed: FEED_VERSION, session: session.into(), run: run.into() }
    }
}
