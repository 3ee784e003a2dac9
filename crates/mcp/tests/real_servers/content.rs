//! One call for each kind of content, and the purpose of each server.

use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use windlass_mcp::{ClientOptions, McpConnections, McpServer};
use windlass_protocol::{Content, ResultStatus};
use windlass_testkit::{Need, require};

use crate::place::{
    Ada, call, call_with, everything, everything_over_http, listening, patient, program, script, used, words,
};

/// Checks all content that the `everything` server returns, over either transport.
async fn check_everything(connections: &McpConnections) {
    let echo = call(connections, "echo", r#"{"message":"hello"}"#).await.unwrap();
    assert!(words(&echo).contains("Echo: hello"), "{echo:?}");
    let image = call(connections, "get-tiny-image", "{}").await.unwrap();
    let is_image =
        |piece: &Content| matches!(piece, Content::Image(image) if image.media_type == "image/png");
    assert!(image.content.iter().any(is_image), "{image:?}");
    let links = call(connections, "get-resource-links", r#"{"count":3}"#).await.unwrap();
    assert_eq!(words(&links).matches("demo://").count(), 3, "{links:?}");
    let embedded = call(connections, "get-resource-reference", r#"{"resourceType":"Text","resourceId":1}"#)
        .await
        .unwrap();
    assert!(words(&embedded).contains("demo://resource/dynamic/text/1"), "{embedded:?}");
    let structured = call(connections, "get-structured-content", r#"{"location":"New York"}"#).await.unwrap();
    assert!(words(&structured).contains("temperature"), "{structured:?}");
    let wrong = call(connections, "get-sum", r#"{"a":"x"}"#).await.unwrap();
    assert_eq!(wrong.status, ResultStatus::Error, "{wrong:?}");
    let resources = connections.list_resources("everything").await.unwrap();
    let read = connections.read_resource("everything", &resources[0].uri).await.unwrap();
    assert_eq!(read.len(), 1);
    assert!(!connections.list_resource_templates("everything").await.unwrap().is_empty());
    assert!(!connections.list_prompts("everything").await.unwrap().is_empty());
}

async fn check_progress(connections: &McpConnections) {
    let (ctx, told) = listening();
    let long =
        call_with(connections, "trigger-long-running-operation", r#"{"duration":0.4,"steps":4}"#, &ctx).await;
    assert!(words(&long.unwrap()).contains("completed"));
    let told = told.lock().unwrap().len();
    assert!(told >= 3, "{told} of 4 steps were told");
}

/// The server's question reaches the human, and her answer reaches the server.
async fn check_elicitation(connections: &McpConnections) {
    let answered = call(connections, "trigger-elicitation-request", "{}").await.unwrap();
    assert!(words(&answered).contains("Ada"), "{answered:?}");
}

// M3
#[tokio::test(flavor = "multi_thread")]
async fn content_progress_and_elicitation_work_over_stdio() {
    let server = require!(Need::McpServers, everything());
    let options = ClientOptions::default().with_human(Arc::new(Ada));
    let connections = used(server.with_limits(patient()), options).await;
    check_everything(&connections).await;
    check_progress(&connections).await;
    check_elicitation(&connections).await;
    connections.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn content_progress_and_elicitation_work_over_http() {
    let (_child, server) = require!(Need::McpServers, everything_over_http().await);
    let options = ClientOptions::default().with_human(Arc::new(Ada));
    let connections = used(server.with_limits(patient()), options).await;
    check_everything(&connections).await;
    check_progress(&connections).await;
    check_elicitation(&connections).await;
    connections.close().await;
}

// R8: content that cannot be sent is named in the text.
#[tokio::test(flavor = "multi_thread")]
async fn files_are_returned_and_audio_is_named() {
    let script = require!(Need::McpServers, script("server-filesystem"));
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::write(root.join("a.txt"), "from a file").unwrap();
    std::fs::write(root.join("a.wav"), b"RIFF\x24\0\0\0WAVEfmt ").unwrap();
    let server = McpServer::new("filesystem", "node").unwrap().with_argument(script).with_argument(&root);
    let connections = used(server.with_limits(patient()), ClientOptions::default()).await;
    let path = |name: &str| serde_json::json!({ "path": root.join(name) }).to_string();
    let text = call(&connections, "read_text_file", &path("a.txt")).await.unwrap();
    assert!(words(&text).contains("from a file"), "{text:?}");
    let sound = call(&connections, "read_media_file", &path("a.wav")).await.unwrap();
    assert!(words(&sound).contains("audio"), "{sound:?}");
    let outside = call(&connections, "read_text_file", r#"{"path":"/etc/hostname"}"#).await.unwrap();
    assert_eq!(outside.status, ResultStatus::Error);
    connections.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_memory_server_reads_back_stored_entities() {
    let script = require!(Need::McpServers, script("server-memory"));
    let folder = tempfile::tempdir().unwrap();
    let server = McpServer::new("memory", "node")
        .unwrap()
        .with_argument(script)
        .with_environment_value("MEMORY_FILE_PATH", folder.path().join("memory.jsonl"));
    let connections = used(server.with_limits(patient()), ClientOptions::default()).await;
    let entity = r#"{"entities":[{"name":"Windlass","entityType":"tool","observations":["lifts"]}]}"#;
    assert!(call(&connections, "create_entities", entity).await.unwrap().status.is_ok());
    assert!(words(&call(&connections, "read_graph", "{}").await.unwrap()).contains("Windlass"));
    connections.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_python_reference_servers_work() {
    if let Some(program) = Need::McpServers.check(program("mcp-server-time")) {
        let connections =
            used(McpServer::new("time", program).unwrap().with_limits(patient()), ClientOptions::default())
                .await;
        let now = call(&connections, "get_current_time", r#"{"timezone":"UTC"}"#).await.unwrap();
        assert!(words(&now).contains("UTC"), "{now:?}");
        connections.close().await;
    }
    if let Some(program) = Need::McpServers.check(program("mcp-server-git")) {
        let folder = tempfile::tempdir().unwrap();
        let begun =
            std::process::Command::new("git").args(["init", "-q"]).arg(folder.path()).status().unwrap();
        assert!(begun.success());
        let connections =
            used(McpServer::new("git", program).unwrap().with_limits(patient()), ClientOptions::default())
                .await;
        let arguments = serde_json::json!({ "repo_path": folder.path() }).to_string();
        let status = call(&connections, "git_status", &arguments).await.unwrap();
        assert!(words(&status).contains("No commits yet"), "{status:?}");
        connections.close().await;
    }
    if let Some(program) = Need::McpServers.check(program("mcp-server-fetch")) {
        let url = page().await;
        let server = McpServer::new("fetch", program)
            .unwrap()
            .with_argument("--ignore-robots-txt")
            .with_argument("--allow-private-ips");
        let connections = used(server.with_limits(patient()), ClientOptions::default()).await;
        let fetched = call(&connections, "fetch", &format!(r#"{{"url":"{url}"}}"#)).await.unwrap();
        assert!(words(&fetched).contains("a page of this machine"), "{fetched:?}");
        connections.close().await;
    }
}

/// A page on loopback, for every client.
async fn page() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/page", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = [0; 4096];
            let _ = stream.read(&mut head).await;
            let body = "a page of this machine";
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    url
}
