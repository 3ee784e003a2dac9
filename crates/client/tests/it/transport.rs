//! The path of a request: a custom transport, a proxy, and the events of an observer.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::stream;
use windlass_client::{
    Client, ClientError, ClientEvent, Endpoint, Header, HttpError, HttpOptions, HttpTransport, Method,
    Transport, TransportError, TransportErrorKind, TransportFuture, TransportRequest, TransportResponse,
};
use windlass_stream::ModelErrorKind;
use windlass_wire_openai_chat::OpenAiChat;

use crate::server::{END, HELLO, KEY, Server, ask, error, hello, quick, request, text, words};

/// Stores the requests, and returns an answer or a failure without any network.
#[derive(Clone, Default)]
struct Canned {
    sent: Arc<Mutex<Vec<TransportRequest>>>,
    failure: Option<TransportErrorKind>,
}

impl Transport for Canned {
    fn send(&self, request: TransportRequest) -> TransportFuture<'_> {
        self.sent.lock().unwrap().push(request);
        Box::pin(async {
            if let Some(kind) = self.failure {
                return Err(TransportError::new(kind, "the string is cut"));
            }
            let pieces = [HELLO, END].map(|piece| Ok(Bytes::from_static(piece.as_bytes())));
            let headers = vec![("X-Request-Id".to_owned(), "req_canned".to_owned())];
            Ok(TransportResponse::new(200, headers, Box::pin(stream::iter(pieces))))
        })
    }
}

fn client(transport: impl Transport + 'static) -> Client {
    let endpoint =
        Endpoint::custom("http://provider.test/v1", "openai-chat").with_header("x-title", "windlass");
    let builder = Client::builder(endpoint, Arc::new(OpenAiChat::default()));
    builder.key(Some(KEY.into())).options(quick()).transport(transport).build().unwrap()
}

#[tokio::test]
async fn a_custom_transport_receives_the_request_and_provides_the_answer() {
    let canned = Canned::default();
    let (chunks, error) = ask(&client(canned.clone()), &request()).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(text(&chunks), "Hello");
    let sent = canned.sent.lock().unwrap().clone();
    assert_eq!(sent.len(), 1);
    assert_eq!(
        (sent[0].method, sent[0].url.as_str()),
        (Method::Post, "http://provider.test/v1/chat/completions")
    );
    assert!(sent[0].body.starts_with(b"{\"model\":\"scripted-1\""));
    let title = sent[0].headers.iter().find(|header| header.name == "x-title").unwrap();
    assert_eq!((title.value.as_str(), title.is_secret), ("windlass", false));
    let key = sent[0].headers.iter().find(|header| header.is_secret).unwrap();
    assert_eq!((key.name.as_str(), key.value.as_str()), ("authorization", format!("Bearer {KEY}").as_str()));
    assert!(!format!("{sent:?}").contains(KEY));
}

#[track_caller]
fn check_failure(kind: TransportErrorKind, expected: ModelErrorKind, requests: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let canned = Canned { failure: Some(kind), ..Canned::default() };
        let error = ask(&client(canned.clone()), &request()).await.1.unwrap();
        assert_eq!(error.kind, expected, "{error}");
        assert!(
            error.message.contains("provider.test") && error.message.contains("the string is cut"),
            "{error}"
        );
        assert_eq!(canned.sent.lock().unwrap().len(), requests, "{error}");
    });
}

// L9
#[test]
fn only_a_server_that_was_not_reached_is_tried_again() {
    check_failure(TransportErrorKind::Unreachable, ModelErrorKind::Unreachable, 5);
    check_failure(TransportErrorKind::ConnectTimeout, ModelErrorKind::Unreachable, 5);
    check_failure(TransportErrorKind::Certificate, ModelErrorKind::Configuration, 1);
    check_failure(TransportErrorKind::Request, ModelErrorKind::Configuration, 1);
    check_failure(TransportErrorKind::Broken, ModelErrorKind::Dropped, 1);
}

#[test]
fn a_header_replaces_earlier_ones_of_its_name() {
    let request = TransportRequest::get("http://provider.test")
        .with_header(Header::new("X-Title", "one"))
        .with_header(Header::secret("x-title", "two"));
    assert_eq!(request.headers, [Header::secret("x-title", "two")]);
}

#[tokio::test]
async fn an_observer_receives_retries_and_the_id_of_the_answer() {
    let refusal = error(503, "", "{}");
    let server = Server::start(vec![refusal, hello_with_id()]).await;
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = events.clone();
    let client = Client::builder(server.endpoint(), Arc::new(OpenAiChat::default()))
        .options(quick())
        .on_event(move |event| seen.lock().unwrap().push(event.clone()))
        .build()
        .unwrap();
    assert_eq!(text(&ask(&client, &request()).await.0), "Hello");
    let events = events.lock().unwrap().clone();
    let [ClientEvent::Retry { attempts: 1, message, .. }, ClientEvent::Answer(info)] = events.as_slice()
    else {
        panic!("{events:?}")
    };
    assert!(message.contains("status 503"), "{message}");
    assert_eq!((info.provider.as_str(), info.model.as_str(), info.status), ("custom", "scripted-1", 200));
    assert_eq!((info.request_id.as_deref(), info.attempts), (Some("req_ok"), 2));
}

fn hello_with_id() -> crate::server::Reply {
    let crate::server::Reply::Close(bytes) = hello() else { unreachable!() };
    let text = String::from_utf8(bytes).unwrap();
    crate::server::Reply::Close(
        text.replace("\r\nconnection", "\r\nx-request-id: req_ok\r\nconnection").into_bytes(),
    )
}

async fn through(http: HttpOptions, address: &str) -> (String, Option<String>) {
    let endpoint = Endpoint::custom(address, "openai-chat");
    let client = Client::builder(endpoint, Arc::new(OpenAiChat::default())).http(http).options(quick());
    let (chunks, error) = ask(&client.build().unwrap(), &request()).await;
    (text(&chunks), error.map(|error| words(&error)))
}

// The library does not read the environment: only the options set a proxy.
#[tokio::test]
async fn a_proxy_is_used_but_for_the_hosts_that_are_named() {
    let proxy = Server::start(vec![hello()]).await;
    let address = proxy.base_url.strip_suffix("/v1").unwrap().replace("http://", "http://user:secret@");
    let http = HttpOptions::default().with_proxy(&address);
    let (said, error) = through(http.clone(), "http://provider.test/v1").await;
    assert_eq!((said.as_str(), error), ("Hello", None));
    let requests = proxy.requests().await;
    assert!(
        requests[0].starts_with("POST http://provider.test/v1/chat/completions HTTP/1.1\r\n"),
        "{}",
        requests[0]
    );
    assert!(requests[0].to_ascii_lowercase().contains("proxy-authorization: basic"), "{}", requests[0]);

    let direct = Server::start(vec![hello()]).await;
    let (said, error) = through(http.clone().with_no_proxy("127.0.0.1"), &direct.base_url).await;
    assert_eq!((said.as_str(), error), ("Hello", None));
    assert!(direct.requests().await[0].starts_with("POST /v1/chat/completions HTTP/1.1\r\n"));
    assert_eq!(proxy.requests().await.len(), 1);

    assert!(!format!("{http:?}").contains("secret"));
}

#[tokio::test]
async fn an_unreachable_proxy_is_reported_without_its_password() {
    let http = HttpOptions::default().with_proxy("http://user:planted-word@127.0.0.1:1");
    let error = through(http, "http://provider.test/v1").await.1.unwrap();
    assert!(
        error.contains("cannot be reached: no connection through the proxy http://127.0.0.1:1: "),
        "{error}"
    );
    assert!(!error.contains("planted-word") && !error.contains("user"), "{error}");
}

#[tokio::test]
async fn a_proxy_that_requires_a_password_is_named() {
    let refusal = "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n";
    let proxy = Server::start(vec![crate::server::Reply::Close(refusal.as_bytes().to_vec())]).await;
    let address = proxy.base_url.strip_suffix("/v1").unwrap();
    let http = HttpOptions::default().with_proxy(address.replace("http://", "http://user:planted-word@"));
    let error = through(http, "http://provider.test/v1").await.1.unwrap();
    assert!(error.contains(&format!("no connection through the proxy {address}: ")), "{error}");
    assert!(error.contains("status 407") && !error.contains("planted-word"), "{error}");
}

#[test]
fn an_invalid_proxy_address_is_refused_without_showing_it() {
    let http = HttpOptions::default().with_https_proxy("http://user:planted word@:::");
    let made = HttpTransport::new(&http).unwrap_err();
    assert!(matches!(made, HttpError::Proxy { scheme: "https", .. }), "{made:?}");
    assert!(!format!("{made} {made:?}").contains("planted"), "{made:?}");
    let endpoint = Endpoint::custom("http://localhost", "openai-chat");
    let built = Client::builder(endpoint, Arc::new(OpenAiChat::default())).http(http).build();
    assert!(matches!(built, Err(ClientError::Http(_))));
}

#[tokio::test]
async fn a_user_in_the_address_is_sent_as_basic_authentication() {
    let server = Server::start(vec![hello()]).await;
    let address = server.base_url.replace("http://", "http://Aladdin:open%20sesame@");
    let (said, error) = through(HttpOptions::default(), &address).await;
    assert_eq!((said.as_str(), error), ("Hello", None));
    let head = server.requests().await[0].to_ascii_lowercase();
    assert!(head.contains("authorization: basic qwxhzgrpbjpvcgvuihnlc2ftzq=="), "{head}");
    assert!(!head.contains("sesame") && head.contains("accept: */*"), "{head}");
}

#[test]
fn a_proxy_of_another_protocol_is_refused() {
    for url in ["socks5://127.0.0.1:1080", "https://127.0.0.1:1", ""] {
        let made = HttpTransport::new(&HttpOptions::default().with_http_proxy(url));
        assert!(matches!(made, Err(HttpError::Proxy { scheme: "http", .. })), "{url}");
    }
}
