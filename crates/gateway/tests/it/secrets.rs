//! Keys are not passed on: neither the upstream's key to a client, nor a client's key to the upstream.

use serde_json::{Value, json};
use windlass_gateway::ClientRequest;

use crate::canned::{ANTHROPIC_WORD, CHAT_WORD, Canned, GEMINI_WORD, text};

/// The key of [`Canned::gateway`].
const UPSTREAM_KEY: &str = "sk-gateway-key";
const CLIENT_KEY: &str = "wlk-client-secret-0123456789abcdef";

fn requests() -> [ClientRequest; 4] {
    let chat = json!([{"role": "user", "content": "hi"}]);
    let request = |path: &str, body: &Value| ClientRequest::new(path, body.to_string());
    [
        request("/v1/chat/completions", &json!({"model": "m", "messages": chat})),
        request("/v1/responses", &json!({"model": "m", "input": "hi", "store": false})),
        request("/v1/messages", &json!({"model": "m", "max_tokens": 9, "messages": chat})),
        request(
            "/v1beta/models/m:generateContent",
            &json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}),
        ),
    ]
}

/// An upstream that repeats its key in the body and in each header that crosses the gateway.
fn echoing(status: u16, kind: &str, body: &str) -> Canned {
    let names = [
        "request-id",
        "x-request-id",
        "retry-after",
        "x-ratelimit-limit-requests",
        "anthropic-ratelimit-requests-limit",
        "openai-organization",
        "cf-ray",
        "server-timing",
        "www-authenticate",
        "set-cookie",
    ];
    let value = format!("Bearer {UPSTREAM_KEY}");
    names
        .iter()
        .fold(Canned::new(status, kind, body.to_owned()), |canned, name| canned.with_header(name, &value))
}

#[tokio::test]
async fn the_key_of_the_upstream_reaches_no_client_in_an_error() {
    let bodies = [
        ("application/json", json!({"error": {"message": format!("Incorrect API key: {UPSTREAM_KEY}."), "type": UPSTREAM_KEY, "code": UPSTREAM_KEY, "param": UPSTREAM_KEY}}).to_string()),
        ("application/json", json!({"type": "error", "error": {"type": "authentication_error", "message": UPSTREAM_KEY}, "request_id": UPSTREAM_KEY}).to_string()),
        ("application/json", json!({"error": {"code": 400, "message": UPSTREAM_KEY, "status": "INVALID_ARGUMENT", "details": [{"reason": UPSTREAM_KEY}]}}).to_string()),
        ("text/html", format!("<h1>401</h1><p>authorization: Bearer {UPSTREAM_KEY}</p>")),
        ("text/plain", UPSTREAM_KEY.to_owned()),
    ];
    for wire in ["openai-chat", "openai-responses", "anthropic", "gemini"] {
        for status in [301, 400, 401, 403, 404, 407, 413, 429, 500, 529] {
            for (kind, body) in &bodies {
                let gateway = echoing(status, kind, body).gateway(wire);
                for request in requests() {
                    let answer = gateway.answer(&request).await;
                    let head = format!("{} {answer:?}", answer.content_type);
                    assert_ne!(answer.status, 200, "{wire} {status} {}", request.path);
                    let body = text(answer).await;
                    assert!(
                        !head.contains(UPSTREAM_KEY) && !body.contains(UPSTREAM_KEY),
                        "{wire} {status} {}: {head} {body}",
                        request.path
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn the_key_of_the_upstream_reaches_no_client_in_the_headers_of_an_answer() {
    let words = [("openai-chat", CHAT_WORD), ("anthropic", ANTHROPIC_WORD), ("gemini", GEMINI_WORD)];
    for (wire, word) in words {
        let gateway = echoing(200, "application/json", word).gateway(wire);
        for request in requests() {
            let answer = gateway.answer(&request).await;
            assert_eq!(answer.status, 200, "{wire} {}", request.path);
            assert!(!answer.headers.is_empty(), "{wire} {}", request.path);
            assert!(!format!("{answer:?}").contains(UPSTREAM_KEY), "{wire} {}: {answer:?}", request.path);
        }
    }
}

#[tokio::test]
async fn the_key_of_a_client_reaches_no_upstream() {
    let places = ["authorization", "x-api-key", "x-goog-api-key", "api-key", "proxy-authorization", "cookie"];
    for (wire, word) in [("openai-chat", CHAT_WORD), ("anthropic", ANTHROPIC_WORD), ("gemini", GEMINI_WORD)] {
        for request in requests() {
            let provider = Canned::new(200, "application/json", word);
            let gateway = provider.gateway(wire);
            let mut sent = request.clone();
            sent.path = format!("{}?key={CLIENT_KEY}&access_token={CLIENT_KEY}&beta=true", request.path);
            for name in places {
                // Twice, because a forwarder can remove the first value only.
                sent = sent.with_header(name, format!("Bearer {CLIENT_KEY}")).with_header(name, CLIENT_KEY);
            }
            let answer = gateway.answer(&sent).await;
            assert_eq!(answer.status, 200, "{wire} {}", request.path);
            drop(text(answer).await);
            let seen = provider.seen();
            assert_eq!(seen.len(), 1, "{wire} {}", request.path);
            let head: Vec<_> =
                seen.iter().flat_map(|sent| sent.headers.iter().map(|header| &header.value)).collect();
            let all = format!("{} {head:?} {}", seen[0].url, String::from_utf8_lossy(&seen[0].body));
            assert!(!all.contains(CLIENT_KEY), "{wire} {}: {all}", request.path);
            assert!(all.contains(UPSTREAM_KEY), "the record has the values: {all}");
        }
    }
}
