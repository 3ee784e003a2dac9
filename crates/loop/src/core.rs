//! The state of a run that survives its phases, and the verbs with which a phase changes it.

mod accounts;
mod answers;
mod call_checks;
mod replay;
mod requests;
mod restored;

use windlass_hitl::{ApprovalOutcome, ApprovalRequest, Approvals};
use windlass_protocol::{Message, ToolProtocol, ToolResult};

use crate::attempts::Attempts;
use crate::commands::Commands;
use crate::conversation::Conversation;
use crate::interrupts::Interrupts;
use crate::ledger::Ledger;
use crate::progress::Progress;
use crate::protocol::ProtocolChoice;
use crate::steering::Steering;
use crate::{
    Command, Config, Entry, Event, Input, InterruptId, InterruptReason, MessageSource, Offer, Outcome,
    Transcript,
};

pub(crate) use self::restored::{LastAnswer, RecordedApproval, Restored};

/// The state that outlives a phase: the configuration, the conversation, the counters, the open questions,
/// and the commands of the present step. Phases change it through its methods only.
#[derive(Debug)]
pub(crate) struct Core {
    config: Config,
    conversation: Conversation,
    approvals: Approvals,
    interrupts: Interrupts,
    progress: Progress,
    ledger: Ledger,
    attempts: Attempts,
    protocols: ProtocolChoice,
    /// Messages of the human that have not been sent to the model yet.
    steering: Steering,
    /// The offer for the next turn; `None` if it does not change.
    offer: Option<Offer>,
    /// Tools of interrupted calls with unknown effects, which are reported to the human before the next turn.
    unknown: Vec<String>,
    /// Number of times that another process resumed the run.
    generation: u32,
    now_ms: u64,
    commands: Commands,
}

impl Core {
    pub(crate) fn new(config: Config) -> Self {
        Self {
            approvals: Approvals::new(match config.limits.approval_timeout_ms {
                // Zero turns the timeout off.
                0 => u64::MAX,
                timeout_ms => timeout_ms,
            }),
            protocols: ProtocolChoice::of(&config.protocols),
            conversation: Conversation::new(&config),
            config,
            interrupts: Interrupts::default(),
            progress: Progress::default(),
            ledger: Ledger::default(),
            attempts: Attempts::default(),
            steering: Steering::default(),
            offer: None,
            unknown: Vec::new(),
            generation: 0,
            now_ms: 0,
            commands: Commands::default(),
        }
    }

    /// Sets the conversation that precedes the task.
    pub(crate) fn import(&mut self, history: Transcript) {
        self.conversation.import(history);
    }

    /// Begins a step at this time. Its commands are appended to the buffer, which
    /// [`end_step`](Self::end_step) hands back.
    pub(crate) fn begin_step(&mut self, now_ms: u64, buffer: &mut Vec<Command>) {
        self.commands.swap(buffer);
        self.now_ms = self.now_ms.max(now_ms);
    }

    pub(crate) fn end_step(&mut self, buffer: &mut Vec<Command>) {
        self.commands.swap(buffer);
    }

    /// Emits a command to the driver.
    pub(crate) fn emit(&mut self, command: Command) {
        self.commands.emit(command);
    }

    /// Appends an entry to the record.
    pub(crate) fn record(&mut self, entry: Entry) {
        self.commands.record(entry);
    }

    /// Emits an event to observers.
    pub(crate) fn show(&mut self, event: Event) {
        self.commands.show(event);
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) fn transcript(&self) -> &Transcript {
        self.conversation.transcript()
    }

    pub(crate) fn context_tokens(&self) -> u64 {
        self.conversation.tokens()
    }

    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    pub(crate) fn protocol(&self) -> ToolProtocol {
        self.protocols.current()
    }

    pub(crate) fn generation(&self) -> u32 {
        self.generation
    }

    /// Records a message of the user role, appends it to the conversation and shows it. Every caller runs
    /// between answers, so no answer waits for results.
    pub(crate) fn push_user(&mut self, source: MessageSource, text: &str) {
        let message = Message::user(text);
        self.record(Entry::Said { source: Some(source), message: message.clone() });
        self.conversation.push_user(message).expect("the machine speaks only between answers");
        let text = text.to_owned();
        self.show(match source {
            MessageSource::Queue | MessageSource::NextTask => Event::Said { text },
            MessageSource::Nudge | MessageSource::InterruptReply | MessageSource::Continuation => {
                Event::Nudged { text }
            }
        });
    }

    /// Records a result, shows it and adds it to the conversation.
    pub(crate) fn record_result(&mut self, result: ToolResult) {
        self.record(Entry::Result { result: result.clone() });
        self.show(Event::CallEnded { result: result.clone() });
        self.conversation.push_result(result).expect("a call of the execution ends once");
    }

    /// Records the mode if it differs from the recorded one.
    pub(crate) fn record_mode(&mut self, recorded: Option<&str>) {
        if let Some(mode) = self.config.mode.clone().filter(|mode| Some(mode.as_str()) != recorded) {
            self.record(Entry::Mode { mode });
        }
    }

    /// Adds an approval request to the open ones. Returns false if its id was used before.
    pub(crate) fn open_approval(&mut self, request: &ApprovalRequest) -> bool {
        self.approvals.ask(request.clone(), self.now_ms).is_ok()
    }

    /// Ends the approval request of an outcome and returns it. Reports an outcome without an open request.
    pub(crate) fn end_approval(&mut self, outcome: &ApprovalOutcome) -> Option<ApprovalRequest> {
        match self.approvals.end(outcome) {
            Ok(request) => Some(request),
            Err(error) => {
                self.show(Event::AnswerRefused { reason: error.to_string() });
                None
            }
        }
    }

    /// Withdraws all approval requests.
    pub(crate) fn clear_approvals(&mut self) {
        self.approvals.clear();
    }

    /// Returns an outcome for each approval request whose time has run out.
    pub(crate) fn overdue_approvals(&self) -> Vec<ApprovalOutcome> {
        self.approvals.overdue(self.now_ms)
    }

    /// Returns the time at which the next approval request runs out.
    pub(crate) fn next_deadline(&self) -> Option<u64> {
        // The approval queue represents "without a time limit" as `u64::MAX`.
        self.approvals.next_deadline().filter(|at_ms| *at_ms < u64::MAX)
    }

    /// Returns the id of a question to the human, and records the question if it is new.
    pub(crate) fn open_interrupt(&mut self, reason: InterruptReason, question: &str) -> InterruptId {
        let (id, is_new) = self.interrupts.open(reason, question);
        if is_new {
            self.record(Entry::Interrupt { id, question: question.to_owned() });
        }
        id
    }

    /// Handles an input that the present phase does not expect. Answers to questions that are not open are
    /// refused, the start of a call is shown, and other inputs change nothing.
    pub(crate) fn refuse_input(&mut self, input: Input) {
        match input {
            Input::Started(call) => self.show(Event::CallRunning { call }),
            Input::Approval(outcome) => drop(self.end_approval(&outcome)),
            Input::InterruptReply { id, words: Some(_) } => {
                let reason = format!("question {} about how the run continues is not open", id.number);
                self.show(Event::AnswerRefused { reason });
            }
            _ => {}
        }
    }

    /// Records a failed attempt, so that a resumed run does not reuse its number and counts its tokens.
    pub(crate) fn discard_attempt(&mut self) {
        let usage = self.ledger.take_unrecorded();
        self.record(Entry::Discarded { usage });
    }

    /// Records and shows the end of the run.
    pub(crate) fn end(&mut self, outcome: Outcome) {
        if self.ledger.has_unrecorded() {
            self.discard_attempt();
        }
        self.record(Entry::Finished { outcome: outcome.clone() });
        self.show(Event::Finished { outcome: outcome.clone(), total: self.ledger.usage() });
        self.emit(Command::Done(outcome));
    }
}
