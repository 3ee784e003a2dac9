//! A run with secrets: records, events and requests contain none, and a resumed run has equal ones.
#![expect(clippy::disallowed_methods, reason = "the test reads the files that a run leaves")]

use std::sync::{Arc, Mutex};

use windlass_agent::{
    Agent, AgentBuilder, Answers, ApproverReply, DeliverAt, Entry, Event, MessageReceiver, RunOptions,
    Transcript,
};
use windlass_journal::{Durability, Journal, Record};
use windlass_mock::ScriptedModel;
use windlass_protocol::{
    Arguments, CallId, Content, Effect, Hints, Message, Part, Payload, ResultStatus, ToolCall, ToolName,
    ToolResult, ToolSpec,
};
use windlass_redact::Redactor;
use windlass_tool::{Context, Output, Progress, Tool, ToolError, ToolFuture};
use windlass_toolbox::{OutputLimit, Preset, ToolConfig, Toolbox};
use windlass_tools_control::AttemptCompletion;

use crate::scene::{Scene, Shared, events, way};

const SECRETS: [&str; 3] = ["sk-planted-one-wxy1", "planted \"two\" wxy2", "planted/three+wxy3"];

/// Shows, fails with, or returns the value in its arguments, and stores the arguments of its run.
struct Leaky {
    spec: ToolSpec,
    ran_with: Arc<Mutex<Vec<String>>>,
}

impl Leaky {
    fn new() -> Self {
        let parameters = r#"{"type":"object"}"#.parse().unwrap();
        let spec = ToolSpec::function(ToolName::new("leak").unwrap(), "A tool.", parameters);
        Self { spec, ran_with: Arc::default() }
    }
}

impl Tool for Leaky {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints::default()
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Write { path: "a".into(), bytes: None }]
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        let asked = payload.text();
        self.ran_with.lock().unwrap().push(asked.clone());
        Box::pin(async move {
            let all = SECRETS.join(" and ");
            for piece in all.as_bytes().chunks(5) {
                ctx.tell(Progress::Output(String::from_utf8(piece.to_vec()).unwrap()));
            }
            ctx.tell(Progress::Note(all.clone()));
            if asked.contains("fail") {
                return Err(ToolError::model(format!("it was {all}")));
            }
            let long = format!("{}{all}", "x".repeat(4_000));
            let value = serde_json::json!({ "found": SECRETS, SECRETS[0]: 1 });
            let mut output = Output::text(all);
            output.content.extend([Content::text(long), Content::Structured { value }]);
            Ok(output)
        })
    }
}

fn script() -> String {
    let written = SECRETS[2];
    format!(
        r#"{{"turns": [
        {{"steps": [{{"text": "I look at {written}."}}, {{"call": {{"name": "leak", "arguments": {{"value": "{written}"}}}}}}]}},
        {{"steps": [{{"call": {{"name": "leak", "arguments": {{"how": "fail"}}}}}}]}},
        {{"steps": [{{"call": {{"name": "attempt_completion", "arguments": {{"result": "it is {written}"}}}}}}]}}]}}"#
    )
}

fn agent(model: &Arc<ScriptedModel>, tool: &Arc<Leaky>) -> AgentBuilder {
    let tools: [Arc<dyn Tool>; 2] = [tool.clone(), Arc::new(AttemptCompletion::default())];
    let toolbox = Toolbox::builder().tools(tools).config(ToolConfig::new(Preset::Full));
    let toolbox = toolbox.output_limit(OutputLimit { bytes: 2_000 }).build().unwrap();
    let redactor = Redactor::new(SECRETS.map(Into::into));
    Agent::builder().model(model.clone(), "scripted-1").toolbox(toolbox).redactor(redactor)
}

/// Checks that a text contains no secret and no piece of a secret that was cut.
#[track_caller]
fn check(what: &str, text: &str) {
    for secret in ["sk-planted", "two", "three+", "wxy1", "wxy2", "wxy3"] {
        assert!(!text.contains(secret), "{secret} is in {what}: {text}");
    }
}

// I6
#[tokio::test]
async fn outputs_of_a_run_contain_no_secret_and_calls_run_unchanged() {
    let (model, tool) = (Arc::new(way().model(&script())), Arc::new(Leaky::new()));
    let (journal, outputs) = (Shared::default(), tempfile::tempdir().unwrap());
    let answers =
        Answers::new([ApproverReply::Approve, ApproverReply::Deny(Some(format!("not {}", SECRETS[0])))]);
    let agent = agent(&model, &tool).approver(answers.clone()).build().unwrap();
    let options = RunOptions::default().with_journal(journal.clone()).with_outputs(outputs.path());
    let seen = events(agent.stream_with(format!("find {}", SECRETS[1]), options)).await;
    assert!(matches!(seen.last(), Some(Event::Finished { .. })));
    for event in &seen {
        check("an event", &format!("{event:?} {}", serde_json::to_string(event).unwrap()));
    }
    // Joined pieces of shown text may form a secret.
    let shown: String = seen.iter().filter_map(words).collect();
    check("what is shown", &shown);
    assert!(shown.contains("I look at [redacted]."), "{shown}");
    for record in journal.records().unwrap() {
        check("a record", record.body.as_str());
    }
    for request in answers.requests() {
        check("a question", &format!("{request:?}"));
    }
    for file in std::fs::read_dir(outputs.path()).unwrap() {
        check("a kept output", &std::fs::read_to_string(file.unwrap().path()).unwrap());
    }
    for request in model.requests() {
        let mut request = request.clone();
        // The model wrote this secret itself.
        hide_own_words(&mut request);
        check("a request", &request.to_string());
    }
    assert_eq!(*tool.ran_with.lock().unwrap(), [format!(r#"{{"value": "{}"}}"#, SECRETS[2])]);
}

fn words(event: &Event) -> Option<String> {
    match event {
        Event::Text { text } | Event::CallProgress { text, .. } | Event::CallNote { text, .. } => {
            Some(text.clone())
        }
        Event::CallArguments { delta, .. } => Some(delta.clone()),
        _ => None,
    }
}

fn hide_own_words(request: &mut serde_json::Value) {
    for message in request["messages"].as_array_mut().unwrap() {
        for call in message["tool_calls"].as_array_mut().into_iter().flatten() {
            call["function"]["arguments"] = "".into();
        }
    }
}

// I7: a resumed run sends the bytes of the live run, except for secrets that the model itself wrote.
#[tokio::test]
async fn the_record_replays_to_the_conversation_that_was_live() {
    let (model, tool) = (Arc::new(way().model(&script())), Arc::new(Leaky::new()));
    let journal = Shared::default();
    let agent_of = |model: &Arc<ScriptedModel>| {
        let answers = Answers::new([ApproverReply::Approve, ApproverReply::Approve]);
        agent(model, &tool).approver(answers).build().unwrap()
    };
    let options = RunOptions::default().with_journal(journal.clone());
    events(agent_of(&model).stream_with(format!("find {}", SECRETS[1]), options)).await;
    let live = model.requests();
    // The record before the request for the last answer.
    let records = journal.records().unwrap();
    let mut cut = Shared::default();
    for record in &records[..=second_result(&records)] {
        cut.append(record.body.clone(), record.at_ms, Durability::Synced).unwrap();
    }
    let again = Arc::new(way().model(&script()));
    let resumed = agent_of(&again).resume(RunOptions::default().with_journal(cut)).unwrap();
    drop(events(resumed).await);
    let (mut before, mut after) = (live[2].clone(), again.requests()[0].clone());
    hide_own_words(&mut before);
    hide_own_words(&mut after);
    assert_eq!(before["messages"], after["messages"]);
}

fn second_result(records: &[Record]) -> usize {
    let is_result = |record: &Record| record.body.as_str().starts_with(r#"{"entry":"result""#);
    let mut found = records.iter().enumerate().filter(|(_, record)| is_result(record)).map(|(at, _)| at);
    found.nth(1).unwrap()
}

// I6: text from earlier conversations and messages during the run are redacted too.
#[tokio::test]
async fn imported_history_and_messages_are_redacted() {
    let script = r#"{"turns": [
        {"steps": [{"call": {"name": "look", "arguments": {"n": 1}}}]},
        {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;
    let scene = Scene::new(script, way());
    let journal = Shared::default();
    let call = ToolCall::function(
        CallId::new("old").unwrap(),
        ToolName::new("look").unwrap(),
        Arguments::parse(serde_json::json!({ "key": SECRETS[1] }).to_string()).unwrap(),
    );
    let had = [
        Message::user(format!("the key is {}", SECRETS[0])),
        Message::assistant(vec![Part::Call(call)]),
        Message::results([ToolResult::text(CallId::new("old").unwrap(), ResultStatus::Ok, SECRETS[2])]),
    ];
    let (sender, messages) = MessageReceiver::channel();
    sender.send(format!("not {}", SECRETS[0]), DeliverAt::NextTurn).await.unwrap();
    let options = RunOptions::default()
        .with_journal(journal.clone())
        .with_history(Transcript::import(had).transcript)
        .with_messages(messages);
    let agent = scene.builder().redactor(Redactor::new(SECRETS.map(Into::into))).build().unwrap();
    let told = events(agent.stream_with("task", options)).await;
    assert!(told.iter().any(|event| matches!(event, Event::Said { .. })));
    let marked = |what: &str, text: &str| {
        check(what, text);
        text.contains("[redacted]")
    };
    assert!(marked("an event", &serde_json::to_string(&told).unwrap()));
    let records = journal.records().unwrap();
    let marks = records.iter().filter(|record| marked("a record", record.body.as_str())).count();
    assert!(marks >= 2, "{marks}");
    assert!(!scene.model.requests().is_empty());
    for request in scene.model.requests() {
        assert!(request.to_string().contains("the key is [redacted]"));
        assert!(marked("a request", &request.to_string()));
    }
}

// correctness 20: a secret that equals a word of the record's format neither drops an event nor breaks the record.
#[tokio::test]
async fn a_run_whose_secrets_equal_record_keywords_can_be_resumed() {
    let secrets = ["result", "status", "function", "call_ended", "intent", "decision", "finished", "message"];
    let (model, tool) = (Arc::new(way().model(&script())), Arc::new(Leaky::new()));
    let journal = Shared::default();
    let agent_of = |model: &Arc<ScriptedModel>| {
        let answers = Answers::new([ApproverReply::Approve, ApproverReply::Approve]);
        agent(model, &tool)
            .redactor(Redactor::new(secrets.map(Into::into)))
            .approver(answers)
            .build()
            .unwrap()
    };
    let options = RunOptions::default().with_journal(journal.clone());
    let seen = events(agent_of(&model).stream_with("say finished", options)).await;
    let ended = seen.iter().filter(|event| matches!(event, Event::CallEnded { .. })).count();
    assert_eq!(ended, 3, "{seen:?}");
    assert!(matches!(seen.last(), Some(Event::Finished { .. })), "{seen:?}");
    let records = journal.records().unwrap();
    for record in &records {
        record.read::<Entry>().unwrap();
    }
    assert!(records[0].body.as_str().contains("say [redacted]"), "{}", records[0].body.as_str());
    let mut cut = Shared::default();
    for record in &records[..=second_result(&records)] {
        cut.append(record.body.clone(), record.at_ms, Durability::Synced).unwrap();
    }
    let again = Arc::new(way().model(&script()));
    let resumed = agent_of(&again).resume(RunOptions::default().with_journal(cut)).unwrap();
    assert!(matches!(events(resumed).await.last(), Some(Event::Finished { .. })));
}
