//! Tests of the tools of a list that are accepted, and of their names (cases MCP-005, 007, 009, 015, 025).

use proptest::prelude::*;
use serde_json::{Value, json};
use windlass_mcp::{ClientOptions, McpClient, McpLimits};
use windlass_protocol::{Arguments, CallId, ToolCall, ToolName};
use windlass_tool::Context;
use windlass_toolbox::{Preset, ToolConfig, Toolbox};

use crate::fake::{FakeServer, Say, answer, polite, tool, with_tools};

async fn listed(tools: Value, limits: McpLimits) -> (Vec<String>, Vec<String>) {
    let client = with_tools(tools).client_of("fake", limits, ClientOptions::default()).await.unwrap();
    let names = client.definitions().iter().map(|definition| definition.name.clone()).collect();
    let refused =
        client.list_refused_tools().into_iter().map(|refused| format!("{}: {}", refused.name, refused.why));
    (names, refused.collect())
}

#[track_caller]
fn check((names, refused): (Vec<String>, Vec<String>), taken: &[&str], why: &[&str]) {
    assert_eq!(names, taken);
    assert_eq!(refused.len(), why.len(), "{refused:?}");
    for (refused, why) in refused.iter().zip(why) {
        assert!(refused.contains(why), "{refused} says not: {why}");
    }
}

#[tokio::test]
async fn a_bad_tool_is_refused_and_the_others_stay() {
    let schema = json!({"type": "object"});
    let tools = json!([
        tool("good"),
        {"name": "add\u{1b}[2K\u{1b}[1A", "inputSchema": schema},
        {"name": "", "inputSchema": schema},
        {"name": "x".repeat(129), "inputSchema": schema},
        {"name": "mcp__github__create_issue", "inputSchema": schema},
        {"name": "MCP--github__create_issue", "inputSchema": schema},
        {"name": "no_schema"},
        {"name": "list_schema", "inputSchema": []},
        {"name": "good", "inputSchema": schema},
        "no object",
        {"name": "long", "description": "x".repeat(70_000), "inputSchema": schema},
        tool("a.b-C_9"),
    ]);
    check(
        listed(tools, McpLimits::default()).await,
        &["a.b-C_9", "good"],
        &[
            r"add\u{1b}[2K\u{1b}[1A: a name has",
            "a name has",
            "a name has",
            "another server",
            "another server",
            "no schema",
            "not an object",
            "listed twice",
            "not a tool",
            "bytes",
        ],
    );
}

#[tokio::test]
async fn a_schema_that_is_too_deep_crashes_nothing() {
    let deep = format!("{}{}", "{\"a\":".repeat(100_000), "1") + &"}".repeat(100_000);
    let list = format!(r#"{{"tools":[{{"name":"deep","inputSchema":{deep}}},{}]}}"#, tool("good"));
    let server = FakeServer::new(move |message| match message["method"].as_str() {
        Some("tools/list") => {
            let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{list}}}\n", message["id"]);
            vec![Say::Bytes(line.into_bytes())]
        }
        _ => polite(message, &json!([])),
    });
    let limits = McpLimits { tool_bytes: 4_000_000, ..McpLimits::default() };
    let client = server.client_of("fake", limits, ClientOptions::default()).await.unwrap();
    assert_eq!(client.definitions().len(), 1);
    assert!(
        client.list_refused_tools()[0].why.contains("100001 levels deep")
            || client.list_refused_tools()[0].why.contains("100002 levels deep")
    );
}

#[tokio::test]
async fn pages_are_followed_and_an_endless_list_is_cut() {
    let endless = FakeServer::new(|message| match message["method"].as_str() {
        Some("tools/list") => {
            let page =
                message["params"]["cursor"].as_str().map_or(0, |cursor| cursor.parse::<u32>().unwrap());
            let list = json!({"tools": [tool(&format!("t{page:03}"))], "nextCursor": (page + 1).to_string()});
            vec![answer(message, &list)]
        }
        _ => polite(message, &json!([])),
    });
    let limits = McpLimits { pages: 7, ..McpLimits::default() };
    let client = endless.client_of("fake", limits, ClientOptions::default()).await.unwrap();
    assert_eq!(client.definitions().len(), 7);
    assert_eq!(client.list_refused_tools().len(), 1);
    let limits = McpLimits { tools: 3, ..McpLimits::default() };
    let client = endless.client_of("fake", limits, ClientOptions::default()).await.unwrap();
    assert_eq!((client.definitions().len(), client.list_refused_tools().len()), (3, 1));
    let many: Vec<Value> = (0..10_000).map(|number| tool(&format!("t{number}"))).collect();
    let (names, refused) = listed(many.into(), McpLimits::default()).await;
    assert_eq!((names.len(), refused.len()), (512, 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    // Any value in place of a definition causes no panic, and each accepted definition has its own name and
    // fingerprint.
    #[test]
    fn any_member_of_a_definition_may_be_anything(
        name in prop_oneof!["[a-zA-Z0-9_.-]{1,9}", any::<String>()],
        words in any::<String>(),
        place in prop::sample::select(vec!["/description", "/inputSchema", "/annotations", "/title", "/outputSchema", ""]),
        thing in prop_oneof![
            Just(json!(null)), Just(json!([])), Just(json!(7)), Just(json!({"type": 3})), any::<String>().prop_map(Value::from),
        ],
    ) {
        let mut bent = json!({"name": name, "description": words, "inputSchema": {"type": "object"}});
        if let Some(member) = place.strip_prefix('/') {
            bent[member] = thing;
        } else {
            bent = thing;
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (names, refused) = runtime.block_on(listed(json!([bent, tool("good-one-of-ten")]), McpLimits::default()));
        prop_assert_eq!(names.len() + refused.len(), 2);
        prop_assert!(names.contains(&"good-one-of-ten".to_owned()));
        prop_assert!(refused.iter().all(|told| !told.chars().any(char::is_control)));
    }
}

/// Calls each shown name through one toolbox and gives what each server heard.
async fn routed(servers: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut builder = Toolbox::builder().config(ToolConfig::new(Preset::Full));
    let mut clients: Vec<McpClient> = Vec::new();
    for (id, name) in servers {
        let said = format!("{id}/{name}");
        let tools = json!([tool(name)]);
        let server = FakeServer::new(move |message| match message["method"].as_str() {
            Some("tools/call") => {
                assert_eq!(message["params"]["name"], said.split_once('/').unwrap().1);
                vec![answer(message, &json!({"content": [{"type": "text", "text": said}]}))]
            }
            _ => polite(message, &tools),
        });
        let client = server.client_of(id, McpLimits::default(), ClientOptions::default()).await.unwrap();
        builder = client.add_to(builder);
        clients.push(client);
    }
    let toolbox = builder.build().unwrap();
    let mut reached = Vec::new();
    for (spec, _) in toolbox.tool_specs() {
        assert!(spec.name().as_str().len() <= 64);
        let call = ToolCall::function(CallId::new("c").unwrap(), spec.name().clone(), Arguments::default());
        let checked = toolbox.check(&call).unwrap();
        let result = toolbox.run(&checked, &Context::new(call.id.clone())).await.unwrap();
        reached.push((spec.name().as_str().to_owned(), result.wire_text()));
    }
    reached
}

#[tokio::test]
async fn names_stay_distinct_and_each_call_reaches_its_own_tool() {
    let long = "t".repeat(128);
    for servers in [
        [("s", "a.b"), ("s2", "a_b")],
        [("x", "y__z"), ("x__y", "z")],
        [("x", "y.z"), ("x", "y_z")].map(|(id, name)| if name == "y.z" { (id, name) } else { ("x2", name) }),
        [("s", long.as_str()), ("s.", long.as_str())],
    ] {
        let reached = routed(&servers).await;
        assert_eq!(reached.len(), 2);
        assert_ne!(reached[0].0, reached[1].0);
        for ((id, name), (_, text)) in servers.iter().zip(&reached) {
            assert!(text.contains(&format!("{id}/{name}")), "{id}/{name}: {text}");
        }
    }
}

#[tokio::test]
async fn the_names_of_this_program_win() {
    let client = with_tools(json!([tool("read_file")])).client().await.unwrap();
    let own = with_tools(json!([tool("own")])).client().await.unwrap().tools().remove(0);
    let name = ToolName::new("read_file").unwrap();
    let toolbox = client.add_to(Toolbox::builder()).tool_as(name.into(), own).build().unwrap();
    assert_eq!(toolbox.names().find("read_file").unwrap().as_str(), "read_file");
    assert_eq!(toolbox.names().find("mcp__fake__read_file").unwrap().as_str(), "mcp__fake__read_file");
}
