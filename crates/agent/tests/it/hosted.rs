//! Tools that the provider runs: offered, recorded, refused early, and shown.

use std::sync::Mutex;

use futures_util::stream;
use serde_json::{Value, json};
use windlass_agent::{Agent, AgentBuilder, Answers, ApproveAll, Event, RunOptions, UnansweredPolicy};
use windlass_journal::Journal;
use windlass_protocol::{
    Citation, CitationSource, CodeExecution, ComputerUse, HostedCall, HostedResult, HostedTool, McpServer,
    Request, RequestOptions, StopReason, ToolProtocol, WebSearch,
};
use windlass_stream::{Chunk, ChunkStream, Model, ModelFuture, RangeUnit};

use crate::scene::{Scene, Shared, Way, events, ways};

fn native(wire: &str) -> Way {
    let is_native = |way: &Way| way.protocol == ToolProtocol::Native && way.wire.name() == wire;
    ways().into_iter().find(is_native).unwrap()
}

fn hosted() -> (Scene, AgentBuilder) {
    let script = r#"{"turns": [{"steps": [{"call": {"name": "change", "arguments": {}}}]}, {"steps": [{"text": "done"}]}]}"#;
    let scene = Scene::new(script, native("openai-responses")).without_completion();
    let server = McpServer::new("issues", "https://mcp.example.org").with_authorization("s3cr3t");
    let builder = scene.builder().hosted_tool(WebSearch::default()).hosted_tool(server);
    (scene, builder)
}

#[tokio::test]
async fn hosted_tools_are_offered_in_each_turn_and_after_a_resume() {
    let journal = Shared::default();
    let (scene, builder) = hosted();
    // Options that are set later do not remove the tools.
    let builder = builder.request_options(RequestOptions::default().with_temperature(0.5));
    let first =
        builder.on_unanswered(UnansweredPolicy::Suspend).approver(Answers::default()).build().unwrap();
    let options = RunOptions::default().with_journal(journal.clone());
    assert_eq!(first.run_with("task", options).await.unwrap().text(), None);
    let record = journal.records().unwrap();
    let record: String = record.iter().map(|entry| entry.body.as_str()).collect();
    assert!(record.contains("mcp.example.org") && !record.contains("s3cr3t"), "{record}");

    // The later agent has other tools, and another token for the recorded server.
    let server = McpServer::new("issues", "https://mcp.example.org").with_authorization("n3w");
    let later = scene.builder().hosted_tool(CodeExecution::default()).hosted_tool(server);
    let later = later.approver(ApproveAll).build().unwrap();
    let resumed = later.resume(RunOptions::default().with_journal(journal)).unwrap();
    assert_eq!(resumed.report().await.unwrap().text(), Some("done"));

    let offered = |request: &Value| -> Vec<Value> {
        let tools = request["tools"].as_array().unwrap().iter();
        let hosted = tools.filter(|tool| tool["type"] != "function");
        hosted.map(|tool| json!([tool["type"], tool["authorization"]])).collect()
    };
    let requests: Vec<Vec<Value>> = scene.model.requests().iter().map(offered).collect();
    let tools = |token| vec![json!(["web_search", null]), json!(["mcp", token])];
    assert_eq!(requests, [tools("s3cr3t"), tools("n3w")]);
}

#[test]
fn a_hosted_tool_that_the_format_does_not_have_is_refused_when_the_agent_is_built() {
    let build = |wire, tool: HostedTool| {
        let scene = Scene::new(r#"{"turns": []}"#, native(wire));
        scene.builder().hosted_tool(tool).build().map(drop).map_err(|error| error.to_string())
    };
    let refused = |wire, tool, reason: &str| {
        let expected = format!("the agent cannot offer a hosted tool: {reason}");
        assert_eq!(build(wire, tool), Err(expected));
    };
    let code = || HostedTool::from(CodeExecution::default());
    refused("openai-chat", code(), "openai-chat cannot carry the hosted tool `code_execution`");
    let search = WebSearch::default().with_max_uses(1);
    let reason = "openai-responses cannot carry `max_uses` of the hosted tool `web_search`";
    refused("openai-responses", search.clone().into(), reason);
    let computer = ComputerUse::new(800, 600);
    let reason = "an agent does not perform the calls of the hosted tool `computer_use`";
    refused("anthropic", computer.into(), reason);
    assert_eq!(build("anthropic", search.into()), Ok(()));
    assert_eq!(build("openai-responses", code()), Ok(()));
}

/// A model that answers once with these chunks.
struct Once(Mutex<Vec<Chunk>>);

impl Model for Once {
    fn stream<'a>(&'a self, _: &'a Request) -> ModelFuture<'a> {
        let chunks = std::mem::take(&mut *self.0.lock().unwrap());
        Box::pin(async { Ok(Box::pin(stream::iter(chunks.into_iter().map(Ok))) as ChunkStream) })
    }
}

fn searched() -> Agent {
    let source = CitationSource::Url("https://a.example".into());
    let citation = Citation::new(source).with_title(Some("A".into())).with_range(Some(0..3));
    let failed = HostedResult::new("s1", "web_search", Value::Null).with_error(Some("unavailable".into()));
    let chunks = vec![
        Chunk::HostedCall(HostedCall::new("s1", "web_search", json!({ "query": "hunter2" }))),
        Chunk::HostedResult(failed),
        Chunk::text("Yes, hun"),
        Chunk::Citation { citation, unit: RangeUnit::Bytes },
        Chunk::text("ter2."),
        Chunk::Finish { reason: StopReason::End, raw: "stop".into() },
    ];
    let redactor = windlass_redact::Redactor::new(["hunter2".into()]);
    let builder = Agent::builder().model(Once(Mutex::new(chunks)), "m").redactor(redactor);
    builder.hosted_tool(WebSearch::default()).build().unwrap()
}

#[tokio::test]
async fn a_call_of_the_provider_is_an_event_without_secrets() {
    let shown = events(searched().stream("task")).await;
    let shown: Vec<Value> = shown
        .into_iter()
        .filter(|event| matches!(event, Event::HostedCall { .. } | Event::HostedResult { .. }))
        .map(|event| serde_json::to_value(event).unwrap())
        .collect();
    let mark = windlass_redact::Redactor::MARK;
    let call = json!({ "id": "s1", "name": "web_search", "arguments": { "query": mark } });
    let result = json!({ "id": "s1", "name": "web_search", "error": "unavailable" });
    let expected = [
        json!({ "event": "hosted_call", "call": call }),
        json!({ "event": "hosted_result", "result": result }),
    ];
    assert_eq!(shown, expected);
}

// A source between two pieces of a secret does not release the first one.
#[tokio::test]
async fn the_report_has_the_sources_of_the_answer() {
    let report = searched().run("task").await.unwrap();
    assert_eq!(report.text().unwrap(), format!("Yes, {}.", windlass_redact::Redactor::MARK));
    let sources: Vec<_> = report.citations().map(|(passage, citation)| (passage, &citation.source)).collect();
    assert_eq!(sources, [("Yes", &CitationSource::Url("https://a.example".into()))]);
}
