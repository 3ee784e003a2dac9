//! All servers of a program together (RULES M1, M4, M6).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use windlass_mcp::{
    Approval, ClientOptions, ConnectionOptions, ConnectionsError, McpClient, McpConnections, McpServer,
    Presence, ServerEvent, ServerStatus,
};
use windlass_protocol::{Arguments, CallId, Payload, Risk, ToolCall, ToolName};
use windlass_tool::Context;
use windlass_toolbox::{Availability, DynamicTools, Preset, ToolConfig, Toolbox};

use crate::calls::text;
use crate::fake::{FakeServer, Say, answer, polite, tool, with_tools};

fn server(id: &str) -> McpServer {
    McpServer::new(id, "no program").unwrap()
}

fn of(server: McpServer, fake: &Arc<FakeServer>) -> McpClient {
    McpClient::with_connector(server, fake.clone(), ClientOptions::default())
}

fn ctx() -> Context {
    Context::new(CallId::new("c").unwrap())
}

async fn start(clients: Vec<McpClient>, options: ConnectionOptions) -> McpConnections {
    let connections = McpConnections::start_clients(clients, options).await.unwrap();
    connections.wait_until_settled().await;
    connections
}

fn toolbox(dynamic: &DynamicTools) -> Toolbox {
    Toolbox::builder().config(ToolConfig::new(Preset::Full)).dynamic(dynamic.clone()).build().unwrap()
}

fn offered(toolbox: &Toolbox) -> Vec<String> {
    toolbox.tool_specs().iter().map(|(spec, _)| spec.name().to_string()).collect()
}

async fn until(holds: impl Fn() -> bool) {
    for _ in 0..2_000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("what was to be seen did not come");
}

// M4: a server that fails stops no other server, and is reported.
#[tokio::test]
async fn failing_servers_are_reported_and_stop_no_other() {
    let told: Arc<Mutex<Vec<ServerEvent>>> = Arc::default();
    let hears = told.clone();
    let options = ConnectionOptions::default().with_listener(move |event| hears.lock().unwrap().push(event));
    let good = with_tools(json!([tool("add"), tool("sub")]));
    let clients = vec![
        of(server("good"), &good),
        McpClient::new(McpServer::new("missing", "/no/such/program").unwrap(), ClientOptions::default()),
    ];
    let connections = start(clients, options).await;
    let status = connections.status();
    assert_eq!(status[0], ("good".to_owned(), ServerStatus::Ready { tools: 2 }));
    assert!(matches!(&status[1].1, ServerStatus::Failed { why, .. } if why.contains("could not be started")));
    assert_eq!(connections.names()[0].1, ["add", "sub"]);
    let output = connections.call_tool("good", "add", Arguments::default(), &ctx()).await.unwrap();
    assert!(text(&output).contains("called"));
    connections.close().await;
    assert!(connections.status().iter().all(|(_, status)| *status == ServerStatus::Closed));
    assert!(connections.call_tool("good", "add", Arguments::default(), &ctx()).await.is_err());
    let told = told.lock().unwrap();
    let of_good: Vec<&ServerStatus> =
        told.iter().filter(|event| event.server == "good").map(|event| &event.status).collect();
    assert_eq!(of_good, [&ServerStatus::Starting, &ServerStatus::Ready { tools: 2 }, &ServerStatus::Closed]);
}

#[tokio::test]
async fn a_server_that_has_to_be_there_is_waited_for() {
    let required =
        || McpServer::new("missing", "/no/such/program").unwrap().with_presence(Presence::Required);
    let error = McpConnections::start([required()], ConnectionOptions::default()).await.unwrap_err();
    assert!(matches!(error, ConnectionsError::Required(_)), "{error}");
    let twice = [server("a"), server("a")];
    let error = McpConnections::start(twice, ConnectionOptions::default()).await.unwrap_err();
    assert!(matches!(error, ConnectionsError::Duplicate(name) if name == "a"));
    // A silent optional server does not delay the others.
    let silent = FakeServer::new(|_| Vec::new());
    let good = with_tools(json!([tool("add")]));
    let clients =
        vec![of(server("silent"), &silent), of(server("good").with_presence(Presence::Required), &good)];
    let connections = McpConnections::start_clients(clients, ConnectionOptions::default()).await.unwrap();
    assert!(connections.tool("good", "add").is_some());
    assert_eq!(connections.status()[1].1, ServerStatus::Starting);
}

// M6: the client refuses a disabled tool at the time of the call, by the tool's raw name.
#[tokio::test]
async fn disabled_or_unknown_tools_are_refused_by_the_client() {
    let fake = with_tools(json!([tool("add"), tool("rm"), tool("sub")]));
    let listed = server("fake").with_enabled_tools(["add", "rm"]).with_disabled_tools(["rm"]);
    let connections = start(vec![of(listed, &fake)], ConnectionOptions::default()).await;
    assert_eq!(connections.names()[0].1, ["add"]);
    for (server, tool, why) in [
        ("fake", "rm", "switched off"),
        ("fake", "sub", "switched off"),
        ("fake", "add2", "switched off"),
        ("other", "add", "known servers: fake"),
    ] {
        let refused = connections.call_tool(server, tool, Arguments::default(), &ctx()).await.unwrap_err();
        assert!(refused.to_string().contains(why), "{server}/{tool}: {refused}");
    }
    assert!(fake.heard_of("tools/call").is_empty());
    let all = start(vec![of(server("fake"), &fake)], ConnectionOptions::default()).await;
    let refused = all.call_tool("fake", "mul", Arguments::default(), &ctx()).await.unwrap_err();
    assert!(refused.to_string().contains("it has: add, rm, sub"), "{refused}");
}

#[tokio::test]
async fn a_tool_that_always_asks_is_critical() {
    let fake = with_tools(json!([tool("add"), tool("rm")]));
    let asks = server("fake").with_tool_approval("rm", Approval::Always);
    assert_eq!((asks.approval("rm"), asks.approval("add")), (Approval::Always, Approval::Policy));
    let connections = start(vec![of(asks, &fake)], ConnectionOptions::default()).await;
    let risk = |name: &str| connections.tool("fake", name).unwrap().hints().risk;
    assert_eq!((risk("add"), risk("rm")), (Risk::High, Risk::Critical));
}

// M1: a running toolbox has the new list at its next turn, and not before.
#[tokio::test]
async fn a_changed_list_takes_effect_between_turns() {
    let dynamic = DynamicTools::default();
    let listed = Arc::new(Mutex::new(json!([tool("add")])));
    let lists = listed.clone();
    let fake = FakeServer::new(move |message| polite(message, &lists.lock().unwrap()));
    let options = ConnectionOptions::default().with_dynamic(dynamic.clone());
    let connections = start(vec![of(server("fake"), &fake)], options).await;
    let first = toolbox(&dynamic);
    assert_eq!(offered(&first), ["mcp__fake__add"]);
    let before = connections
        .tool("fake", "add")
        .unwrap()
        .effects(&Payload::Function { arguments: Arguments::default() });
    *listed.lock().unwrap() =
        json!([{"name": "add", "description": "other", "inputSchema": {"type": "object"}}, tool("sub")]);
    for _ in 0..1_000 {
        fake.say(json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})).await;
    }
    until(|| first.is_stale()).await;
    assert_eq!(offered(&first), ["mcp__fake__add"], "within a turn nothing changes");
    assert_eq!(offered(&first.refresh()), ["mcp__fake__add", "mcp__fake__sub"]);
    let tool = connections.tool("fake", "add").unwrap();
    let payload = Payload::Function { arguments: Arguments::default() };
    assert_eq!(tool.effects(&payload), before);
    let refused = tool.call(&ctx(), &payload).await.unwrap_err().to_string();
    assert!(refused.contains("has changed it"), "{refused}");
    connections.begin_turn();
    assert_ne!(connections.tool("fake", "add").unwrap().effects(&payload), before);
    assert!(fake.heard_of("tools/list").len() <= 3, "{} looks", fake.heard_of("tools/list").len());
    assert!(fake.heard_of("tools/call").is_empty());
}

#[tokio::test]
async fn a_list_is_read_again_without_a_notification() {
    let dynamic = DynamicTools::default();
    let listed = Arc::new(Mutex::new(json!([tool("add")])));
    let lists = listed.clone();
    let fake = FakeServer::new(move |message| polite(message, &lists.lock().unwrap()));
    let options = ConnectionOptions::default().with_dynamic(dynamic.clone());
    let connections = start(vec![of(server("fake"), &fake)], options).await;
    *listed.lock().unwrap() = json!([tool("sub")]);
    connections.list_again("fake").await.unwrap();
    assert_eq!(offered(&toolbox(&dynamic)), ["mcp__fake__sub"]);
    connections.list_again("unknown").await.unwrap();
    let weak = connections.downgrade();
    assert!(weak.upgrade().is_some());
    drop(connections);
    assert!(weak.upgrade().is_none());
}

#[tokio::test]
async fn an_ended_server_is_reported_and_restarts_on_use() {
    let mut calls = 0;
    let fake = FakeServer::new(move |message| {
        if message["method"] == "tools/call" {
            calls += 1;
            if calls == 1 {
                return vec![Say::Die];
            }
        }
        polite(message, &json!([tool("add")]))
    });
    let limits = windlass_mcp::McpLimits { backoff: Duration::ZERO, ..windlass_mcp::McpLimits::default() };
    let connections =
        start(vec![of(server("fake").with_limits(limits), &fake)], ConnectionOptions::default()).await;
    let output = connections.call_tool("fake", "add", Arguments::default(), &ctx()).await.unwrap();
    assert!(!output.status.is_ok());
    until(|| connections.status()[0].1 == ServerStatus::Closed).await;
    let output = connections.call_tool("fake", "add", Arguments::default(), &ctx()).await.unwrap();
    assert!(output.status.is_ok());
    until(|| connections.status()[0].1 == ServerStatus::Ready { tools: 1 }).await;
}

async fn run(toolbox: &Toolbox, name: &str, arguments: Value) -> String {
    let arguments = Arguments::parse(arguments.to_string()).unwrap();
    let call = ToolCall::function(CallId::new("c").unwrap(), ToolName::new(name).unwrap(), arguments);
    match toolbox.check(&call) {
        Ok(checked) => toolbox.run(&checked, &ctx()).await.unwrap().wire_text(),
        Err(refused) => refused.wire_text(),
    }
}

#[tokio::test]
async fn many_tools_are_looked_for_and_offered_at_the_next_turn() {
    let dynamic = DynamicTools::default();
    let mut tools: Vec<Value> = (0..60).map(|number| tool(&format!("tool_{number}"))).collect();
    tools.push(json!({"name": "create_issue", "description": "Opens an issue in a tracker.",
        "inputSchema": {"type": "object", "properties": {"labels": {"type": "array"}}}}));
    let fake = with_tools(tools.into());
    let options = ConnectionOptions::default().with_dynamic(dynamic.clone());
    let connections = start(vec![of(server("fake"), &fake)], options).await;
    let first = toolbox(&dynamic);
    assert_eq!(offered(&first), ["tool_search"]);
    assert_eq!(first.availability("mcp__fake__create_issue"), Some(Availability::Deferred));
    let refused = run(&first, "mcp__fake__create_issue", json!({})).await;
    assert!(refused.contains("tool_search"), "{refused}");
    let found = run(&first, "tool_search", json!({"query": "labels of an issue", "limit": 1})).await;
    assert!(found.contains("mcp__fake__create_issue: Opens an issue"), "{found}");
    assert!(run(&first, "tool_search", json!({"query": "zebra"})).await.contains("None of the 61 tools"));
    assert_eq!(offered(&first), ["tool_search"], "not within the turn");
    let second = first.refresh();
    assert_eq!(offered(&second), ["tool_search", "mcp__fake__create_issue"]);
    assert!(run(&second, "mcp__fake__create_issue", json!({})).await.contains("called"));
    connections.close().await;
    assert!(offered(&second.refresh()).is_empty());
    assert!(run(&second, "mcp__fake__create_issue", json!({})).await.contains("was removed"));
}

#[tokio::test]
async fn resources_and_prompts_are_listed_and_read() {
    let fake = FakeServer::new(|message| {
        let result = match message["method"].as_str() {
            Some("initialize") => json!({"protocolVersion": "2025-06-18", "capabilities": {"resources": {}}}),
            Some("resources/list") if message["params"]["cursor"].is_null() => json!({"resources": [
                {"uri": "file:///a", "name": "a", "mimeType": "text/plain", "size": 3}, {"no": "address"}], "nextCursor": "2"}),
            Some("resources/list") => json!({"resources": [{"uri": "file:///b", "name": "b"}]}),
            Some("resources/templates/list") => {
                json!({"resourceTemplates": [{"uriTemplate": "db://{table}", "name": "t"}]})
            }
            Some("resources/read") => json!({"contents": [
                {"uri": "file:///a", "mimeType": "text/plain", "text": "words"},
                {"uri": "file:///p", "mimeType": "image/png", "blob": "aGk="}]}),
            Some("prompts/list") => {
                json!({"prompts": [{"name": "p", "arguments": [{"name": "x", "required": true}]}]})
            }
            Some("prompts/get") => {
                json!({"messages": [{"role": "user", "content": {"type": "text", "text": "do it"}}]})
            }
            _ => return polite(message, &json!([])),
        };
        vec![answer(message, &result)]
    });
    let connections = start(vec![of(server("fake"), &fake)], ConnectionOptions::default()).await;
    let resources = connections.list_resources("fake").await.unwrap();
    assert_eq!(resources.iter().map(|one| one.uri.as_str()).collect::<Vec<_>>(), ["file:///a", "file:///b"]);
    assert_eq!(resources[0].size, Some(3));
    assert_eq!(connections.list_resource_templates("fake").await.unwrap()[0].uri_template, "db://{table}");
    assert_eq!(connections.read_resource("fake", "file:///a").await.unwrap().len(), 2);
    let prompts = connections.list_prompts("fake").await.unwrap();
    assert!(prompts[0].arguments[0].required);
    let messages = connections.get_prompt("fake", "p", serde_json::Map::new()).await.unwrap();
    assert!(
        format!("{messages:?}").contains("do it") && format!("{messages:?}").contains("external content")
    );
    let error = connections.list_resources("other").await.unwrap_err().to_string();
    assert_eq!(error, "unknown server other");
    let reader = connections.reader("fake").unwrap();
    let payload = Payload::Function { arguments: Arguments::parse(r#"{"uri":"file:///a"}"#).unwrap() };
    let output = reader.call(&ctx(), &payload).await.unwrap();
    assert!(text(&output).contains("words") && text(&output).contains("Image"), "{}", text(&output));
    // Reading a resource has an effect like that of a tool, with its own name and the name of the server.
    assert!(format!("{:?}", reader.effects(&payload)).contains("resources/read"));
    assert_eq!(reader.inspect(&payload).changes.len(), 1);
    let client = connections.client("fake").unwrap();
    assert!(client.accept("resources/read", &client.reading().fingerprint));
    assert!(reader.inspect(&payload).changes.is_empty());
    let plain = FakeServer::new(|message| match message["method"].as_str() {
        Some("prompts/list") => vec![Say::Message(json!({"jsonrpc": "2.0", "id": message["id"],
            "error": {"code": -32601, "message": "Method not found"}}))],
        _ => polite(message, &json!([])),
    });
    let none = start(vec![of(server("plain"), &plain)], ConnectionOptions::default()).await;
    assert!(none.list_prompts("plain").await.unwrap().is_empty());
    assert!(none.reader("plain").is_none());
}
