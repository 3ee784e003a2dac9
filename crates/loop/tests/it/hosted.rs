//! Tools that the provider runs: offered in every request, shown, recorded, and never executed.

use serde_json::json;
use windlass_loop::{Command, Entry, Event, Machine};
use windlass_protocol::{
    HostedCall, HostedResult, HostedTool, McpServer, RequestOptions, Unknown, WebSearch,
};
use windlass_stream::Chunk;

use crate::driven::{Driven, config, entries};

fn options(token: &str) -> RequestOptions {
    let server = McpServer::new("issues", "https://mcp.example.org").with_authorization(token);
    RequestOptions::default().with_hosted_tool(WebSearch::default().with_max_uses(2)).with_hosted_tool(server)
}

fn offered(effects: &[Command]) -> Vec<HostedTool> {
    let mut requests = effects.iter().filter_map(|effect| match effect {
        Command::Send { request, .. } => Some(request.options.hosted_tools.clone()),
        _ => None,
    });
    requests.next_back().unwrap()
}

#[test]
fn a_call_of_the_provider_is_shown_and_not_executed() {
    let mut run = Driven::start(config().with_options(options("t")));
    let block = Unknown::new("anthropic", json!({ "content_block": { "type": "server_tool_use" } }));
    let failed =
        HostedResult::new("s1", "web_search", json!({})).with_error(Some("max_uses_exceeded".into()));
    run.answer([
        Chunk::text("I search."),
        Chunk::HostedCall(HostedCall::new("s1", "web_search", json!({ "query": "x" }))),
        Chunk::Unknown(block.clone()),
        Chunk::HostedResult(failed.clone()),
        Chunk::text("Nothing."),
    ]);
    let shown: Vec<String> = run
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::TextEnded => Some("text ended".to_owned()),
            Event::HostedCall { call } => Some(format!("{} {}", call.name, call.arguments)),
            Event::HostedResult { result } => result.error.clone(),
            _ => None,
        })
        .collect();
    assert_eq!(shown, ["text ended", r#"web_search {"query":"x"}"#, "max_uses_exceeded", "text ended"]);
    assert!(run.to_decide().is_empty() && run.ran().is_empty());
    let kept = run.machine.transcript().messages().iter().flat_map(|message| &message.parts);
    assert!(kept.into_iter().any(|part| *part == windlass_protocol::Part::Unknown(block.clone())));
}

#[test]
fn a_resumed_run_offers_the_recorded_tools_with_the_token_of_the_agent() {
    let run = Driven::start(config().with_options(options("first")));
    assert_eq!(offered(&run.effects), options("first").hosted_tools);
    let record: Vec<Entry> = entries(&run.effects);
    let text = serde_json::to_string(&record).unwrap();
    assert!(text.contains("mcp.example.org") && !text.contains("first"), "{text}");

    // The agent of the later process has another token and a further tool.
    let later = options("second").with_hosted_tool(WebSearch::default());
    let record: Vec<Entry> = serde_json::from_str(&text).unwrap();
    let (_, effects) = Machine::resume(config().with_options(later), record, 0).unwrap();
    assert_eq!(offered(&effects), options("second").hosted_tools);
}
