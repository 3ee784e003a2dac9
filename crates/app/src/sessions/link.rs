//! The place of a new run in a session.

use std::sync::Arc;

use windlass_agent::{SharedGrants, Transcript};
use windlass_sandbox::EditorFiles;

use super::record::SessionRecord;
use crate::mcp::ConfiguredServer;

/// Point of a run at which a fork leaves it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ForkPoint {
    /// After the whole conversation.
    #[default]
    End,
    /// After the turn with this number and the results of its calls. Zero keeps the task alone.
    AfterTurn(u32),
    /// Before the answer that contains this call.
    BeforeCall(String),
}

/// The session of a new run, and the conversation before its task. The default is a session of its own.
#[derive(Clone, Debug, Default)]
pub struct SessionLink {
    /// The record of the session that gets the run; `None` for a new session.
    pub(crate) session: Option<SessionRecord>,
    /// Id of the run, which names a new session; `None` for a fresh one.
    pub(crate) id: Option<String>,
    /// The run that the new run continues.
    pub(crate) parent: Option<String>,
    /// The session from which a new one is forked.
    pub(crate) forked_from: Option<String>,
    /// The number of the run's first event.
    pub(crate) first_seq: u64,
    pub(crate) history: Option<Transcript>,
    /// The grants of the session in this process.
    pub(crate) grants: Option<SharedGrants>,
    /// The MCP servers of the session in this process, besides the configured ones.
    pub(crate) servers: Vec<ConfiguredServer>,
    /// The editor of the session in this process.
    pub(crate) editor: Option<Arc<dyn EditorFiles>>,
}
