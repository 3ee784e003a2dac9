//! `CheckedClient` with a server on loopback.

use std::time::Duration;

use hyper::header::{HOST, HeaderMap, HeaderValue};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use windlass_web_reach::{CheckedClient, OutgoingRequest, Reach, RootError, Scope, TimeLimits, WebUrl};

/// Accepts one connection, answers it, and returns the head of the request.
async fn serve_once(listener: TcpListener) -> String {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await.unwrap();
    String::from_utf8(head).unwrap().to_ascii_lowercase()
}

#[tokio::test]
async fn headers_of_the_connection_are_not_the_callers() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let url = WebUrl::parse(&format!("http://127.0.0.1:{port}/a?b=c")).unwrap();
    let reach = Reach::default().with_host("127.0.0.1", port, Scope::Any).unwrap();
    let scope = reach.scope(url.endpoint(), Some(Scope::Any)).unwrap();
    let client = CheckedClient::default().with_reach(reach);
    let headers = [(HOST, "elsewhere.test"), (hyper::header::CONNECTION, "keep-alive")];
    let headers: HeaderMap =
        headers.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value))).collect();
    let request = OutgoingRequest { headers, ..OutgoingRequest::default() };
    let limits = TimeLimits::start(Duration::from_mins(1), Duration::from_mins(1));
    let (head, response) = tokio::join!(serve_once(listener), client.send(&url, scope, request, limits));
    assert!(head.starts_with("get /a?b=c http/1.1\r\n"), "{head}");
    assert_eq!(head.matches("host:").count(), 1, "{head}");
    assert!(head.contains(&format!("\r\nhost: 127.0.0.1:{port}\r\n")), "{head}");
    assert!(head.contains("\r\nconnection: close\r\n"), "{head}");
    let mut response = response.unwrap();
    assert_eq!(response.next().await.unwrap().unwrap(), "ok");
    assert!(response.next().await.is_none());
}

#[test]
fn a_root_needs_a_certificate() {
    let refused = CheckedClient::default().with_root(b"no certificate");
    assert_eq!(refused.unwrap_err(), RootError::Empty);
    let malformed = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let refused = CheckedClient::default().with_root(malformed);
    assert!(matches!(refused, Err(RootError::Malformed { .. })));
}
