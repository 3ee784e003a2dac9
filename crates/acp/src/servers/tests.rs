//! Tests of the servers of a client.

use serde_json::{Value, json};

use super::{ClientServer, MAX_SERVERS, to_configured};
use crate::rpc::RpcError;

fn convert(servers: &Value) -> Result<Vec<(String, String)>, RpcError> {
    let servers: Vec<ClientServer> = serde_json::from_value(servers.clone()).unwrap();
    let converted = to_configured(&servers)?;
    Ok(converted.into_iter().map(|server| (server.name, server.entry.words())).collect())
}

#[test]
fn programs_and_addresses_are_entries() {
    let converted = convert(&json!([
        {"name": "My files", "command": "/bin/files", "args": ["--root", "/a b"], "env": [{"name": "KEY", "value": "hidden"}]},
        {"type": "http", "name": "docs", "url": "https://docs.example/mcp", "headers": [{"name": "X-Key", "value": "hidden"}]},
        {"type": "stdio", "name": "plain", "command": "plain", "args": null, "env": null},
    ]));
    let expected = [
        ("My_files", "KEY=… /bin/files --root \"/a b\""),
        ("docs", "https://docs.example/mcp"),
        ("plain", "plain"),
    ];
    let expected = expected.map(|(name, words)| (name.to_owned(), words.to_owned())).to_vec();
    assert_eq!(converted.unwrap(), expected);
}

#[test]
fn servers_that_a_run_cannot_use_are_refused() {
    for wrong in [
        json!([{"type": "sse", "name": "a", "url": "https://a.example"}]),
        json!([{"type": "http", "name": "a", "command": "a"}]),
        json!([{"name": "a", "url": "https://a.example"}]),
        json!([{"name": "", "command": "a"}]),
        json!([{"name": "a", "command": " "}]),
        json!([{"name": "a b", "command": "a"}, {"name": "a_b", "command": "b"}]),
    ] {
        assert_eq!(convert(&wrong).unwrap_err().code, -32_602, "{wrong}");
    }
    let many: Vec<Value> =
        (0..=MAX_SERVERS).map(|at| json!({"name": format!("s{at}"), "command": "a"})).collect();
    assert!(convert(&json!(many)).unwrap_err().message.contains("at most 64"));
    assert_eq!(convert(&json!(many[1..])).unwrap().len(), MAX_SERVERS);
}

#[test]
fn the_debug_form_has_no_values() {
    let server = json!({"name": "a", "command": "a", "env": [{"name": "KEY", "value": "hidden"}]});
    let server: ClientServer = serde_json::from_value(server).unwrap();
    assert!(!format!("{server:?}").contains("hidden"));
}
