//! Programs of the model that call functions, with the recorded answers of two providers.
#![expect(clippy::disallowed_methods, reason = "the corpora are files")]

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use futures_util::stream;
use serde_json::{Value, json};
use windlass_agent::{Agent, AgentBuilder, Answers, ApproveAll, Event, RunOptions, UnansweredPolicy};
use windlass_journal::Journal;
use windlass_protocol::{Effect, Hints, ProgrammaticCalling, Refusal, Request};
use windlass_stream::{ChunkStream, Model, ModelFuture};
use windlass_testkit::{Need, corpora, require};
use windlass_tool::Tool;
use windlass_toolbox::{Preset, ToolConfig, Toolbox};
use windlass_wire::{Wire, WireLimits};
use windlass_wire_anthropic::Anthropic;
use windlass_wire_gemini::Gemini;
use windlass_wire_openai_chat::OpenAiChat;
use windlass_wire_openai_responses::OpenAiResponses;

use crate::scene::{Counting, Shared, events};

/// A model that answers with recorded streams, one after the other, and keeps the bodies of its requests.
struct Recorded {
    wire: Arc<dyn Wire>,
    answers: Mutex<VecDeque<String>>,
    requests: Mutex<Vec<Value>>,
}

impl Recorded {
    fn new(wire: Arc<dyn Wire>, answers: impl IntoIterator<Item = String>) -> Self {
        let answers = Mutex::new(answers.into_iter().collect());
        Self { wire, answers, requests: Mutex::default() }
    }

    fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap().clone()
    }
}

impl Model for Recorded {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        let http = self.wire.encode(request).unwrap();
        self.requests.lock().unwrap().push(serde_json::from_slice(&http.body).unwrap());
        let answer = self.answers.lock().unwrap().pop_front().unwrap();
        let (mut decoder, mut chunks) = (self.wire.decoder(WireLimits::default()), Vec::new());
        decoder.push(answer.as_bytes(), &mut chunks).unwrap();
        decoder.finish(&mut chunks).unwrap();
        Box::pin(async { Ok(Box::pin(stream::iter(chunks.into_iter().map(Ok))) as ChunkStream) })
    }

    fn check(&self, request: &Request) -> Vec<Refusal> {
        self.wire.check(request)
    }
}

/// The recorded game of dice: a program calls `rollDie` thirteen times. Each answer of the recording is a message.
fn dice(path: &Path) -> Arc<Recorded> {
    let text = fs::read_to_string(path).unwrap();
    let answers: Vec<String> = text
        .split("event: message_start\n")
        .filter(|part| !part.trim().is_empty())
        .map(|part| format!("event: message_start\n{part}"))
        .collect();
    Arc::new(Recorded::new(Arc::new(Anthropic::default()), answers))
}

fn tool(name: &str) -> Arc<Counting> {
    let effect = Effect::Write { path: "a".into(), bytes: None };
    Arc::new(Counting::new(name, Hints::default(), effect))
}

fn builder(model: &Arc<Recorded>, tools: &[Arc<Counting>]) -> AgentBuilder {
    builder_of("claude-sonnet-4-5", model, tools)
}

fn builder_of(name: &str, model: &Arc<Recorded>, tools: &[Arc<Counting>]) -> AgentBuilder {
    let names = tools.iter().map(|tool| tool.spec().name().clone());
    let calling = ProgrammaticCalling::new(names);
    let tools = tools.iter().map(|tool| tool.clone() as Arc<dyn Tool>);
    let config = ToolConfig::new(Preset::Full);
    let toolbox = Toolbox::builder().tools(tools.collect::<Vec<_>>()).config(config).build().unwrap();
    Agent::builder().model(model.clone(), name).toolbox(toolbox).hosted_tool(calling)
}

const DICE: &str = "streams/anthropic/vercel-ai__anthropic-anthropic-programmatic-tool-calling.1.chunks.sse";

#[tokio::test]
async fn the_calls_of_a_recorded_program_run_and_their_results_go_back_to_its_container() {
    let model = dice(&require!(Need::Corpora, corpora::find(DICE)));
    let answers = model.answers.lock().unwrap().len();
    let roll = tool("rollDie");
    let agent = builder(&model, std::slice::from_ref(&roll)).approver(ApproveAll).build().unwrap();
    let events = events(agent.stream("Play.")).await;

    let program = events.iter().find_map(|event| match event {
        Event::HostedCall { call } => Some(call.id.as_str()),
        _ => None,
    });
    let callers: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::CallFinished { call, .. } => Some(call.program_id()),
            _ => None,
        })
        .collect();
    assert!(program.is_some());
    assert!(callers.len() > 10 && callers.iter().all(|caller| *caller == program), "{callers:?}");
    assert_eq!(roll.calls.load(Ordering::SeqCst), callers.len());
    assert!(events.iter().any(|event| matches!(event, Event::HostedResult { .. })));

    let requests = model.requests();
    assert_eq!(requests.len(), answers, "{:#?}", &events[events.len() - 6..]);
    assert_eq!(requests[0]["container"], Value::Null);
    for (position, request) in requests.iter().enumerate().skip(1) {
        assert_eq!(request["container"], "container_011CWHPPTDTn1XufeRB9uHeH", "request {position}");
        let last = request["messages"].as_array().unwrap().last().unwrap();
        let kinds: Vec<&Value> =
            last["content"].as_array().unwrap().iter().map(|block| &block["type"]).collect();
        assert!(kinds.iter().all(|kind| *kind == "tool_result"), "request {position}: {kinds:?}");
    }
    let blocks = requests.last().unwrap()["messages"].as_array().unwrap().iter().flat_map(|message| {
        message["content"].as_array().into_iter().flatten().filter(|block| block["type"] == "tool_use")
    });
    let senders: Vec<&Value> = blocks.map(|block| &block["caller"]["tool_id"]).collect();
    assert_eq!(senders, vec![&json!(program); callers.len()]);
}

// A program has no more rights than the model: its calls wait for the same answer, and a denial is their result.
#[tokio::test]
async fn a_call_of_a_program_is_decided_like_any_other_and_survives_a_restart() {
    let model = dice(&require!(Need::Corpora, corpora::find(DICE)));
    let roll = tool("rollDie");
    let journal = Shared::default();
    let first = builder(&model, std::slice::from_ref(&roll)).on_unanswered(UnansweredPolicy::Suspend);
    let first = first.approver(Answers::default()).build().unwrap();
    let options = RunOptions::default().with_journal(journal.clone());
    assert_eq!(first.run_with("Play.", options).await.unwrap().text(), None);
    assert_eq!(roll.calls.load(Ordering::SeqCst), 0, "the call waits");

    let record: String =
        journal.records().unwrap().iter().map(|entry| entry.body.as_str().to_owned()).collect();
    assert!(record.contains("srvtoolu_01MzSrFWsmzBdcoQkGWLyRjK"), "{record}");
    let later = builder(&model, std::slice::from_ref(&roll)).approver(ApproveAll).build().unwrap();
    let resumed = later.resume(RunOptions::default().with_journal(journal)).unwrap();
    assert!(resumed.report().await.unwrap().text().is_some());
    assert!(roll.calls.load(Ordering::SeqCst) > 10);
    // The record keeps the container and the caller.
    let second = &model.requests()[1];
    assert_eq!(second["container"], "container_011CWHPPTDTn1XufeRB9uHeH");
    assert_eq!(second["tools"][0]["allowed_callers"], json!(["code_execution_20260120"]));
}

#[tokio::test]
async fn a_denied_call_of_a_program_does_not_run() {
    let model = dice(&require!(Need::Corpora, corpora::find(DICE)));
    let roll = tool("rollDie");
    // Without an approver a call that has to be approved is denied.
    let agent =
        builder(&model, std::slice::from_ref(&roll)).on_unanswered(UnansweredPolicy::Deny).build().unwrap();
    let events = events(agent.stream("Play.")).await;
    assert_eq!(roll.calls.load(Ordering::SeqCst), 0);
    let second = &model.requests()[1];
    let last = second["messages"].as_array().unwrap().last().unwrap();
    assert!(last["content"][0]["content"].to_string().contains("[denied]"), "{last}");
    assert!(!events.is_empty());
}

#[tokio::test]
async fn the_recorded_program_of_openai_gets_its_results() {
    let find = |number: usize| {
        let name = "vercel-ai__openai-responses-programmatic-tool-calling";
        corpora::find(&format!("streams/openai-responses/{name}.{number}.chunks.sse"))
    };
    let paths = require!(Need::Corpora, (1..=3).map(find).collect::<Result<Vec<_>, _>>());
    let answers = paths.iter().map(|path| fs::read_to_string(path).unwrap());
    let model = Arc::new(Recorded::new(Arc::new(OpenAiResponses::default()), answers));
    let tools = [tool("getInventory"), tool("getDemand")];
    let agent = builder(&model, &tools).approver(ApproveAll).build().unwrap();
    let events = events(agent.stream("Is there enough?")).await;
    let ran = tools.iter().map(|tool| tool.calls.load(Ordering::SeqCst)).collect::<Vec<_>>();
    assert_eq!(ran, [1, 1]);

    let shown: Vec<(&str, &str)> = events
        .iter()
        .filter_map(|event| match event {
            Event::HostedCall { call } => Some(("program", call.id.as_str())),
            Event::HostedResult { result } => Some(("output", result.id.as_str())),
            Event::CallFinished { call, .. } => {
                Some((call.name.as_str(), call.program_id().unwrap_or("none")))
            }
            _ => None,
        })
        .collect();
    let program = "call_voPdoCqf8APY4DMpam3bdmxq";
    let expected = ["program", "getInventory", "getDemand", "output"].map(|kind| (kind, program));
    assert_eq!(shown, expected);

    let requests = model.requests();
    assert_eq!(requests[0]["tools"][2], json!({ "type": "programmatic_tool_calling" }));
    assert_eq!(requests[0]["tools"][0]["allowed_callers"], json!(["programmatic"]));
    let items = requests[2]["input"].as_array().unwrap();
    let kinds: Vec<&str> = items.iter().filter_map(|item| item["type"].as_str()).collect();
    let call = ["function_call", "function_call_output"];
    assert_eq!(kinds, [["reasoning", "program"], call, call].concat());
    for item in
        items.iter().filter(|item| item["type"].as_str().is_some_and(|kind| kind.starts_with("function")))
    {
        assert_eq!(item["caller"], json!({ "type": "program", "caller_id": program }), "{item}");
    }
    let kept = items.iter().find(|item| item["type"] == "program").unwrap();
    assert!(kept["fingerprint"].as_str().is_some_and(|text| !text.is_empty()), "{kept}");
}

#[test]
fn a_format_without_programs_refuses_them_by_name() {
    let wires: [Arc<dyn Wire>; 2] = [Arc::new(OpenAiChat::default()), Arc::new(Gemini::default())];
    for wire in wires {
        let format = wire.name();
        let model = Arc::new(Recorded::new(wire, []));
        let error =
            builder_of("gemini-3-pro", &model, &[tool("roll")]).build().map(drop).unwrap_err().to_string();
        let reason = format!("{format} cannot carry the hosted tool `programmatic_calling`");
        assert_eq!(error, format!("the agent cannot offer a hosted tool: {reason}"));
    }
}
