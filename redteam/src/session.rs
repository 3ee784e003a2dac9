//! A real run of the agent: a scripted model makes its calls, the real tools run, and the approver follows
//! the setup.

use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use serde_json::Value;
use windlass_agent::{Agent, Approver, ApproverFuture, Event, Outcome, RunOptions};
use windlass_hitl::{ApprovalDecision, ApprovalRequest, Decision};
use windlass_journal::FileJournal;
use windlass_protocol::{CallId, Effect, ResultStatus, ToolCall, ToolResult};
use windlass_telemetry::{SpanOptions, trace_events};
use windlass_tool::CancellationToken;

use crate::catalogue::Word;
use crate::engine::Engine;
use crate::model::Speaker;
use crate::observed::Observation;
use crate::processes;
use crate::setup::Answers;

/// The options of a run.
pub(crate) struct Session {
    pub(crate) engine: Engine,
    /// The model's steps, turn by turn.
    pub(crate) turns: Vec<Vec<Value>>,
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) cancel_after: Option<Duration>,
    pub(crate) journal: Option<PathBuf>,
    /// Stops the run as soon as an answer to a question was refused, because nothing else would happen.
    pub(crate) stop_at_refused_answer: bool,
    /// The options of the run's spans.
    pub(crate) spans: SpanOptions,
}

/// The observations of a run.
#[derive(Debug, Default)]
pub(crate) struct SessionResult {
    pub(crate) requests: Vec<Value>,
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) decisions: Vec<Decision>,
    pub(crate) asked: Vec<ApprovalRequest>,
    pub(crate) running: Vec<CallId>,
    pub(crate) results: Vec<ToolResult>,
    pub(crate) refused_answers: Vec<String>,
    /// The events of sub-agents.
    pub(crate) below: Vec<Value>,
    pub(crate) text: String,
    pub(crate) failure: Option<String>,
    pub(crate) took: Duration,
    /// True if a process that was started after the last decision has ended.
    pub(crate) had_process: bool,
}

/// An approver that follows the setup and records the requests.
pub(crate) struct Recording {
    pub(crate) answers: Answers,
    pub(crate) shown: Mutex<Vec<ApprovalRequest>>,
}

/// An approver that runs a function before its answer.
pub(crate) struct Meddling<F>(pub(crate) F);

impl Session {
    /// Creates a run in which the model makes one call and then ends.
    pub(crate) fn for_call(engine: Engine, tool: &str, arguments: &str, answers: Answers) -> Self {
        let step = engine.step(tool, arguments);
        Self::for_turns(engine, &[vec![step]], answers)
    }

    /// Creates a run in which the model makes these steps, turn by turn, and then ends.
    pub(crate) fn for_turns(engine: Engine, turns: &[Vec<Value>], answers: Answers) -> Self {
        Self {
            engine,
            turns: turns.to_vec(),
            approver: Arc::new(Recording { answers, shown: Mutex::default() }),
            cancel_after: None,
            journal: None,
            stop_at_refused_answer: false,
            spans: SpanOptions::default(),
        }
    }

    pub(crate) async fn run(self) -> anyhow::Result<SessionResult> {
        let model = Arc::new(Speaker::new(&self.turns)?);
        let agent = Agent::builder()
            .model(Arc::clone(&model), "scripted")
            .toolbox(self.engine.toolbox)
            .policy(self.engine.policy)
            .autonomy(self.engine.mode)
            .root(self.engine.scope.clone())
            .approval_history(self.engine.learned, |_| {})
            .redactor(self.engine.redactor)
            .approver(self.approver)
            .build()?;
        let stop = CancellationToken::new();
        let mut options = RunOptions::default().with_cancellation(stop.clone());
        if let Some(journal) = self.journal {
            options = options.with_journal(FileJournal::create(journal)?);
        }
        let began = Instant::now();
        let mut ran = SessionResult::default();
        let mut ended_before = processes::count_ended_children();
        let mut events = trace_events(agent.stream_with("Do it.", options), &self.spans);
        let deadline = tokio::time::sleep(self.cancel_after.unwrap_or(Duration::from_hours(24)));
        let mut deadline = std::pin::pin!(deadline);
        let mut is_stopped = self.cancel_after.is_none();
        loop {
            let event = tokio::select! {
                () = &mut deadline, if !is_stopped => {
                    is_stopped = true;
                    stop.cancel();
                    continue;
                }
                event = events.next() => event,
            };
            let Some(event) = event else { break };
            match event {
                Ok(event) => {
                    if matches!(event, Event::Decided { .. }) {
                        ended_before = processes::count_ended_children();
                    }
                    ran.see(event);
                }
                Err(error) => ran.failure = Some(error.to_string()),
            }
            if self.stop_at_refused_answer && !ran.refused_answers.is_empty() {
                stop.cancel();
            }
        }
        ran.took = began.elapsed();
        ran.had_process = processes::count_ended_children() != ended_before;
        ran.requests = model.requests();
        Ok(ran)
    }
}

impl SessionResult {
    fn see(&mut self, event: Event) {
        match event {
            Event::CallFinished { call, .. } => self.calls.push(call),
            Event::Decided { decision, .. } => self.decisions.push(decision),
            Event::ToolApprovalRequest { request, .. } => self.asked.push(*request),
            Event::CallRunning { call } => self.running.push(call),
            Event::CallEnded { result } => self.results.push(result),
            Event::AgentEvent { happened, .. } => self.below.push(happened),
            Event::AnswerRefused { reason } => self.refused_answers.push(reason),
            Event::Text { text } => self.text.push_str(&text),
            Event::Finished { outcome: Outcome::Failed { message }, .. } => self.failure = Some(message),
            _ => {}
        }
    }

    /// Translates the run of one call to the catalogue's words.
    pub(crate) fn observe(&self, answers: Answers) -> Observation {
        let result = self.results.last();
        let status = result.map(|result| result.status);
        let is_asked = !self.asked.is_empty();
        let words = match (self.running.is_empty(), status) {
            (true, _) if self.failure.is_some() => vec![Word::Error],
            (true, _) if is_asked && answers == Answers::Yes => vec![Word::Error],
            (true, _) if is_asked => vec![Word::Ask],
            // Stage 0: the engine counts it as a denial, the catalogue as an error.
            (true, Some(ResultStatus::Denied)) if self.is_invalid() => vec![Word::Deny, Word::Error],
            (true, Some(ResultStatus::Denied)) => vec![Word::Deny],
            (true, _) => vec![Word::Error],
            // The setup's approval is a part of the setup, so a call that ran after it counts as allowed.
            (false, Some(ResultStatus::Ok)) if !is_asked || answers == Answers::Yes => {
                vec![Word::Contained, Word::Allow]
            }
            (false, Some(ResultStatus::Ok)) => vec![Word::Contained],
            // A command that ran and failed was not refused.
            (false, _) if self.starts_processes() && self.had_process => vec![Word::Contained],
            (false, _) => vec![Word::Contained, Word::Error],
        };
        let detail = match (result, &self.failure, self.decisions.last()) {
            (Some(result), ..) => result.wire_text(),
            (None, Some(failure), _) => failure.clone(),
            (None, None, Some(decision)) => format!("{}: {}", decision.reason.rule_id, decision.reason.text),
            (None, None, None) => "nothing happened".to_owned(),
        };
        let rule = self.decisions.last().map_or("-", |decision| decision.reason.rule_id.as_str());
        let executed = u64::try_from(self.running.len()).unwrap_or(u64::MAX);
        let results = u64::try_from(self.results.len()).unwrap_or(u64::MAX);
        Observation::new(words, format!("{rule}: {detail}"))
            .with_results(self.results.iter().map(ToolResult::wire_text))
            .with_prompts(self.asked.iter().map(ApprovalRequest::describe))
            .with_value("wall_s", self.took.as_secs_f64())
            .with_value("executed", executed)
            .with_value("results", results)
    }

    fn is_invalid(&self) -> bool {
        self.decisions.last().is_some_and(|decision| decision.reason.rule_id.starts_with("v."))
    }

    fn starts_processes(&self) -> bool {
        let effects = self.asked.iter().flat_map(|request| &request.effects);
        let asked = effects.clone().any(|effect| matches!(effect, Effect::Execute { .. }));
        let named = |name: &str| self.calls.iter().any(|call| call.name.as_str() == name);
        asked || named("run_command") || named("execute_code")
    }
}

impl Approver for Recording {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        let id = request.request_id.clone();
        match self.answers {
            Answers::Yes => Box::pin(async { Some(ApprovalDecision::approve(id)) }),
            Answers::No => Box::pin(async { Some(ApprovalDecision::deny(id, None)) }),
            Answers::Nothing => Box::pin(std::future::pending()),
        }
    }
}

impl<F: Fn(&ApprovalRequest) -> Option<ApprovalDecision> + Send + Sync> Approver for Meddling<F> {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        let decision = (self.0)(request);
        Box::pin(async move { decision })
    }
}

/// An approver whose own code panics.
pub(crate) struct Crashing;

impl Approver for Crashing {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async { resume_unwind(Box::new("the approver broke down")) })
    }
}
