//! Contents of errors: the place, the cause and a remedy; never the key.

use std::sync::Arc;

use tokio::net::TcpListener;
use windlass_client::{Client, Endpoint, Header, HttpOptions, HttpTransport, Options, TransportRequest};
use windlass_stream::{ModelError, ModelErrorKind};
use windlass_wire_openai_chat::OpenAiChat;

use crate::server::{KEY, Reply, Server, ask, error, quick, request, response, words};

/// The key in base64, as in the header of a server that takes it for a password.
const ENCODED: &str = "c2stcGxhbnRlZC00ZjFjOWE3ZQ==";

async fn failure(reply: Reply) -> (String, ModelError) {
    let server = Server::start(vec![reply]).await;
    let error = ask(&server.client(Options { retries: 0, ..quick() }), &request()).await.1.unwrap();
    (server.endpoint().host().to_owned(), error)
}

#[tokio::test]
async fn a_refusal_names_host_status_message_and_remedy() {
    let cases = [
        (
            401,
            r#"{"error":{"message":"Incorrect key","code":"invalid_api_key"}}"#,
            "Incorrect key",
            "PLANTED_API_KEY",
        ),
        (
            404,
            r#"{"error":{"message":"no such model","code":"model_not_found"}}"#,
            "no such model",
            "model's name",
        ),
        (404, "<html>not found</html>", "HTML page", "address"),
        (404, "", "empty body", "address"),
    ];
    for (status, body, said, advice) in cases {
        let (host, error) = failure(error(status, "request-id: req_1\r\n", body)).await;
        for part in [host.as_str(), &format!("status {status}"), said, advice] {
            assert!(error.message.contains(part), "{part} is not in {error}");
        }
        assert_eq!(error.request_id.as_deref(), Some("req_1"));
    }
}

#[tokio::test]
async fn a_missing_key_is_reported() {
    let body = r#"{"error":{"message":"no key","code":"invalid_api_key"}}"#;
    let server = Server::start(vec![error(401, "", body)]).await;
    let client = Client::new(server.endpoint(), None, Arc::new(OpenAiChat::default()), quick()).unwrap();
    let error = ask(&client, &request()).await.1.unwrap();
    assert!(error.message.contains("no key was sent; is PLANTED_API_KEY set?"), "{error}");
    assert!(!server.requests().await[0].contains("authorization"));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let reply = Reply::Close(response(302, "text/html", "location: http://127.0.0.1:1/\r\n", "<p>moved</p>"));
    let (_, error) = failure(reply).await;
    assert!(error.message.contains("status 302"), "{error}");
}

// The status counts even if the body of the refusal does not arrive.
#[tokio::test]
async fn a_refusal_whose_body_is_cut_keeps_its_status() {
    let head = "HTTP/1.1 401 Word\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{\"err";
    let (_, error) = failure(Reply::Close(head.into())).await;
    assert!(error.message.contains("status 401"), "{error}");
}

#[tokio::test]
async fn the_key_is_in_no_error() {
    let long = "x".repeat(190);
    for (status, kind, body) in [
        (401, "application/json", format!(r#"{{"error":{{"message":"bad {KEY}","code":"{KEY}"}}}}"#)),
        (500, "text/html", format!("<p>{KEY}</p>")),
        // The beginning of a body is shown: it must not end inside the key.
        (500, "text/plain", format!("{long}{KEY}")),
        (200, "application/json", format!(r#"{{"error":"{KEY}"}}"#)),
        (200, "text/event-stream", format!("<p>{KEY}</p>")),
        (200, "text/event-stream", format!("data: {KEY}\n\n")),
        // Escapes hide the key from a search of the bytes, and are decoded before the text is shown.
        (400, "application/json", format!(r#"{{"error":{{"message":"bad \u0073{}"}}}}"#, &KEY[1..])),
        (200, "application/json", format!(r#"{{"error":{{"message":"bad \u0073{}"}}}}"#, &KEY[1..])),
        (400, "application/json", format!(r#"{{"error":{{"message":"you sent {ENCODED}"}}}}"#)),
    ] {
        let echo = format!("x-request-id: {KEY}\r\nserver-timing: {KEY}\r\n");
        let (_, error) = failure(Reply::Close(response(status, kind, &echo, &body))).await;
        let words = format!("{} {error:?}", words(&error));
        assert!(!words.contains("k-planted") && !words.contains(ENCODED), "{words}");
    }
}

// SEC-007: debug output of a client's parts has no key in it.
#[test]
fn the_key_is_in_nothing_that_is_printed() {
    let url = format!("http://me:{KEY}@host.test/v1?key={KEY}");
    let endpoint = Endpoint::custom(&url, "openai-chat").with_header("x-api-key", KEY);
    let http = HttpOptions::default().with_proxy(format!("http://me:{KEY}@proxy.test:3128"));
    let transport = HttpTransport::new(&http).unwrap();
    let request = TransportRequest::post(&url, KEY)
        .with_header(Header::secret("authorization", format!("Bearer {KEY}")));
    let refused = Endpoint::custom(format!("ftp://me:{KEY}@host.test"), "openai-chat");
    let refused =
        Client::new(refused, Some(KEY.into()), Arc::new(OpenAiChat::default()), quick()).unwrap_err();
    let place = Endpoint::custom(format!("http://me:{KEY}@{{resource}}.test"), "openai-chat");
    let place = Client::new(place, None, Arc::new(OpenAiChat::default()), quick()).unwrap_err();
    let client =
        Client::new(endpoint.clone(), Some(KEY.into()), Arc::new(OpenAiChat::default()), quick()).unwrap();
    for shown in [
        format!("{endpoint:?} {}", endpoint.address()),
        format!("{http:?} {transport:?}"),
        format!("{request:?}"),
        format!("{refused} {refused:?} {place} {place:?}"),
        format!("{client:?} {}", client.provider()),
    ] {
        assert!(!shown.contains("sk-planted"), "{shown}");
    }
    assert_eq!(endpoint.address(), "http://host.test/v1");
}

// A password in the address and a key in a header of one's own are keys too.
#[tokio::test]
async fn errors_contain_no_secret() {
    let body = r#"{"error":{"message":"me:pass-word-1 and header-key-2"}}"#;
    let server = Server::start(vec![error(400, "", body)]).await;
    let base = server.endpoint().base_url.replace("http://", "http://me:pass-word-1@");
    let endpoint = Endpoint::custom(base, "openai-chat").with_header("x-own-key", "header-key-2");
    let client = Client::new(endpoint, None, Arc::new(OpenAiChat::default()), quick()).unwrap();
    let error = ask(&client, &request()).await.1.unwrap();
    assert!(error.message.contains("me:[redacted] and [redacted]"), "{error}");
}

#[tokio::test]
async fn an_unreachable_server_is_named_and_tried_again() {
    // A port that was free a moment ago.
    let address = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let endpoint = Endpoint::custom(format!("http://user:{KEY}@{address}/v1"), "openai-chat");
    let client = Client::new(endpoint, None, Arc::new(OpenAiChat::default()), quick()).unwrap();
    let error = ask(&client, &request()).await.1.unwrap();
    assert_eq!(error.kind, ModelErrorKind::Unreachable);
    for part in [address.to_string().as_str(), "cannot be reached", "refused", "after 5 attempts"] {
        assert!(error.message.contains(part), "{part} is not in {error}");
    }
    assert!(!words(&error).contains(KEY), "{error}");
}
