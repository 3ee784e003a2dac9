//! Limits of heads and bodies over real sockets.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use windlass_gateway::{ClientKeys, Front, ServeOptions, serve};

use crate::canned::{CHAT_WORD, Canned};
use crate::listener::BODY;

async fn start(provider: &Canned, options: ServeOptions) -> u16 {
    start_front(Front::new(provider.gateway("openai-chat")), options).await
}

async fn start_front(front: Front, options: ServeOptions) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(serve(listener, front, options));
    port
}

/// Sends bytes, and returns the answer up to the end of the connection.
async fn send(port: u16, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    // The server may close the connection before it has read all bytes.
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let read = tokio::time::timeout(Duration::from_mins(1), stream.read_to_end(&mut answer)).await;
    let _ = read.expect("the server ends the connection");
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn a_head_that_does_not_end_loses_its_connection() {
    let provider = Canned::new(200, "application/json", CHAT_WORD);
    let options = ServeOptions { head_timeout: Duration::from_millis(300), ..ServeOptions::default() };
    let port = start(&provider, options).await;
    for head in ["", "POST /v1/chat", "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nx-a: b"] {
        let answer = send(port, head.as_bytes()).await;
        assert!(!answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    let whole = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{BODY}",
        BODY.len()
    );
    assert!(send(port, whole.as_bytes()).await.starts_with("HTTP/1.1 200"));
    assert_eq!(provider.seen().len(), 1);
}

#[tokio::test]
async fn a_client_that_sends_a_large_body_reads_its_refusal() {
    let provider = Canned::new(200, "application/json", CHAT_WORD);
    let options = ServeOptions { body_bytes: 1 << 20, ..ServeOptions::default() };
    let mut keys = ClientKeys::default();
    let key = keys.create("ann", [""; 0]).unwrap();
    let front = Front::new(provider.gateway("openai-chat")).with_client_keys(keys);
    let port = start_front(front, options).await;
    for (headers, status) in [
        (format!("x-api-key: {key}\r\n"), 413),
        ("x-api-key: wrong\r\n".to_owned(), 401),
        (format!("x-api-key: {key}\r\ncontent-encoding: lzma\r\n"), 415),
        (format!("x-api-key: {key}\r\norigin: https://evil.example\r\n"), 403),
    ] {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 4000000\r\n";
        stream.write_all(format!("{head}{headers}\r\n").as_bytes()).await.unwrap();
        // Larger than the buffers of the sockets: it arrives only if the server reads it.
        stream.write_all(&vec![b'x'; 4_000_000]).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{status}: {answer}");
    }
    assert!(provider.seen().is_empty());
}

#[tokio::test]
async fn heads_and_bodies_above_their_limits_are_refused() {
    let provider = Canned::new(200, "application/json", CHAT_WORD);
    let port = start(&provider, ServeOptions { body_bytes: 1_000, ..ServeOptions::default() }).await;
    let start_line = "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\n";
    let large = "x".repeat(1_001);
    let chunk = format!("{:x}\r\n{large}\r\n0\r\n\r\n", large.len());
    let many = (0..500).map(|number| format!("x-{number}: y\r\n")).collect::<Vec<_>>().concat();
    for (name, request, status) in [
        ("a length above the limit", format!("{start_line}content-length: 1001\r\n\r\n{large}"), "413"),
        ("chunks above the limit", format!("{start_line}transfer-encoding: chunked\r\n\r\n{chunk}"), "413"),
        ("many headers", format!("{start_line}{many}content-length: 0\r\n\r\n"), "431"),
        ("a large header", format!("{start_line}x-a: {}\r\n\r\n", "y".repeat(2 << 20)), "431"),
        // Two lengths, by which a proxy and a server could read two requests.
        ("two lengths", format!("{start_line}content-length: 3\r\ncontent-length: 4\r\n\r\nabcd"), "400"),
    ] {
        let answer = send(port, request.as_bytes()).await;
        // A server that closes before it has read all bytes can lose its answer.
        let is_refused = answer.starts_with(&format!("HTTP/1.1 {status} "));
        assert!(is_refused || answer.is_empty() && status == "431", "{name}: {answer}");
    }
    assert!(provider.seen().is_empty());
}
