//! Requests of a client, and settings that a client refuses.

use std::sync::Arc;

use windlass_client::{Client, ClientError, Endpoint, Options};
use windlass_wire_openai_chat::OpenAiChat;

use crate::server::{KEY, Server, ask, hello, quick, request, text, words};

fn make(endpoint: Endpoint) -> Result<Client, ClientError> {
    Client::new(endpoint, Some(KEY.into()), Arc::new(OpenAiChat::default()), Options::default())
}

#[tokio::test]
async fn a_request_carries_path_key_and_further_headers() {
    let server = Server::start(vec![hello()]).await;
    let endpoint = server.endpoint().with_header("x-title", "windlass");
    let (chunks, error) = ask(&make(endpoint).unwrap(), &request()).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(text(&chunks), "Hello");
    let requests = server.requests().await;
    assert_eq!(requests.len(), 1);
    assert!(requests[0].starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{}", requests[0]);
    assert!(requests[0].contains(&format!("authorization: Bearer {KEY}\r\n")));
    assert!(requests[0].contains("x-title: windlass\r\n"));
    assert!(requests[0].contains("content-type: application/json\r\n"));
}

#[tokio::test]
async fn one_client_answers_again_and_again() {
    let server = Server::start(vec![hello()]).await;
    let client = server.client(quick());
    for _ in 0..3 {
        assert_eq!(text(&ask(&client, &request()).await.0), "Hello");
    }
    assert_eq!(server.requests().await.len(), 3);
}

#[test]
fn an_invalid_address_is_refused() {
    for address in ["", "api.example.com", "ftp://example.com", "http://", "https:///v1"] {
        let made = make(Endpoint::custom(address, "openai-chat"));
        assert!(matches!(made, Err(ClientError::Address { .. })), "{address}");
    }
}

#[test]
fn a_wire_of_another_format_is_refused() {
    let made = make(Endpoint::custom("http://localhost", "anthropic"));
    assert!(matches!(made, Err(ClientError::Wire { .. })));
}

#[tokio::test]
async fn a_key_invalid_in_a_header_is_reported_without_the_key() {
    let endpoint = Endpoint::custom("http://127.0.0.1:1", "openai-chat");
    let key = format!("{KEY}\n");
    let client = Client::new(endpoint, Some(key.into()), Arc::new(OpenAiChat::default()), quick()).unwrap();
    let error = ask(&client, &request()).await.1.unwrap();
    assert!(error.message.contains("authorization"), "{error}");
    assert!(!words(&error).contains(KEY));
    assert!(!format!("{client:?}").contains(KEY));
}
