//! The state of a run that survives its phases, and the verbs with which a phase changes it.

mod accounts;
mod answers;
mod approvals;
mod call_checks;
mod replay;
mod requests;
mod restored;

use windlass_hitl::Approvals;
use windlass_protocol::{Request, Role, ToolChoice, ToolProtocol, ToolResult};

use crate::attempts::Attempts;
use crate::commands::Commands;
use crate::conversation::Conversation;
use crate::interrupts::Interrupts;
use crate::ledger::Ledger;
use crate::progress::Progress;
use crate::protocol::ProtocolChoice;
use crate::steering::Steering;
use crate::{Command, Config, Entry, Event, Offer, Outcome, Transcript};

pub(crate) use self::restored::{LastAnswer, RecordedApproval, RestoredState};

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
    /// True if the run ends after the compaction of the conversation before it.
    only_compacts: bool,
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
            protocols: ProtocolChoice::new(&config.protocols),
            conversation: Conversation::new(&config),
            config,
            interrupts: Interrupts::default(),
            progress: Progress::default(),
            ledger: Ledger::default(),
            attempts: Attempts::default(),
            steering: Steering::default(),
            offer: None,
            unknown: Vec::new(),
            only_compacts: false,
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

    /// Records a result, shows it and adds it to the conversation.
    pub(crate) fn record_result(&mut self, result: ToolResult) {
        self.record(Entry::Result { result: result.clone() });
        self.show(Event::CallEnded { result: result.clone() });
        self.conversation.push_result(result).expect("a call of the execution ends once");
    }

    /// Requests an answer, and returns the number that identifies it in this process.
    pub(crate) fn request_answer(&mut self, delay_ms: u64) -> u64 {
        let answer = self.attempts.count_answer();
        let mut request = self.conversation.request(&self.config);
        // With a tool that takes the answer, a demanded call can end the run.
        let is_released = self.has_called() && !self.config.has_answer_tool();
        if self.is_choice_lost(&request) || request.options.tool_choice.demands_call() && is_released {
            request.options.tool_choice = ToolChoice::Auto;
        }
        self.send(request, delay_ms);
        answer
    }

    /// Returns true if the request demands a tool that it does not have: a resumed run keeps its recorded choice, but can
    /// have other tools. A hosted tool can have the name, too.
    fn is_choice_lost(&self, request: &Request) -> bool {
        let options = &request.options;
        let ToolChoice::Named(name) = &options.tool_choice else { return false };
        self.generation > 0 && options.hosted_tools.is_empty() && !self.config.offers(name)
    }

    /// Returns true if the model has called a tool since the last message of the user.
    fn has_called(&self) -> bool {
        let newest =
            self.transcript().messages().iter().rev().take_while(|message| message.role != Role::User);
        newest.into_iter().any(|message| message.calls().next().is_some())
    }

    fn send(&mut self, request: Request, delay_ms: u64) {
        self.ledger.set_answering(None);
        self.emit(Command::Send { request: Box::new(request), protocol: self.protocols.current(), delay_ms });
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
