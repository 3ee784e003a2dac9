//! Every tool of every server.

use windlass_mcp::{ClientOptions, McpServer};
use windlass_testkit::Need;

use crate::place::{everything, everything_over_http, patient, program, script, used};

async fn check(server: McpServer, expected: &[&str]) {
    let id = server.id().to_owned();
    let connections = used(server.with_limits(patient()), ClientOptions::default()).await;
    let names = connections.names()[0].1.clone();
    for name in expected {
        assert!(names.iter().any(|known| known == name), "{id} has {names:?}");
    }
    let client = connections.client(&id).unwrap();
    assert!(client.list_refused_tools().is_empty(), "{id}: {:?}", client.list_refused_tools());
    assert_eq!(names.len(), client.definitions().len());
    println!("corpus: the MCP server {id}: {0} of {0} tools taken", names.len());
    connections.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_of_the_servers_of_npm_is_listed() {
    let folder = tempfile::tempdir().unwrap();
    if let Some(server) = Need::McpServers.check(everything()) {
        check(server, &["echo", "get-sum", "get-tiny-image", "trigger-long-running-operation"]).await;
    }
    if let Some((_child, server)) = Need::McpServers.check(everything_over_http().await) {
        check(server, &["echo", "get-sum", "get-tiny-image"]).await;
    }
    if let Some(script) = Need::McpServers.check(script("server-filesystem")) {
        let server = McpServer::new("filesystem", "node").unwrap();
        check(server.with_argument(script).with_argument(folder.path()), &["read_text_file", "write_file"])
            .await;
    }
    if let Some(script) = Need::McpServers.check(script("server-memory")) {
        check(
            McpServer::new("memory", "node").unwrap().with_argument(script),
            &["create_entities", "read_graph"],
        )
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_of_the_servers_of_python_is_listed() {
    for (name, tools) in [
        ("mcp-server-git", ["git_status", "git_log"].as_slice()),
        ("mcp-server-time", &["get_current_time", "convert_time"]),
        ("mcp-server-fetch", &["fetch"]),
    ] {
        if let Some(program) = Need::McpServers.check(program(name)) {
            check(McpServer::new(name, program).unwrap(), tools).await;
        }
    }
}
