//! The machine: what it remembers, and where each input goes.

use std::collections::BTreeMap;

use windlass_hitl::{ApprovalOutcome, Approvals};
use windlass_protocol::{CallId, ToolProtocol, ToolResult, Usage};

use crate::budget::{Others, Spent};
use crate::consultation::Consultations;
use crate::context::{Condensing, Meter, tools_size};
use crate::execution::Execution;
use crate::progress::Progress;
use crate::protocol::ProtocolChoice;
use crate::resume::Carried;
use crate::steering::Steering;
use crate::streaming::Streaming;
use crate::{Config, ConsultationId, Effect, Entry, Event, Input, Matter, Offer, Transcript, Used};

/// A run of an agent as a machine without IO: it takes inputs and says what it wants done.
///
/// Deterministic: the same inputs at the same times give the same effects. Whoever drives it performs the
/// effects in their order and comes back with inputs; `windlass-agent` does so with a real model and real
/// tools, a test does it with a list.
///
/// ```
/// use windlass_loop::{Config, Effect, Input, Machine, Outcome};
/// use windlass_protocol::StopReason;
/// use windlass_stream::Chunk;
///
/// let mut machine = Machine::new(Config::new("some-model", Vec::new()));
/// let effects = machine.step(Input::Start { task: "say hello".into() }, 0);
/// assert!(effects.iter().any(|effect| matches!(effect, Effect::Send { .. })));
/// machine.step(Input::Chunk(Chunk::text("hello")), 1);
/// machine.step(Input::Chunk(Chunk::Finish { reason: StopReason::End, raw: "stop".into() }), 2);
/// let effects = machine.step(Input::StreamEnd(Ok(())), 3);
/// assert_eq!(effects.last(), Some(&Effect::Done(Outcome::Completed { text: "hello".into() })));
/// ```
#[derive(Debug)]
pub struct Machine {
    pub(crate) config: Config,
    pub(crate) transcript: Transcript,
    pub(crate) approvals: Approvals,
    pub(crate) progress: Progress,
    pub(crate) protocols: ProtocolChoice,
    pub(crate) usage: Usage,
    pub(crate) phase: Phase,
    pub(crate) now_ms: u64,
    /// What was used since a human last said that the run may go on.
    pub(crate) spent: Spent,
    /// What this run has used in all.
    pub(crate) used: Used,
    /// What others have used that share its budget.
    pub(crate) others: Others,
    /// What the next turn is offered, if that is something else.
    pub(crate) offered: Option<Offer>,
    /// How full the window is.
    pub(crate) meter: Meter,
    /// What waits to be said.
    pub(crate) steering: Steering,
    /// Questions that another process put, for calls that are judged again.
    pub(crate) carried: BTreeMap<CallId, Carried>,
    /// Calls that were cut off, which the human is to hear of first.
    pub(crate) unknown: Vec<String>,
    /// The questions to the human about how it continues.
    pub(crate) consultations: Consultations,
    /// How often a human let it go on although its budget was used.
    pub(crate) granted: u32,
    /// How often it was taken up by another process.
    pub(crate) generation: u32,
    /// How many attempts at the present answer or summary were made, those before a resume included.
    pub(crate) sent: u32,
    /// How many attempts the record says came to nothing since the last answer.
    pub(crate) discarded: u32,
    /// Number of refusals of the present request that took pictures out of the conversation.
    pub(crate) image_refusals: u32,
    /// Tokens that were counted and that no entry of the record has yet.
    pub(crate) unrecorded: Option<Usage>,
    /// Words of the human that are on record, and that the record does not say to the model.
    pub(crate) unsaid: Option<String>,
    /// How many answers were asked for.
    pub(crate) answers: u64,
    effects: Vec<Effect>,
}

/// What the machine waits for.
#[derive(Debug)]
pub(crate) enum Phase {
    /// For the task.
    Idle,
    /// For the rest of an answer.
    Streaming(Box<Streaming>),
    /// For the rest of a summary.
    Condensing(Box<Condensing>),
    /// For calls to end.
    Executing(Box<Execution>),
    /// For the human's guidance.
    Consulting { id: ConsultationId, matter: Matter, question: String },
    /// For nothing: the run is over.
    Over,
}

impl Machine {
    /// A run that waits for its task.
    pub fn new(config: Config) -> Self {
        Self {
            approvals: Approvals::new(match config.limits.approval_timeout_ms {
                // Zero turns the limit off.
                0 => u64::MAX,
                timeout_ms => timeout_ms,
            }),
            protocols: ProtocolChoice::of(&config.protocols),
            meter: Meter::new(tools_size(config.tokenizer, config.system.as_deref(), &config.tools)),
            transcript: Transcript::default().counted_by(config.tokenizer),
            config,
            progress: Progress::default(),
            usage: Usage::default(),
            phase: Phase::Idle,
            now_ms: 0,
            spent: Spent::default(),
            used: Used::default(),
            others: Others::default(),
            offered: None,
            steering: Steering::default(),
            carried: BTreeMap::new(),
            unknown: Vec::new(),
            consultations: Consultations::default(),
            granted: 0,
            generation: 0,
            sent: 0,
            discarded: 0,
            image_refusals: 0,
            unrecorded: None,
            unsaid: None,
            answers: 0,
            effects: Vec::new(),
        }
    }

    /// The same run, begun with a conversation that was had elsewhere: the task is said after it.
    pub fn with_history(mut self, history: Transcript) -> Self {
        self.transcript = history.counted_by(self.config.tokenizer);
        self
    }

    /// Takes an input at a time, in milliseconds of any clock that only goes forward, and says what is wanted.
    ///
    /// An input that does not fit, as a chunk after the end, changes nothing.
    pub fn step(&mut self, input: Input, now_ms: u64) -> Vec<Effect> {
        let mut effects = Vec::new();
        self.step_into(input, now_ms, &mut effects);
        effects
    }

    /// The same, and what is wanted goes behind what is there already: a list that is kept needs no new memory for
    /// each piece of an answer.
    pub fn step_into(&mut self, input: Input, now_ms: u64, effects: &mut Vec<Effect>) {
        std::mem::swap(&mut self.effects, effects);
        self.now_ms = self.now_ms.max(now_ms);
        match input {
            Input::Start { task } => self.start(task),
            Input::Offer(offer) => self.offer(*offer),
            Input::Chunk(chunk) => self.chunk(chunk),
            Input::StreamEnd(end) => self.stream_end(end),
            Input::RefusedEarly { answer, key, refusal } => self.refused_early(answer, key, refusal),
            Input::Ahead { answer, call, outcome } => self.ran_ahead(answer, &call, *outcome),
            Input::Judged { call, judgement } => self.judged(&call, *judgement),
            Input::Approval(outcome) => self.approval(&outcome),
            Input::Started(call) => self.mark_running(call),
            Input::Result(result) => self.result(result),
            Input::Deferred(call) => self.deferred(&call),
            Input::LookedBack { call, aftermath } => self.looked_back(&call, &aftermath),
            Input::Fatal { call, message } => self.fatal(&call, message),
            Input::Shared { used, grants } => self.shared(used, grants),
            Input::Say { id, text, when } => self.queue(id, text, when),
            Input::Guidance { id, words } => self.guidance(id, words),
            Input::Cancel => self.cancel(),
            Input::Tick => {}
        }
        self.put_questions();
        for outcome in self.approvals.overdue(self.now_ms) {
            self.approval(&outcome);
        }
        std::mem::swap(&mut self.effects, effects);
    }

    /// Writes down the mode, where it is another than the one on record.
    pub(crate) fn record_mode(&mut self, recorded: Option<&str>) {
        if let Some(mode) = self.config.mode.clone().filter(|mode| Some(mode.as_str()) != recorded) {
            self.want(Effect::Record(Entry::Mode { mode }));
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over)
    }

    pub(crate) fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// The number of the turn that goes on, or went on last; 0 before the first.
    pub fn turn(&self) -> u32 {
        self.progress.turns
    }

    /// When the machine wants a `Tick`, if nothing else comes before.
    pub fn next_deadline(&self) -> Option<u64> {
        // An approval without a time limit waits until `u64::MAX`, which is no deadline.
        self.approvals.next_deadline().filter(|at_ms| *at_ms < u64::MAX)
    }

    /// The conversation so far.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// How calls reach the model (RULES P5).
    pub fn protocol(&self) -> ToolProtocol {
        self.protocols.current()
    }

    /// The run's tokens so far.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// What the run has used in all.
    pub fn used(&self) -> Used {
        self.used
    }

    /// How often a human let it go on in this process although its budget was used: a yes for all who share it.
    pub fn granted(&self) -> u32 {
        self.granted
    }

    /// What others have used that share its budget, each in all, by their runs' ids.
    pub fn used_by_others(&self) -> &BTreeMap<String, Used> {
        self.others.used()
    }

    /// The run's id; empty if it was not given one.
    pub fn run_id(&self) -> &str {
        &self.config.run
    }

    /// Counts an answer's tokens, of the conversation or of a summary.
    pub(crate) fn count_usage(&mut self, usage: &Usage) {
        self.usage.add(usage);
        self.unrecorded.get_or_insert_default().add(usage);
        self.spent.usage.add(usage);
        self.used = self.used.plus(Used::answer(usage, &self.config.budget.prices));
    }

    /// Writes a result down and puts it into the conversation.
    pub(crate) fn keep_result(&mut self, result: ToolResult) {
        self.want(Effect::Record(Entry::Result { result: result.clone() }));
        self.show(Event::CallEnded { result: result.clone() });
        self.transcript.result(result).expect("a slot of the execution ends once");
    }

    pub(crate) fn show(&mut self, event: Event) {
        self.want(Effect::Show(event));
    }

    pub(crate) fn want(&mut self, effect: Effect) {
        if let Effect::Record(Entry::Answered { .. } | Entry::Compacted { summarized: true, .. }) = &effect {
            self.unrecorded = None;
        }
        self.effects.push(effect);
    }

    /// An approval request has ended: the execution goes on with it, unless nobody asked.
    fn approval(&mut self, outcome: &ApprovalOutcome) {
        match self.approvals.end(outcome) {
            Ok(request) if self.postpone(&request, outcome) => {}
            Ok(request) => {
                let call: CallId = request.call.id.clone();
                self.want(Effect::Record(Entry::Approval { call: call.clone(), outcome: outcome.clone() }));
                self.show(Event::ApprovalEnded { outcome: outcome.clone() });
                self.approved(&call, outcome);
            }
            Err(error) => self.show(Event::AnswerRefused { reason: error.to_string() }),
        }
    }
}
