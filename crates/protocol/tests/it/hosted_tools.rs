//! Tools that the provider runs, as values.

use serde_json::json;
use windlass_protocol::{
    CodeExecution, ComputerUse, FileSearch, HostedTool, ImageGeneration, McpServer, Message, Request,
    RequestOptions, ToolName, ToolSearch, UserLocation, WebFetch, WebSearch,
};

fn all() -> Vec<HostedTool> {
    let place = UserLocation::default().with_city("Graz").with_country("AT");
    vec![
        WebSearch::default().with_allowed_domains(["docs.rs"]).with_max_uses(3).with_location(place).into(),
        WebFetch::default().with_max_content_tokens(500).into(),
        CodeExecution::default().with_files(["file-1"]).into(),
        FileSearch::new(["store-1"]).with_max_results(5).into(),
        ComputerUse::new(1280, 800).into(),
        McpServer::new("issues", "https://mcp.example.org").with_allowed_tools(["search"]).into(),
        ToolSearch::default().with_deferred([ToolName::new("look").unwrap()]).into(),
        ImageGeneration::default().with_size("1024x1024").into(),
        HostedTool::native("anthropic", json!({ "type": "bash_20250124", "name": "bash" })),
    ]
}

#[test]
fn every_hosted_tool_round_trips() {
    let request = Request::new("m", vec![Message::user("hi")]).with_hosted_tools(all());
    let text = serde_json::to_string(&request).unwrap();
    assert_eq!(serde_json::from_str::<Request>(&text).unwrap(), request);
    for tool in all().iter().filter(|tool| !matches!(tool, HostedTool::Native(_))) {
        assert_eq!(serde_json::to_value(tool).unwrap()["type"], tool.kind());
    }
}

// Recordings of earlier versions have the definitions of one wire format.
#[test]
fn a_definition_without_a_kind_is_native() {
    let old = json!({
        "model": "m", "messages": [], "tool_choice": "auto", "parallel_calls": "provider_default",
        "hosted_tools": [{ "wire": "gemini", "value": { "googleSearch": {} } }],
    });
    let request: Request = serde_json::from_value(old).unwrap();
    let [tool] = request.options.hosted_tools.as_slice() else { panic!() };
    assert_eq!(tool.native_for("gemini"), Some(&json!({ "googleSearch": {} })));
    assert_eq!((tool.native_for("anthropic"), tool.kind()), (None, "native"));
}

#[test]
fn a_token_is_neither_shown_nor_written() {
    let server = McpServer::new("issues", "https://mcp.example.org").with_authorization("s3cr3t");
    let options = RequestOptions::default().with_hosted_tool(server);
    let text = serde_json::to_string(&options).unwrap();
    assert!(!text.contains("s3cr3t") && !format!("{options:?}").contains("s3cr3t"), "{text}");

    let mut recorded: RequestOptions = serde_json::from_str(&text).unwrap();
    let moved = McpServer::new("issues", "https://other.example.org").with_authorization("s3cr3t");
    recorded.restore_authorizations(&RequestOptions::default().with_hosted_tool(moved));
    assert_ne!(recorded, options, "a token does not go to another server");
    recorded.restore_authorizations(&options);
    assert_eq!(recorded, options);
}

#[test]
fn hosted_tools_of_a_run_replace_those_of_the_agent() {
    let agent = RequestOptions::default().with_hosted_tool(WebSearch::default());
    let run = RequestOptions::default().with_hosted_tool(CodeExecution::default());
    assert_eq!(agent.merge(&run).hosted_tools, run.hosted_tools);
    assert_eq!(agent.merge(&RequestOptions::default()).hosted_tools, agent.hosted_tools);
}
