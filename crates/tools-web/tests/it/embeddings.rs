//! An embeddings endpoint: requests, and the checks of responses.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use windlass_protocol::Effect;
use windlass_tool::ToolError;
use windlass_tools_web::{Embeddings, EmbeddingsError, Fetch, ServiceKey, VectorForm, WebLimits};

use crate::fake::{FakeWeb, FetchWeb as _};
use crate::search::{JSON, key};
use crate::server::{Server, Step, answer};

fn fetch(server: &Server) -> Fetch {
    FakeWeb::open().fetch().with_reachable("127.0.0.1", server.address.port()).unwrap()
}

fn embeddings(server: &Server, key: ServiceKey) -> Embeddings {
    Embeddings::new(Arc::new(fetch(server)), &server.url("/v1/"), "small", key).unwrap()
}

async fn failed(embeddings: &Embeddings) -> String {
    match embeddings.embed(&["a"]).await.unwrap_err() {
        EmbeddingsError::Asked(ToolError::Model(text)) => text.wire_text(),
        other => other.to_string(),
    }
}

#[tokio::test]
async fn all_texts_are_embedded_with_one_request() {
    let body =
        json!({"data": [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": "AACAPwAAAAA="}]});
    let server = Server::saying(answer("200 OK", JSON, body.to_string().as_bytes())).await;
    let embeddings = embeddings(&server, key()).with_dimensions(2).with_form(VectorForm::Base64);
    let vectors = embeddings.embed(&["first", "second"]).await.unwrap();
    assert_eq!(vectors, [[1.0, 0.0], [0.0, 1.0]]);
    let sent: Value = serde_json::from_str(&server.bodies()[0]).unwrap();
    let expected =
        json!({"model": "small", "input": ["first", "second"], "encoding_format": "base64", "dimensions": 2});
    assert_eq!(sent, expected);
    let head = server.requests()[0].clone();
    assert!(head.starts_with("POST /v1/embeddings HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("\r\nauthorization: Bearer tvly-planted-0001\r\n"), "{head}");
    assert_eq!(server.requests().len(), 1);
    let port = server.address.port();
    assert_eq!(embeddings.effect(), Effect::Connect { host: "127.0.0.1".to_owned(), port });
    assert!(!format!("{embeddings:?}").contains("planted"));
}

#[tokio::test]
async fn without_a_key_no_header_is_sent_and_without_texts_no_request() {
    let body = br#"{"data":[{"embedding":[1]}]}"#;
    let server = Server::saying(answer("200 OK", JSON, body)).await;
    let free = embeddings(&server, ServiceKey::NotNeeded);
    assert_eq!(free.embed(&[]).await.unwrap(), Vec::<Vec<f32>>::new());
    assert_eq!(server.requests().len(), 0);
    free.embed(&["a"]).await.unwrap();
    assert!(!server.requests()[0].contains("authorization"));
    let sent: Value = serde_json::from_str(&server.bodies()[0]).unwrap();
    assert_eq!(sent, json!({"model": "small", "input": ["a"], "encoding_format": "float"}));
}

#[tokio::test]
async fn hostile_answers_are_refused_with_a_message() {
    let garbled = "the answer is not a list of vectors";
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (answer("200 OK", JSON, b"hello"), garbled),
        (answer("200 OK", JSON, &[b"[".repeat(200_000), b"]".repeat(200_000)].concat()), garbled),
        (answer("200 OK", JSON, br#"{"data":[]}"#), "the answer has 0 vectors for 1 texts"),
        (answer("200 OK", JSON, br#"{"data":[{"embedding":[1e99]}]}"#), "not finite"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{".to_vec(), "an answer that was cut or is too long"),
        (b"not HTTP\r\n\r\n".to_vec(), "127.0.0.1 did not answer in HTTP"),
        (
            answer("401 x", JSON, br#"{"error":{"message":"no tvly-planted-0001"}}"#),
            "its key is not accepted",
        ),
        (answer("429 x", "retry-after: 7\r\n", b""), "Wait 7 s"),
        (answer("307 x", "location: http://169.254.169.254/\r\n", b""), "it redirects to another address"),
    ];
    for (bytes, said) in cases {
        let server = Server::saying(bytes).await;
        let text = failed(&embeddings(&server, key())).await;
        assert!(text.contains(said) && !text.contains("planted"), "{said}: {text}");
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn endless_and_missing_answers_are_aborted() {
    let steps =
        vec![Step::Send(b"HTTP/1.1 200 OK\r\n\r\n{\"data\": [".to_vec()), Step::Endless(vec![b' '; 99_999])];
    let steps = Mutex::new(Some(steps));
    let server = Server::start(move |_| steps.lock().unwrap().take().unwrap_or_default()).await;
    assert!(failed(&embeddings(&server, key())).await.contains("an answer that was cut or is too long"));
    let server = Server::start(|_| vec![Step::Hang]).await;
    let fetch = fetch(&server).with_limits(WebLimits::default().with_total(Duration::from_millis(50)));
    let hanging = Embeddings::new(Arc::new(fetch), &server.url(""), "small", key()).unwrap();
    assert!(failed(&hanging).await.contains("no answer from 127.0.0.1 within 50ms"));
    let many = vec!["a"; 257];
    let text = hanging.embed(&many).await.unwrap_err().to_string();
    assert_eq!(text, "257 texts of 257 bytes are too much for one request");
    let long = "a".repeat(1_000_001);
    assert!(hanging.embed(&[&long]).await.unwrap_err().to_string().contains("too much for one request"));
    assert_eq!(server.requests().len(), 1);
}

/// A base URL that leads to a private address is not dialled unless the program named it.
#[tokio::test]
async fn no_hidden_address_is_dialled() {
    let web = FakeWeb::open().with_name("inside.test", &[&["10.0.0.5"]]);
    for base in ["https://inside.test", "https://127.0.0.1", "https://localhost", "https://[::1]"] {
        let embeddings = Embeddings::new(Arc::new(web.fetch()), base, "small", key()).unwrap();
        let text = failed(&embeddings).await;
        assert!(text.starts_with("the embeddings endpoint could not be reached: "), "{base}: {text}");
    }
    assert!(web.dials().is_empty());
}
