//! Settings that differ between the runs of one agent.

mod running_calls;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use windlass_journal::{AsyncJournal, Journal, JournalError, MemoryJournal};
use windlass_loop::{Entry, InterruptId, RunOrigin, Transcript};
use windlass_protocol::{OutputFormat, RequestOptions, ToolCall, ToolResult};
use windlass_stream::Model;
use windlass_tool::CancellationToken;
use windlass_toolbox::Toolbox;

pub use self::running_calls::RunningCalls;
use crate::hand_off_slot::HandOffSlot;
use crate::run_journal::RunJournal;
use crate::{Checkpointer, MessageReceiver, SharedBudget, SharedGrants, WithoutCheckpoint};

/// Settings of one run: its journal, its id, its cancellation, messages that are sent while it runs, and
/// answers that were given while it was suspended.
///
/// The default keeps the record in memory only, so that the run cannot be resumed by another process.
///
/// ```
/// use windlass_agent::RunOptions;
///
/// let options = RunOptions::default().with_run_id("run-1").with_outputs("outputs");
/// # drop(options);
/// ```
pub struct RunOptions {
    pub(crate) journal: RunJournal,
    pub(crate) id: Option<String>,
    pub(crate) origin: Option<RunOrigin>,
    pub(crate) shared_budget: SharedBudget,
    pub(crate) cancellation: CancellationToken,
    pub(crate) outputs: Option<PathBuf>,
    pub(crate) messages: Option<MessageReceiver>,
    pub(crate) resume_inputs: ResumeInputs,
    pub(crate) grants: SharedGrants,
    pub(crate) running_calls: RunningCalls,
    pub(crate) request: RequestOptions,
    pub(crate) output: OutputFormat,
    /// The tools of the run in place of the agent's, one of which takes the answer.
    pub(crate) answer_toolbox: Option<Toolbox>,
    pub(crate) history: Option<Transcript>,
    pub(crate) earlier: Vec<ToolCall>,
    /// The model that replaces the agent's model in this run.
    pub(crate) model: Option<Arc<dyn Model>>,
    pub(crate) checkpoints: Option<(Arc<dyn Checkpointer>, WithoutCheckpoint)>,
    /// The place for a transfer of the conversation, which a session sets.
    pub(crate) hand_off: Option<HandOffSlot>,
}

/// Results and answers that arrived while the run was suspended.
#[derive(Debug, Default)]
pub(crate) struct ResumeInputs {
    pub(crate) results: Vec<ToolResult>,
    pub(crate) guidance: Option<Guidance>,
}

/// The human's answer to a question about how the run continues.
#[derive(Debug)]
pub(crate) struct Guidance {
    /// The id of the question; `None` means the question that is open in the record.
    pub(crate) id: Option<InterruptId>,
    pub(crate) words: String,
}

impl ResumeInputs {
    /// Sets the id of an answer that does not name its question to the question that is open in the record.
    pub(crate) fn read(&mut self, entries: &[Entry]) {
        if let Some(guidance) = &mut self.guidance
            && guidance.id.is_none()
        {
            guidance.id = InterruptId::open_in(entries);
        }
    }
}

impl Default for RunOptions {
    /// Records in memory; the run is cancelled only by dropping its stream.
    fn default() -> Self {
        Self {
            journal: RunJournal::Blocking(Box::new(MemoryJournal::default())),
            id: None,
            origin: None,
            shared_budget: SharedBudget::default(),
            cancellation: CancellationToken::new(),
            outputs: None,
            messages: None,
            resume_inputs: ResumeInputs::default(),
            grants: SharedGrants::default(),
            running_calls: RunningCalls::default(),
            request: RequestOptions::default(),
            output: OutputFormat::Text,
            answer_toolbox: None,
            history: None,
            earlier: Vec::new(),
            model: None,
            checkpoints: None,
            hand_off: None,
        }
    }
}

impl RunOptions {
    /// Sets the journal of the run. [`Agent::resume`](crate::Agent::resume) continues the run that it
    /// contains.
    pub fn with_journal(mut self, journal: impl Journal + Send + 'static) -> Self {
        self.journal = RunJournal::Blocking(Box::new(journal));
        self
    }

    /// Sets a journal whose storage is asynchronous, and reads its records. The run awaits each append.
    ///
    /// # Errors
    /// Returns an error if the records cannot be read.
    pub async fn with_async_journal(
        mut self,
        journal: impl AsyncJournal + 'static,
    ) -> Result<Self, JournalError> {
        let records = journal.records().await?;
        self.journal = RunJournal::Async(Box::new(journal), records);
        Ok(self)
    }

    /// Sets the id of the run. `ID/CALL` is the idempotency key of a call. The default is a random id. A
    /// resumed run keeps the recorded id.
    pub fn with_run_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Sets the origin of a run that was started by a call of another run. It is recorded when the run
    /// begins; a resumed run keeps the recorded origin.
    pub fn with_origin(mut self, origin: RunOrigin) -> Self {
        self.origin = Some(origin);
        self
    }

    /// Sets the shared budget, so that the usage of this run counts together with that of other runs.
    pub fn with_shared_budget(mut self, shared_budget: SharedBudget) -> Self {
        self.shared_budget = shared_budget;
        self
    }

    /// Restores from the record of a resumed run the session's grants and the question that an answer belongs
    /// to.
    pub(crate) fn read(&mut self, entries: &[Entry]) {
        self.resume_inputs.read(entries);
        self.grants.restore(entries);
    }

    /// Returns the id of the run and generates one if it is not set.
    pub(crate) fn run_id(&mut self) -> String {
        self.id.take().unwrap_or_else(random_id)
    }

    /// Sets options of the run's requests. They replace the agent's options one by one, and are recorded; a resumed run
    /// keeps the recorded ones.
    pub fn with_request_options(mut self, options: RequestOptions) -> Self {
        self.request = options;
        self
    }

    /// Sets the format of the answers' text, for example a schema that the provider enforces. It is not recorded, so a
    /// resumed run needs it again. [`Agent::run_as`](crate::Agent::run_as) sets it for a type.
    pub fn with_output(mut self, output: OutputFormat) -> Self {
        self.output = output;
        self
    }

    /// Sets a token that stops the run in order: every call still gets a result.
    pub fn with_cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// Sets the folder for outputs that are too long for the model.
    pub fn with_outputs(mut self, folder: impl Into<PathBuf>) -> Self {
        self.outputs = Some(folder.into());
        self
    }

    /// Sets the queue of messages to the running task; see [`MessageReceiver::channel`].
    pub fn with_messages(mut self, messages: MessageReceiver) -> Self {
        self.messages = Some(messages);
        self
    }

    /// Sets a checkpointer, which saves the workspace before the first call of a turn that may change it. All
    /// such calls of the turn wait until the checkpoint exists; `without` decides whether they run if it
    /// fails.
    pub fn with_checkpoints(
        mut self,
        checkpointer: impl Checkpointer + 'static,
        without: WithoutCheckpoint,
    ) -> Self {
        self.checkpoints = Some((Arc::new(checkpointer), without));
        self
    }

    /// Begins the run with an earlier conversation (`Transcript::import`), after which the task is appended.
    /// A resumed run ignores it and uses the recorded conversation.
    pub fn with_history(mut self, history: Transcript) -> Self {
        self.history = Some(history);
        self
    }

    /// Declares earlier calls of other runs whose results this run can see. If one of them returned text from
    /// outside, learned approvals are disabled in this run too.
    pub fn with_earlier_calls(mut self, calls: impl IntoIterator<Item = ToolCall>) -> Self {
        self.earlier.extend(calls);
        self
    }

    /// Adds results of calls that were executed elsewhere (`ToolError::Deferred`). They are used when the run
    /// is resumed. A result for a call that is not deferred is ignored.
    pub fn with_results(mut self, results: impl IntoIterator<Item = ToolResult>) -> Self {
        self.resume_inputs.results.extend(results);
        self
    }

    /// Sets the human's answer to the question that the record leaves open (`Wait::InterruptReply`). It is valid
    /// for that question only: the resumed run uses it in place of consulting the human when it repeats the
    /// question. If the run does not repeat it, the answer is refused with `Event::AnswerRefused`.
    pub fn with_guidance(mut self, words: impl Into<String>) -> Self {
        self.resume_inputs.guidance = Some(Guidance { id: None, words: words.into() });
        self
    }

    /// Like [`with_guidance`](Self::with_guidance), but for the question with this id, independent of the
    /// record. Use it for a stored answer if another process may have continued the run since.
    pub fn with_guidance_for(mut self, id: InterruptId, words: impl Into<String>) -> Self {
        self.resume_inputs.guidance = Some(Guidance { id: Some(id), words: words.into() });
        self
    }

    /// Sets the grants of a session: a grant that a human gives in one run holds in all runs with the same grants.
    pub fn with_grants(mut self, grants: SharedGrants) -> Self {
        self.grants = grants;
        self
    }

    /// Sets the register of the calls that work, through which the program can stop one of them.
    pub fn with_running_calls(mut self, calls: RunningCalls) -> Self {
        self.running_calls = calls;
        self
    }
}

impl std::fmt::Debug for RunOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunOptions").field("outputs", &self.outputs).finish_non_exhaustive()
    }
}

/// Returns a random id. The id is not a secret, so without random bytes a counter is sufficient; that id is
/// unique in this process only.
fn random_id() -> String {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    let mut bytes = [0_u8; 8];
    if getrandom::fill(&mut bytes).is_err() {
        bytes = RUNS.fetch_add(1, Ordering::Relaxed).to_be_bytes();
    }
    format!("run-{:016x}", u64::from_be_bytes(bytes))
}
