//! Sessions and versions of the protocol over HTTP.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use windlass_mcp_server::HttpServerOptions;

use crate::offered::{newer, server};

/// The head and the body of the answer to a request.
async fn request(port: u16, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let text = format!(
        "{head} /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Content-Length: {}\r\nConnection: close\r\n{body}",
        body.split_once("\r\n\r\n").map_or(0, |(_, body)| body.len())
    );
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let mut buf = [0; 4096];
    while let Ok(Ok(len @ 1..)) = tokio::time::timeout(Duration::from_secs(20), stream.read(&mut buf)).await {
        answer.extend_from_slice(&buf[..len]);
        if String::from_utf8_lossy(&answer).contains("serverInfo") {
            break;
        }
    }
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn the_end_of_a_session_is_answered_with_204() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let stop = CancellationToken::new();
    let token = stop.clone();
    let serving = tokio::spawn(async move {
        server().serve_http(listener, HttpServerOptions::allow_without_token(), token).await
    });
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25",
        "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
    let answer = request(port, "POST", &format!("\r\n{hello}").replacen("\r\n", "X: 1\r\n\r\n", 1)).await;
    let session = answer
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("mcp-session-id: ").map(str::to_owned));
    let session = format!("mcp-session-id: {}\r\n\r\n", session.unwrap());
    let ended = request(port, "DELETE", &session).await;
    assert!(ended.starts_with("HTTP/1.1 204 "), "{ended}");
    stop.cancel();
    serving.await.unwrap().unwrap();
}

/// The status and the JSON body of the answer to a request of 2026-07-28.
async fn discover(port: u16, version: &str) -> (String, Value) {
    let mut message = newer(7, "server/discover", &json!({}));
    message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(version);
    let head = format!("\r\nMCP-Protocol-Version: {version}\r\nMcp-Method: server/discover\r\n\r\n{message}");
    let answer = request(port, "POST", head.trim_start_matches("\r\n")).await;
    let status = answer.lines().next().unwrap_or_default().to_owned();
    let (start, end) = (answer.find('{').unwrap(), answer.rfind('}').unwrap());
    (status, serde_json::from_str(&answer[start..=end]).unwrap())
}

#[tokio::test]
async fn over_http_a_client_of_2026_07_28_needs_no_session_and_another_version_is_refused_with_the_list() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let stop = CancellationToken::new();
    let token = stop.clone();
    let serving = tokio::spawn(async move {
        server().serve_http(listener, HttpServerOptions::allow_without_token(), token).await
    });
    let (status, discovered) = discover(port, "2026-07-28").await;
    assert!(status.contains(" 200 "), "{status}");
    let versions = &discovered["result"]["supportedVersions"];
    assert!(versions.as_array().unwrap().contains(&json!("2026-07-28")), "{discovered}");
    let (status, refused) = discover(port, "2099-01-01").await;
    assert!(status.contains(" 400 "), "{status} {refused}");
    assert_eq!(refused["error"]["data"]["requested"], "2099-01-01", "{refused}");
    assert_eq!(refused["error"]["data"]["supported"], *versions, "{refused}");
    stop.cancel();
    serving.await.unwrap().unwrap();
}
