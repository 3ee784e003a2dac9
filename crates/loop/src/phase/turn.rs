//! The start of a turn: the checks before the model is asked, and the request.

use windlass_protocol::Message;

use crate::budget::Spent;
use crate::machine::{Machine, Phase};
use crate::phase::streaming::Streaming;
use crate::{Effect, Entry, Event, Matter, MessageSource, StopCause, words};

impl Machine {
    pub(crate) fn start(&mut self, task: String) {
        if !matches!(self.phase, Phase::Idle) {
            return;
        }
        let task = Message::user(task);
        let (version, protocol) = (Entry::VERSION, self.protocols.current());
        let (run, origin) = (self.config.run.clone(), self.config.origin.clone());
        // The driver's clock can have any origin.
        self.spent = Spent::since(self.now_ms);
        self.want(Effect::Record(Entry::Started { version, task: task.clone(), protocol, run, origin }));
        if !self.transcript.messages().is_empty() {
            let messages = self.transcript.messages().clone();
            self.want(Effect::Record(Entry::Imported { messages }));
        }
        self.record_mode(None);
        self.transcript.begin_task(task).expect("nothing is open before the first answer");
        self.next_turn();
    }

    /// Starts the next turn, unless the limit on turns is reached, a question to the human comes first, or
    /// the conversation has to be summarized.
    pub(crate) fn next_turn(&mut self) {
        let limit = self.config.limits.turns;
        if limit > 0 && self.progress.turns >= limit {
            return self.stop(StopCause::TurnLimit);
        }
        if let Some(used) = self.others.news() {
            self.want(Effect::Record(Entry::Shared { used }));
        }
        if let Some(question) = self.over_budget_question() {
            return self.consult(Matter::Budget, question);
        }
        if !self.unknown.is_empty() {
            let question = words::ask_about_unknown(&std::mem::take(&mut self.unknown));
            return self.consult(Matter::UnknownEffects, question);
        }
        self.say_queued();
        self.carried.clear();
        if !self.make_room() {
            self.ask_model();
        }
    }

    /// Returns the question about a used budget. The shared budget is checked before the run's own.
    fn over_budget_question(&self) -> Option<String> {
        let (shared, own) = (&self.config.shared_budget, &self.config.budget);
        let question = shared.shared_question(&self.spent, &self.others, self.now_ms);
        question.or_else(|| own.question(&self.spent, self.now_ms))
    }

    /// Starts a turn and sends its request.
    pub(crate) fn ask_model(&mut self) {
        self.spent.requests = self.spent.requests.saturating_add(1);
        self.progress.turns = self.progress.turns.saturating_add(1);
        self.begin_attempts();
        self.take_up_offer();
        let (turn, protocol) = (self.progress.turns, self.protocols.current());
        self.show(Event::TurnStarted { turn, protocol });
        self.send(0);
    }

    /// Restarts the count of attempts for an answer or a summary, and closes a question that the record left
    /// open.
    pub(crate) fn begin_attempts(&mut self) {
        self.consultations.close();
        self.progress.attempts = 0;
        self.image_refusals = 0;
        self.sent = std::mem::take(&mut self.discarded);
    }

    /// Records a failed attempt, so that a resumed run does not reuse its number and counts its tokens.
    pub(crate) fn discard_attempt(&mut self) {
        let usage = self.unrecorded.take();
        self.want(Effect::Record(Entry::Discarded { usage }));
    }

    pub(crate) fn send(&mut self, delay_ms: u64) {
        self.sent = self.sent.saturating_add(1);
        self.answers = self.answers.saturating_add(1);
        self.phase = Phase::Streaming(Box::new(Streaming::new(&self.config, &self.progress, self.answers)));
        let request = self.config.request(self.transcript.messages().clone());
        let protocol = self.protocols.current();
        self.want(Effect::Send { request: Box::new(request), protocol, delay_ms });
    }

    /// Adds a user message to the conversation. Every caller runs between answers, so no answer waits for
    /// results.
    pub(crate) fn say(&mut self, message: Message) {
        self.transcript.say(message).expect("the machine speaks only between answers");
    }

    pub(crate) fn tell_model(&mut self, source: MessageSource, text: &str) {
        let message = Message::user(text);
        self.want(Effect::Record(Entry::Said { source: Some(source), message: message.clone() }));
        self.say(message);
        self.show(Event::Nudged { text: text.to_owned() });
    }
}
