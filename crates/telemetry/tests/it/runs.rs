//! Whole runs of an agent.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use tokio::runtime::Builder;
use tokio::sync::Notify;
use windlass_agent::{Agent, ApproveAll, DenyAll, Event, RunOptions};
use windlass_journal::{Durability, Journal, JournalError, MemoryJournal, Record};
use windlass_protocol::{Effect, Hints, Payload, RawJson, Request, StopReason, ToolName, ToolSpec};
use windlass_stream::{CallChunk, Chunk, ChunkStream, Model, ModelFuture, WholeCall};
use windlass_telemetry::trace_events;
use windlass_tool::{CancellationToken, Context, Output, Tool, ToolFuture};
use windlass_toolbox::{Preset, ToolConfig, Toolbox};

use crate::events::options;
use crate::gathered::{All, gathered};

/// A model that gives one answer after the other.
struct Script(Mutex<VecDeque<Vec<Chunk>>>);

impl Model for Script {
    fn stream<'a>(&'a self, _: &'a Request) -> ModelFuture<'a> {
        let chunks = self.0.lock().unwrap().pop_front().unwrap_or_default();
        Box::pin(async {
            Ok(Box::pin(futures_util::stream::iter(chunks.into_iter().map(Ok))) as ChunkStream)
        })
    }
}

/// A tool that waits until all concurrent calls have started.
struct Meeting {
    spec: ToolSpec,
    hints: Hints,
    path: &'static str,
    waits_for: usize,
    begun: Arc<(Mutex<usize>, Notify)>,
}

impl Tool for Meeting {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        self.hints
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        let path = self.path.into();
        if self.hints.read_only {
            return vec![Effect::Read { path }];
        }
        vec![Effect::Write { path, bytes: None }]
    }

    fn call<'a>(&'a self, _: &'a Context, _: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let (count, changed) = &*self.begun;
            *count.lock().unwrap() += 1;
            changed.notify_waiters();
            loop {
                let next = changed.notified();
                if *count.lock().unwrap() >= self.waits_for {
                    return Ok(Output::text("met"));
                }
                next.await;
            }
        })
    }
}

fn tool(name: &str, hints: Hints, path: &'static str, waits_for: usize) -> Meeting {
    let schema = r#"{"type":"object"}"#.parse().unwrap();
    let spec = ToolSpec::function(ToolName::new(name).unwrap(), "A tool.", schema);
    Meeting { spec, hints, path, waits_for, begun: Arc::default() }
}

fn call(id: &str, name: &str, number: u8) -> Chunk {
    let body = WholeCall::Arguments(format!("{{\"n\":{number}}}"));
    Chunk::Call(CallChunk::Whole { id: Some(id.into()), name: name.into(), body, opaque: None })
}

fn finish(reason: StopReason) -> Chunk {
    Chunk::Finish { reason, raw: "raw".into() }
}

/// Approvers of the questions.
#[derive(Clone, Copy)]
enum Yes {
    ToAll,
    Never,
}

fn agent(answers: Vec<Vec<Chunk>>, together: usize) -> Agent {
    agent_with(answers, together, Yes::ToAll)
}

fn agent_with(answers: Vec<Vec<Chunk>>, together: usize, answers_questions: Yes) -> Agent {
    let toolbox = Toolbox::builder()
        .tool(Arc::new(tool("look", Hints::read_only(), "a.txt", together)))
        .tool(Arc::new(tool("change", Hints::default(), "../outside.txt", 1)))
        .tool(Arc::new(tool("edit", Hints::default(), "a.txt", 1)))
        .config(ToolConfig::new(Preset::Full))
        .build()
        .unwrap();
    let model = Script(Mutex::new(answers.into()));
    let builder = Agent::builder().model(model, "m-1").toolbox(toolbox);
    match answers_questions {
        Yes::ToAll => builder.approver(ApproveAll),
        Yes::Never => builder.approver(DenyAll),
    }
    .build()
    .unwrap()
}

fn three() -> Vec<Vec<Chunk>> {
    let calls = [call("c1", "look", 1), call("c2", "look", 2), call("c3", "change", 3)];
    let first = calls.into_iter().chain([finish(StopReason::Calls)]).collect();
    vec![first, vec![Chunk::text("done"), finish(StopReason::End)]]
}

/// The spans of some work with a run.
#[track_caller]
fn spans<F: Future<Output = ()>>(work: impl FnOnce() -> F) -> All {
    let all = gathered(|| {
        Builder::new_current_thread().enable_all().start_paused(true).build().unwrap().block_on(work());
    });
    all.check();
    all
}

#[test]
fn a_run_with_parallel_and_denied_calls_has_complete_spans() {
    let all = spans(|| async {
        let mut events = trace_events(agent(three(), 2).stream("task"), &options());
        while let Some(event) = events.next().await {
            event.unwrap();
        }
    });
    all.one("invoke_agent").has(&[
        ("windlass.outcome", "completed"),
        ("windlass.turns", "2"),
        ("error.type", ""),
    ]);
    let tools = all.named("execute_tool");
    let mut ids: Vec<&str> = tools.iter().map(|tool| tool.get("gen_ai.tool.call.id")).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["c1", "c2"], "{all:?}");
    assert!(tools[1].opened < tools[0].closed, "they met");
    assert!(tools.iter().all(|tool| tool.get("windlass.decision") == "allow"), "{tools:?}");
    let told = &all.one("invoke_agent").events;
    assert_eq!((told.len(), told[0]["gen_ai.tool.call.id"].as_str()), (1, "c3"));
    assert_eq!(
        (told[0]["windlass.status"].as_str(), told[0]["windlass.decision"].as_str()),
        ("denied", "deny")
    );
}

#[test]
fn a_stream_that_is_dropped_closes_what_is_open() {
    let all = spans(|| async {
        let mut events = trace_events(agent(three(), 9).stream("task"), &options());
        while let Some(event) = events.next().await {
            if matches!(event.unwrap(), Event::CallRunning { .. }) {
                break;
            }
        }
    });
    all.one("execute_tool").has(&[("error.type", "dropped")]);
    all.one("invoke_agent").has(&[("error.type", "dropped"), ("windlass.outcome", "")]);
}

#[test]
fn a_cancelled_run_marks_all_its_spans() {
    let all = spans(|| async {
        let stop = CancellationToken::new();
        let run = RunOptions::default().with_cancellation(stop.clone());
        let mut events = trace_events(agent(three(), 9).stream_with("task", run), &options());
        while let Some(event) = events.next().await {
            // A run that is cancelled before its calls have begun has no spans of tools.
            if matches!(event.unwrap(), Event::CallRunning { .. }) {
                stop.cancel();
            }
        }
    });
    all.one("invoke_agent").has(&[("error.type", "cancelled"), ("windlass.outcome", "stopped")]);
    let tools = all.named("execute_tool");
    assert!(!tools.is_empty() && tools.iter().all(|tool| tool.get("error.type") == "cancelled"), "{tools:?}");
}

/// A journal that is looked at from outside.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<MemoryJournal>>);

impl Journal for Kept {
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> Result<u64, JournalError> {
        self.0.lock().unwrap().append(body, at_ms, durability)
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        self.0.lock().unwrap().records()
    }
}

/// Returns the record of a run up to the intent of the first call, as a killed process leaves it.
fn cut(records: &[Record]) -> MemoryJournal {
    let is_intent = |record: &&Record| record.body.as_str().contains(r#""entry":"intent""#);
    let end = records.iter().take_while(|record| !is_intent(record)).count();
    let mut journal = MemoryJournal::default();
    for record in &records[..end] {
        journal.append(record.body.clone(), record.at_ms, Durability::Buffered).unwrap();
    }
    journal
}

#[test]
fn a_run_that_is_resumed_has_spans_for_the_calls_of_its_record() {
    let journal = Kept::default();
    let first = agent(three(), 2);
    let kept = RunOptions::default().with_journal(journal.clone());
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(first.stream_with("task", kept).report()).unwrap();
    let left = cut(&journal.records().unwrap());
    let all = spans(|| async {
        let again = agent(three().split_off(1), 2);
        let events = again.resume(RunOptions::default().with_journal(left)).unwrap();
        let mut events = trace_events(events, &options());
        while let Some(event) = events.next().await {
            event.unwrap();
        }
    });
    let mut names: Vec<(&str, &str)> = (all.named("execute_tool").iter())
        .map(|tool| (tool.get("gen_ai.tool.name"), tool.get("gen_ai.tool.call.id")))
        .collect();
    names.sort_unstable();
    assert_eq!(names, [("look", "c1"), ("look", "c2")]);
    assert_eq!(all.named("chat").len(), 1, "the first answer was another process's");
    all.one("invoke_agent").has(&[("gen_ai.conversation.id", "run-7"), ("windlass.outcome", "completed")]);
}

// H12
#[test]
fn a_question_is_a_span_with_its_outcome() {
    let script = || vec![vec![call("c1", "edit", 1), finish(StopReason::Calls)], three().remove(1)];
    for (who, outcome, runs) in [(Yes::ToAll, "approved", 1), (Yes::Never, "no_approver", 0)] {
        let all = spans(|| async {
            let mut events = trace_events(agent_with(script(), 1, who).stream("task"), &options());
            while let Some(event) = events.next().await {
                event.unwrap();
            }
        });
        let question = all.one("approval");
        question.has(&[
            ("otel.name", "approval edit"),
            ("gen_ai.tool.call.id", "c1"),
            ("windlass.approval.outcome", outcome),
            ("windlass.rule_id", "d.ask"),
        ]);
        assert!(!question.get("windlass.approval.request_id").is_empty());
        let tools = all.named("execute_tool");
        assert_eq!(tools.len(), runs, "{all:?}");
        assert!(tools.iter().all(|tool| question.closed < tool.opened));
    }
}
