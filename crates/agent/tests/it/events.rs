//! Events of a run: a reader gets all of them in order, and an error after the events before it.

use std::sync::Arc;

use futures_util::StreamExt;
use serde_json::json;
use windlass_agent::{AgentBuilder, Event, RunOptions};
use windlass_journal::{Durability, Journal, JournalError, MemoryJournal, Record};
use windlass_protocol::{Effect, Hints, Payload, RawJson, ToolName, ToolSpec};
use windlass_tool::{Context, Output, Progress, Tool, ToolFuture};
use windlass_toolbox::{Preset, ToolConfig, Toolbox};
use windlass_tools_control::AttemptCompletion;

use crate::scene::{events, way};

/// More events than any queue between a tool and the reader holds.
const MANY: usize = 500;

/// A tool that emits a lot in one go.
struct Chatty(ToolSpec, Vec<fn(usize) -> Progress>);

impl Tool for Chatty {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn hints(&self) -> Hints {
        Hints::read_only()
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, ctx: &'a Context, _: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            for at in 0..MANY {
                for progress in &self.1 {
                    ctx.send(progress(at)).await;
                }
            }
            Ok(Output::text("fine"))
        })
    }
}

fn builder(tool: impl Tool + 'static, script: &str) -> AgentBuilder {
    let tools: [Arc<dyn Tool>; 2] = [Arc::new(tool), Arc::new(AttemptCompletion::default())];
    let toolbox = Toolbox::builder().tools(tools).config(ToolConfig::new(Preset::Full)).build().unwrap();
    windlass_agent::Agent::builder().model(way().model(script), "scripted-1").toolbox(toolbox)
}

fn chatty(emits: Vec<fn(usize) -> Progress>) -> AgentBuilder {
    let spec =
        ToolSpec::function(ToolName::new("chat").unwrap(), "Talks.", r#"{"type":"object"}"#.parse().unwrap());
    let script = r#"{"turns": [{"steps": [{"call": {"name": "chat", "arguments": {}}}]},
        {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;
    builder(Chatty(spec, emits), script)
}

// library B2
#[tokio::test]
async fn progress_and_events_of_agents_all_arrive_in_order() {
    let agent = chatty(vec![|at| Progress::Output(format!("line {at}\n")), |at| Progress::Agent {
        agents: vec!["below".to_owned()],
        event: json!({ "at": at }),
    }]);
    let (mut lines, mut below, mut is_running) = (String::new(), Vec::new(), false);
    for event in events(agent.build().unwrap().stream("go")).await {
        match event {
            Event::CallRunning { .. } => is_running = true,
            Event::CallProgress { text, .. } => lines.push_str(&text),
            Event::AgentEvent { happened, .. } => below.push(happened["at"].as_u64().unwrap()),
            Event::CallEnded { .. } if is_running => {
                assert_eq!(below.len(), MANY, "they come before the call's end");
                is_running = false;
            }
            _ => {}
        }
    }
    let expected: String = (0..MANY).fold(String::new(), |text, at| text + &format!("line {at}\n"));
    assert_eq!(lines, expected);
    assert_eq!(below, (0..MANY as u64).collect::<Vec<_>>());
}

// library B2: an event distinguishes the output of a call from notes about its progress.
#[tokio::test]
async fn notes_of_a_call_are_not_its_output() {
    let agent =
        chatty(vec![|at| Progress::Output(format!("{at} ")), |at| Progress::Note(format!("step {at}"))]);
    let (mut output, mut notes) = (String::new(), Vec::new());
    for event in events(agent.build().unwrap().stream("go")).await {
        match event {
            Event::CallProgress { text, .. } => output.push_str(&text),
            Event::CallNote { text, .. } => notes.push(text),
            _ => {}
        }
    }
    assert_eq!(output.split_whitespace().count(), MANY);
    assert!(!output.contains("step"), "{output}");
    assert_eq!(notes.len(), MANY);
    assert_eq!(notes.last().map(String::as_str), Some("step 499"));
}

// library B2
#[tokio::test]
async fn every_coerced_call_is_reported() {
    let call = |n: usize| json!({"call": {"name": "count", "arguments": {"n": n.to_string()}}});
    let calls: Vec<_> = (0..40).map(call).collect();
    let done = json!([{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]);
    let script = json!({"turns": [{"steps": calls}, {"steps": done}]}).to_string();
    let schema = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;
    let spec = ToolSpec::function(ToolName::new("count").unwrap(), "Counts.", schema.parse().unwrap());
    let agent = builder(Chatty(spec, Vec::new()), &script);
    let told = events(agent.build().unwrap().stream("go")).await;
    let coerced = told.iter().filter(|event| matches!(event, Event::CallCoerced { .. })).count();
    assert_eq!(coerced, 40);
}

/// A journal that accepts a number of records and then fails.
struct Full(MemoryJournal, usize);

impl Journal for Full {
    fn append(&mut self, entry: RawJson, at_ms: u64, durability: Durability) -> Result<u64, JournalError> {
        if self.1 == 0 {
            let source = std::io::Error::from(std::io::ErrorKind::StorageFull);
            return Err(JournalError::Io { path: "full".into(), doing: "written", source });
        }
        self.1 -= 1;
        self.0.append(entry, at_ms, durability)
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        self.0.records()
    }
}

// library B1
#[tokio::test]
async fn an_error_follows_the_earlier_events_and_ends_the_stream() {
    for takes in 0..8 {
        let agent = chatty(vec![|at| Progress::Output(format!("{at} "))]).build().unwrap();
        let options = RunOptions::default().with_journal(Full(MemoryJournal::default(), takes));
        let told: Vec<_> = agent.stream_with("go", options).collect().await;
        let errors = told.iter().filter(|event| event.is_err()).count();
        if told.iter().any(|event| matches!(event, Ok(Event::Finished { .. }))) {
            assert_eq!(errors, 0, "after {takes} records");
        } else {
            assert_eq!(errors, 1, "after {takes} records");
            assert!(told.last().unwrap().is_err(), "after {takes} records: {told:?}");
        }
    }
}
