//! A background agent, which works concurrently with the run that started it.

use tokio::sync::watch;
use windlass_agent::{CallingRun, MessageSender};
use windlass_tool::CancellationToken;

/// A background agent, which works concurrently with its caller.
pub(crate) struct BackgroundAgent {
    /// The name of the agent's definition.
    pub(crate) name: String,
    pub(crate) input: Option<MessageSender>,
    pub(crate) report: watch::Receiver<Option<BackgroundReport>>,
    pub(crate) stop: CancellationToken,
    /// The end of the calling run, after which this entry is removed.
    pub(crate) caller_ended: CancellationToken,
}

/// The end of an agent's work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BackgroundReport {
    /// `done`, `failed`, `stopped` or `waits for an answer`.
    pub(crate) state: &'static str,
    pub(crate) text: String,
}

impl BackgroundAgent {
    /// Returns an agent whose record was already complete when this process opened it.
    pub(crate) fn from_record(name: &str, text: String, run: &CallingRun) -> Self {
        let report = Some(BackgroundReport { state: "done", text });
        Self {
            name: name.to_owned(),
            input: None,
            report: watch::channel(report).1,
            stop: CancellationToken::new(),
            caller_ended: run.end_token().clone(),
        }
    }
}
