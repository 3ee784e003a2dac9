//! The messages, offers, compactions and summaries between two requests, and the counts of attempts.

use windlass_protocol::{Message, Part, Role, ToolChoice};

use super::Core;
use crate::conversation::SummaryPlan;
use crate::{
    Command, DeliverAt, Entry, Event, HookReport, MessageSource, Offer, OfferedTool, StreamFailure, words,
};

impl Core {
    /// Records the start of the run and its task.
    pub(crate) fn start(&mut self, task: Message) {
        // A task is a message of the user, independent of the driver's role.
        let task = Message::new(Role::User, task.parts);
        self.record_start(task.clone());
        self.conversation.begin_task(task).expect("nothing is open before the first answer");
    }

    /// Records the start of a run that only compacts the conversation before it.
    pub(crate) fn start_compaction(&mut self) {
        self.only_compacts = true;
        self.conversation.request_compaction();
        self.record_start(Message::user(Entry::COMPACTION_TASK));
    }

    fn record_start(&mut self, task: Message) {
        let (version, protocol) = (Entry::VERSION, self.protocols.current());
        let (run, origin) = (self.config.run.clone(), self.config.origin.clone());
        // The driver's clock can have any origin.
        self.ledger.start(self.now_ms);
        let options = Box::new(self.config.options.clone());
        let only_compacts = self.only_compacts;
        self.record(Entry::Started { version, task, protocol, run, origin, options, only_compacts });
        if !self.transcript().messages().is_empty() {
            let messages = self.transcript().messages().clone();
            self.record(Entry::Imported { messages });
        }
        self.record_mode(None);
    }

    /// Requests that the conversation is compacted before the next request.
    pub(crate) fn request_compaction(&mut self) {
        self.conversation.request_compaction();
    }

    /// Returns true if the run ends after the compaction.
    pub(crate) fn only_compacts(&self) -> bool {
        self.only_compacts
    }

    /// Returns the text with which the run ends after the compaction; `None` for a run with a task.
    pub(crate) fn describe_compaction(&self) -> Option<String> {
        self.only_compacts.then(|| {
            words::describe_compaction(self.conversation.compaction_sizes(), self.conversation.tokens())
        })
    }

    /// Records the mode if it differs from the recorded one.
    pub(crate) fn record_mode(&mut self, recorded: Option<&str>) {
        if let Some(mode) = self.config.mode.clone().filter(|mode| Some(mode.as_str()) != recorded) {
            self.record(Entry::Mode { mode });
        }
    }

    /// Stores an offer for the next turn. Its mode is recorded at once, because the later calls of the same
    /// answer are already decided in that mode (RULES L11).
    pub(crate) fn keep_offer(&mut self, offer: Offer) {
        if let Some(mode) = offer.mode.clone().filter(|mode| Some(mode) != self.config.mode.as_ref()) {
            self.config.mode = Some(mode.clone());
            self.record(Entry::Mode { mode: mode.clone() });
            self.show(Event::ModeChanged { mode });
        }
        self.offer = Some(offer);
    }

    fn apply_offer(&mut self) {
        let Some(Offer { number, tools, known_tools, system, .. }) = self.offer.take() else { return };
        let is_same = |(one, other): (&OfferedTool, &OfferedTool)| one.spec == other.spec;
        let has_changed = self.config.system != system
            || self.config.tools.len() != tools.len()
            || !self.config.tools.iter().zip(&tools).all(is_same);
        let earlier = std::mem::replace(&mut self.config.tools, tools);
        let earlier_system = std::mem::replace(&mut self.config.system, system);
        if has_changed {
            let specs = earlier.into_iter().map(|tool| tool.spec).collect();
            self.conversation.keep_preamble(earlier_system, specs);
        }
        self.config.known_tools = known_tools;
        self.conversation.set_preamble(self.config.system.as_deref(), &self.config.tools);
        self.emit(Command::Offered { number });
    }

    /// Queues a message of the human, unless the run cannot accept it.
    pub(crate) fn queue_message(
        &mut self,
        id: Option<String>,
        (text, parts): (String, Vec<Part>),
        when: DeliverAt,
        is_over: bool,
    ) {
        if let Some(id) = id.as_ref().filter(|id| self.steering.contains(id)) {
            return self.show(Event::MessageRepeated { id: id.clone() });
        }
        let reason = if is_over {
            "the run has ended"
        } else if text.trim().is_empty() {
            "the message is empty"
        } else if self.steering.is_full(when) {
            "too many messages wait already"
        } else {
            self.record(Entry::Queued { id: id.clone(), text: text.clone(), parts: parts.clone(), when });
            self.show(Event::MessageQueued { id: id.clone(), text: text.clone(), when });
            return self.steering.push(id, to_message(text, parts), when);
        };
        self.show(Event::MessageRefused { id, reason: reason.to_owned() });
    }

    /// Records a message of the user role, appends it to the conversation and shows it. Every caller runs
    /// between answers, so no answer waits for results.
    pub(crate) fn push_user(&mut self, source: MessageSource, text: &str) {
        self.push_user_message(source, Message::user(text));
    }

    fn push_user_message(&mut self, source: MessageSource, message: Message) {
        // The words come first; files with text follow them.
        let text = match message.parts.first() {
            Some(Part::Text(words)) => words.text.clone(),
            _ => String::new(),
        };
        self.record(Entry::Said { source: Some(source), message: message.clone() });
        self.conversation.push_user(message).expect("the machine speaks only between answers");
        self.show(match source {
            MessageSource::Queue | MessageSource::NextTask => Event::Said { text },
            MessageSource::Nudge
            | MessageSource::InterruptReply
            | MessageSource::Continuation
            | MessageSource::Hook => Event::Nudged { text },
        });
    }

    /// Appends the messages that were queued for the next turn.
    pub(crate) fn push_queued(&mut self) {
        for message in self.steering.take_next_turn() {
            // The run has a task now.
            self.only_compacts = false;
            self.push_user_message(MessageSource::Queue, message);
        }
    }

    /// Begins the next task with the queued messages. Returns false without messages.
    pub(crate) fn begin_next_task(&mut self) -> bool {
        // Messages that arrived before the task ended come before the next task.
        if !self.steering.has_next_turn() {
            let Some(message) = self.steering.take_next_task() else { return false };
            self.only_compacts = false;
            self.push_user_message(MessageSource::NextTask, message);
        }
        self.progress.forgive();
        true
    }

    /// Compacts the conversation if a limit is reached. Returns a plan if the model has to summarize first.
    pub(crate) fn make_room(&mut self) -> Option<SummaryPlan> {
        self.conversation.make_room(&mut self.commands)
    }

    /// Restarts the count of attempts for an answer or a summary, and closes a question that the record left
    /// open.
    fn begin_attempts(&mut self) {
        self.interrupts.close();
        self.attempts.begin();
    }

    /// Counts a turn and shows its start. Its request follows.
    pub(crate) fn begin_turn(&mut self) {
        self.progress.turns = self.progress.turns.saturating_add(1);
        self.begin_attempts();
        self.apply_offer();
        let (turn, protocol) = (self.progress.turns, self.protocols.current());
        self.show(Event::TurnStarted { turn, protocol });
    }

    /// Counts a summary and shows its start. Its request follows.
    pub(crate) fn begin_summary(&mut self) {
        self.begin_attempts();
        self.show(Event::ContextCondensing);
    }

    /// Requests a summary with this instruction. The request begins like all others, so that the provider's
    /// cache applies.
    pub(crate) fn request_summary(&mut self, instruction: &str, delay_ms: u64) {
        let mut request = self.conversation.request(&self.config);
        request.messages.push(Message::user(instruction));
        request.options.tool_choice = ToolChoice::None;
        self.attempts.count_summary();
        self.send(request, delay_ms);
    }

    /// Records a failed attempt, so that a resumed run does not reuse its number and counts its tokens.
    pub(crate) fn discard_attempt(&mut self) {
        let (usage, prices) = (self.ledger.take_unrecorded(), self.answer_prices());
        self.record(Entry::Discarded { usage, prices });
    }

    /// Counts a repetition after a failure, shows it, and returns its delay; `None` if the request must not
    /// be repeated.
    pub(crate) fn begin_retry(&mut self, failure: &StreamFailure) -> Option<u64> {
        let delay_ms = self.attempts.next_delay(failure, self.config.limits.stream_retries)?;
        self.show(Event::AttemptDiscarded { reason: failure.message.clone(), delay_ms });
        Some(delay_ms)
    }

    /// Records and shows that a hook changed the course of the run.
    pub(crate) fn report_hook(&mut self, report: HookReport) {
        self.record(Entry::Hook { report: report.clone() });
        self.show(Event::Hook { report });
    }

    /// Returns true if an empty answer may be requested again.
    pub(crate) fn may_repeat_empty(&self) -> bool {
        self.attempts.may_repeat_empty(self.config.limits.stream_retries)
    }

    /// Returns the name of the present attempt at an answer or a summary.
    pub(crate) fn attempt_key(&self, what: &str) -> String {
        self.attempts.key(what, self.progress.turns)
    }
}

/// Returns a user message of a text, followed by parts such as pictures and files.
pub(super) fn to_message(text: String, parts: Vec<Part>) -> Message {
    let mut message = Message::user(text);
    message.parts.extend(parts);
    message
}
