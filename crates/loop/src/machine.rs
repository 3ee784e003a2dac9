//! The state of a run, and the dispatch of each input to its handler.

pub(crate) mod resume;

use std::collections::BTreeMap;

use windlass_hitl::{ApprovalOutcome, Approvals};
use windlass_protocol::{CallId, ToolProtocol, ToolResult, Usage};

use crate::budget::{Others, Spent};
use crate::machine::resume::Carried;
use crate::meter::{Meter, tools_size};
use crate::phase::condensing::Condensing;
use crate::phase::consulting::Consultations;
use crate::phase::executing::Execution;
use crate::phase::streaming::Streaming;
use crate::progress::Progress;
use crate::protocol::ProtocolChoice;
use crate::steering::Steering;
use crate::{Config, ConsultationId, Effect, Entry, Event, Input, Matter, Offer, Transcript, Used};

/// The state machine of one run of an agent. It performs no IO: it takes inputs and returns the effects that
/// the driver has to execute.
///
/// The machine is deterministic: the same inputs at the same times give the same effects. The driver executes
/// the effects in their order and passes their results back as inputs. `windlass-agent` is a driver with a
/// real model and real tools; a test can drive the machine from a list of inputs.
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
    /// Usage since the start of the run, the resume, or the human's last approval of the budget.
    pub(crate) spent: Spent,
    /// Total usage of this run.
    pub(crate) used: Used,
    /// Usage of the other runs that share this run's budget.
    pub(crate) others: Others,
    /// The offer for the next turn; `None` if it does not change.
    pub(crate) offered: Option<Offer>,
    /// Estimates the tokens of the next request.
    pub(crate) meter: Meter,
    /// Messages of the human that have not been sent to the model yet.
    pub(crate) steering: Steering,
    /// Approval requests of earlier processes, for calls that are judged again after a resume.
    pub(crate) carried: BTreeMap<CallId, Carried>,
    /// Tools of interrupted calls with unknown effects, which are reported to the human before the next turn.
    pub(crate) unknown: Vec<String>,
    /// Questions to the human about how the run continues.
    pub(crate) consultations: Consultations,
    /// Number of times in this process that a human let the run continue after its budget was used.
    pub(crate) granted: u32,
    /// Number of times that another process resumed the run.
    pub(crate) generation: u32,
    /// Number of attempts at the present answer or summary, including those before a resume.
    pub(crate) sent: u32,
    /// Number of failed attempts that the record contains since the last answer.
    pub(crate) discarded: u32,
    /// Number of refusals of the present request after which pictures were removed from the conversation.
    pub(crate) image_refusals: u32,
    /// Tokens that have been counted and are not part of a recorded entry yet.
    pub(crate) unrecorded: Option<Usage>,
    /// Recorded guidance of the human whose message to the model is missing in the record, because the
    /// process ended in between.
    pub(crate) unsaid: Option<String>,
    /// Number of answers requested in this process, repeated attempts included.
    pub(crate) answers: u64,
    effects: Vec<Effect>,
}

/// The phase of a run, named by the input that the machine waits for.
#[derive(Debug)]
pub(crate) enum Phase {
    /// Waits for the task.
    Idle,
    /// Waits for the rest of an answer.
    Streaming(Box<Streaming>),
    /// Waits for the rest of a summary.
    Condensing(Box<Condensing>),
    /// Waits for calls to end.
    Executing(Box<Execution>),
    /// Waits for the human's guidance.
    Consulting { id: ConsultationId, matter: Matter, question: String },
    /// The run is over.
    Over,
}

impl Machine {
    /// Creates a machine that waits for its task.
    pub fn new(config: Config) -> Self {
        Self {
            approvals: Approvals::new(match config.limits.approval_timeout_ms {
                // Zero turns the timeout off.
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

    /// Sets a conversation that took place before this run; the task is appended to it.
    pub fn with_history(mut self, history: Transcript) -> Self {
        self.transcript = history.counted_by(self.config.tokenizer);
        self
    }

    /// Handles an input and returns the effects to execute, in their order. `now_ms` is the time in
    /// milliseconds of any monotonic clock; a time before that of the previous step counts as the previous
    /// time.
    ///
    /// An input that does not fit the present phase, such as a chunk after the end of an answer, is ignored.
    /// An answer to a question that is not open is reported as [`Event::AnswerRefused`].
    pub fn step(&mut self, input: Input, now_ms: u64) -> Vec<Effect> {
        let mut effects = Vec::new();
        self.step_into(input, now_ms, &mut effects);
        effects
    }

    /// Like [`step`](Self::step), but appends to `effects`, so that a driver can reuse one buffer instead of
    /// allocating for every chunk.
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

    /// Records the mode if it differs from the recorded one.
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

    /// Returns the number of the present or last turn; 0 before the first.
    pub fn turn(&self) -> u32 {
        self.progress.turns
    }

    /// Returns the time at which the machine needs an [`Input::Tick`] if it receives no other input before.
    pub fn next_deadline(&self) -> Option<u64> {
        // The approval queue represents "without a time limit" as `u64::MAX`.
        self.approvals.next_deadline().filter(|at_ms| *at_ms < u64::MAX)
    }

    /// Returns the conversation so far.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// Returns the protocol in which calls reach the model (RULES P5).
    pub fn protocol(&self) -> ToolProtocol {
        self.protocols.current()
    }

    /// Returns the tokens of the run so far.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Returns the total usage of this run.
    pub fn used(&self) -> Used {
        self.used
    }

    /// Returns how many times in this process a human let the run continue after its budget was used. Such an
    /// answer counts for all runs that share the budget.
    pub fn granted(&self) -> u32 {
        self.granted
    }

    /// Returns the total usage of each other run that shares this run's budget, by run id.
    pub fn used_by_others(&self) -> &BTreeMap<String, Used> {
        self.others.used()
    }

    /// Returns the run's id; empty if the configuration sets none.
    pub fn run_id(&self) -> &str {
        &self.config.run
    }

    /// Adds the tokens of an answer or a summary to the counters.
    pub(crate) fn count_usage(&mut self, usage: &Usage) {
        self.usage.add(usage);
        self.unrecorded.get_or_insert_default().add(usage);
        self.spent.usage.add(usage);
        self.used = self.used.plus(Used::answer(usage, &self.config.budget.prices));
    }

    /// Records a result and adds it to the conversation.
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

    /// Ends an approval request and applies its outcome to the call. An outcome without an open request is
    /// refused.
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
