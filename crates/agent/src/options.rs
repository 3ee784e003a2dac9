//! What differs from run to run.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio_util::sync::CancellationToken;
use windlass_journal::{Journal, MemoryJournal};
use windlass_loop::{ConsultationId, Entry, RunOrigin, Transcript};
use windlass_model::Model;
use windlass_protocol::{ToolCall, ToolResult};

use crate::{Allowance, Checkpointer, Messages, Session, WithoutCheckpoint};

/// What differs from run to run: where it is recorded, how it is stopped, what is said to it while it works, and what came
/// from elsewhere while it was suspended.
pub struct RunOptions {
    pub(crate) journal: Box<dyn Journal + Send>,
    pub(crate) id: Option<String>,
    pub(crate) origin: Option<RunOrigin>,
    pub(crate) allowance: Allowance,
    pub(crate) cancellation: CancellationToken,
    pub(crate) outputs: Option<PathBuf>,
    pub(crate) messages: Option<Messages>,
    pub(crate) brought: Brought,
    pub(crate) session: Session,
    pub(crate) history: Option<Transcript>,
    pub(crate) earlier: Vec<ToolCall>,
    /// Who answers in the place of the agent's model.
    pub(crate) model: Option<Arc<dyn Model>>,
    pub(crate) checkpoints: Option<(Arc<dyn Checkpointer>, WithoutCheckpoint)>,
}

/// What came from elsewhere while a run was suspended.
#[derive(Debug, Default)]
pub(crate) struct Brought {
    pub(crate) results: Vec<ToolResult>,
    pub(crate) guidance: Option<Guidance>,
}

/// The human's answer to a question about how the run continues.
#[derive(Debug)]
pub(crate) struct Guidance {
    /// The question; `None` for the one that the record leaves open.
    pub(crate) id: Option<ConsultationId>,
    pub(crate) words: String,
}

impl Brought {
    /// Finds out which question an answer is for that does not say so.
    pub(crate) fn read(&mut self, entries: &[Entry]) {
        if let Some(guidance) = &mut self.guidance
            && guidance.id.is_none()
        {
            guidance.id = ConsultationId::open_in(entries);
        }
    }
}

impl Default for RunOptions {
    /// Recorded in memory, stopped by dropping.
    fn default() -> Self {
        Self {
            journal: Box::new(MemoryJournal::default()),
            id: None,
            origin: None,
            allowance: Allowance::default(),
            cancellation: CancellationToken::new(),
            outputs: None,
            messages: None,
            brought: Brought::default(),
            session: Session::default(),
            history: None,
            earlier: Vec::new(),
            model: None,
            checkpoints: None,
        }
    }
}

impl RunOptions {
    /// The same run, recorded here.
    pub fn with_journal(mut self, journal: impl Journal + Send + 'static) -> Self {
        self.journal = Box::new(journal);
        self
    }

    /// The same run under an id, which calls are known by outside of it: `ID/CALL` is their key. Without it a random one. A
    /// run that is resumed keeps the id that is on record.
    pub fn with_run_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Sets the origin of a run that a call of another run begins. It is written down when the run begins; a run that is
    /// resumed keeps the one that is on record.
    pub fn with_origin(mut self, origin: RunOrigin) -> Self {
        self.origin = Some(origin);
        self
    }

    /// The same run, whose use of its budget counts together with that of others.
    pub fn with_allowance(mut self, allowance: Allowance) -> Self {
        self.allowance = allowance;
        self
    }

    /// Takes what the record of a resumed run says about what was given to it.
    pub(crate) fn read(&mut self, entries: &[Entry]) {
        self.brought.read(entries);
        self.session.restore(entries);
    }

    /// The run's id, made up where none was given.
    pub(crate) fn run_id(&mut self) -> String {
        self.id.take().unwrap_or_else(random_id)
    }

    /// The same run, stopped by this token; calls still get their results.
    pub fn with_cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// The same run, with a folder for outputs that are too long for the model.
    pub fn with_outputs(mut self, folder: impl Into<PathBuf>) -> Self {
        self.outputs = Some(folder.into());
        self
    }

    /// The same run, to which more can be said while it works: see [`Messages::channel`].
    pub fn with_messages(mut self, messages: Messages) -> Self {
        self.messages = Some(messages);
        self
    }

    /// The same run, which keeps what its tools work on before a turn changes it: the first such call of a turn waits
    /// for that, and so do the others.
    pub fn with_checkpoints(
        mut self,
        checkpointer: impl Checkpointer + 'static,
        without: WithoutCheckpoint,
    ) -> Self {
        self.checkpoints = Some((Arc::new(checkpointer), without));
        self
    }

    /// The same run, begun with a conversation that was had elsewhere (`Transcript::import`); the task is said after it. A
    /// run that is resumed has its own.
    pub fn with_history(mut self, history: Transcript) -> Self {
        self.history = Some(history);
        self
    }

    /// The same run, made after these calls of others that it knows the results of: where one of them brought text from
    /// outside, what is learned lets nothing of this run through either.
    pub fn with_earlier_calls(mut self, calls: impl IntoIterator<Item = ToolCall>) -> Self {
        self.earlier.extend(calls);
        self
    }

    /// The same run with results of calls that went on elsewhere (`ToolError::Deferred`). They count when the run is
    /// resumed; one of a call that waits for none is left out.
    pub fn with_results(mut self, results: impl IntoIterator<Item = ToolResult>) -> Self {
        self.brought.results.extend(results);
        self
    }

    /// The same run with the human's answer to the question that its record leaves open (`Wait::Guidance`). The answer counts
    /// for that question only, when the run is resumed and asks it again: then the human is not asked. If the run does not
    /// ask it again, the answer is refused with `Event::AnswerRefused`.
    pub fn with_guidance(mut self, words: impl Into<String>) -> Self {
        self.brought.guidance = Some(Guidance { id: None, words: words.into() });
        self
    }

    /// Like [`with_guidance`](Self::with_guidance), but for the question with this id, whatever the record leaves open: for
    /// an answer that was stored while other processes may have gone on with the run.
    pub fn with_guidance_for(mut self, id: ConsultationId, words: impl Into<String>) -> Self {
        self.brought.guidance = Some(Guidance { id: Some(id), words: words.into() });
        self
    }

    /// The same run in a session: what a human allowed for the session in one run holds for the others.
    pub fn with_session(mut self, session: Session) -> Self {
        self.session = session;
        self
    }
}

impl std::fmt::Debug for RunOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunOptions").field("outputs", &self.outputs).finish_non_exhaustive()
    }
}

/// An id that no other run has. Nothing is kept secret by it, so that without random bytes a count will do.
fn random_id() -> String {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    let mut bytes = [0_u8; 8];
    if getrandom::fill(&mut bytes).is_err() {
        bytes = RUNS.fetch_add(1, Ordering::Relaxed).to_be_bytes();
    }
    format!("run-{:016x}", u64::from_be_bytes(bytes))
}
