//! The cache of answers to equal requests.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use windlass_gateway::{
    CacheOptions, CacheResult, ClientKeys, ClientLimits, Front, RequestLine, RequestLog, StateStore,
};

use crate::canned::{CHAT_WORD, Canned};
use crate::front::{Answer, send, start};

const CHAT_STREAM: &str = "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"hi\"},\"finish_reason\":null}]}\n\ndata: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

fn body(text: &str) -> Value {
    json!({"model": "m", "messages": [{"role": "user", "content": text}]})
}

async fn ask(port: u16, headers: &str, body: &Value) -> Answer {
    send(port, "POST", "/v1/chat/completions", headers, &body.to_string()).await
}

/// Returns the part of the cache in an answer.
fn result(answer: &Answer) -> &str {
    let line = answer.head.lines().find_map(|line| line.strip_prefix("x-windlass-cache: "));
    line.unwrap_or("none")
}

fn word() -> Canned {
    Canned::new(200, "application/json", CHAT_WORD).with_header("x-request-id", "req_1")
}

fn cached(provider: &Canned, wire: &str) -> Front {
    Front::new(provider.gateway(wire)).with_cache(CacheOptions::default())
}

#[tokio::test]
async fn an_equal_request_gets_the_stored_answer_whole_and_streamed() {
    for (provider, wire, is_stream) in [
        (word(), "openai-chat", false),
        (Canned::new(200, "text/event-stream", CHAT_STREAM), "openai-chat", true),
        (Canned::new(200, "application/json", crate::canned::ANTHROPIC_WORD), "anthropic", false),
    ] {
        let front = cached(&provider, wire);
        let port = start(front.clone()).await;
        let mut body = body("hi");
        if is_stream {
            body["stream"] = true.into();
        }
        let first = ask(port, "user-agent: a\r\n", &body).await;
        assert_eq!((first.status, result(&first)), (200, "miss"), "{}", first.head);
        let second = ask(port, "user-agent: b\r\ntraceparent: x\r\n", &body).await;
        assert_eq!((second.status, result(&second)), (200, "hit"), "{}", second.head);
        assert_eq!(second.body, first.body);
        assert!(second.head.contains("age: 0") && !second.head.contains("x-request-id"), "{}", second.head);
        let kind = |answer: &Answer| answer.head.contains("text/event-stream");
        assert_eq!((kind(&first), kind(&second)), (is_stream, is_stream));
        assert_eq!(provider.seen().len(), 1);
        let metrics = front.to_prometheus();
        for line in ["{result=\"hit\"} 1", "{result=\"miss\"} 1", "cache_answers 1"] {
            assert!(metrics.contains(line), "{line}: {metrics}");
        }
    }
}

#[tokio::test]
async fn another_request_or_another_client_gets_its_own_answer() {
    let provider = word();
    let mut keys = ClientKeys::default();
    let [ann, bob] = ["ann", "bob"].map(|name| keys.create(name, [""; 0]).unwrap());
    let port = start(cached(&provider, "openai-chat").with_client_keys(keys)).await;
    let key = |key: &str| format!("x-api-key: {key}\r\n");
    let mut other = body("hi");
    other["temperature"] = 0.5.into();
    for (headers, body) in [
        (key(&ann), body("hi")),
        (key(&bob), body("hi")),
        (key(&ann), body("ho")),
        (key(&ann), other),
        (format!("{}openai-beta: x\r\n", key(&ann)), body("hi")),
    ] {
        assert_eq!(result(&ask(port, &headers, &body).await), "miss", "{headers} {body}");
        assert_eq!(result(&ask(port, &headers, &body).await), "hit", "{headers} {body}");
    }
    assert_eq!(provider.seen().len(), 5);
    assert_eq!(ask(port, "", &body("hi")).await.status, 401);
}

#[tokio::test]
async fn a_client_can_forbid_the_cache() {
    let provider = word();
    let port = start(cached(&provider, "openai-chat")).await;
    let expected = [
        ("cache-control: no-store\r\n", "bypass"),
        ("", "miss"),
        ("cache-control: no-cache\r\n", "miss"),
        ("cache-control: Max-Age=0, private\r\n", "miss"),
        ("cache-control: no-store\r\n", "bypass"),
        ("", "hit"),
    ];
    for (headers, expected) in expected {
        assert_eq!(result(&ask(port, headers, &body("hi")).await), expected, "{headers}");
    }
    assert_eq!(provider.seen().len(), 5);
}

#[tokio::test]
async fn tools_and_state_are_not_cached() {
    let provider = word();
    let port = start(cached(&provider, "openai-chat")).await;
    let tool = json!([{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]);
    let with = |name: &str, value: Value| {
        let mut body = body("hi");
        body[name] = value;
        body
    };
    for (body, expected) in [
        (with("tools", tool.clone()), "bypass"),
        (with("tools", json!([])), "miss"),
        (with("store", json!(true)), "bypass"),
        (with("store", json!(false)), "miss"),
        (with("functions", json!([{"name": "f"}])), "bypass"),
        (with("web_search_options", json!({})), "bypass"),
    ] {
        assert_eq!(result(&ask(port, "", &body).await), expected, "{body}");
    }
    let options = CacheOptions { with_tools: true, ..CacheOptions::default() };
    let asked = start(Front::new(provider.gateway("openai-chat")).with_cache(options)).await;
    assert_eq!(result(&ask(asked, "", &with("tools", tool.clone())).await), "miss");
    assert_eq!(result(&ask(asked, "", &with("tools", tool)).await), "hit");
    assert_eq!(result(&ask(asked, "", &with("store", json!(true))).await), "bypass");
    // OpenAI's Responses API stores by default.
    let state: Arc<dyn StateStore> = Arc::new(windlass_gateway::MemoryStateStore::default());
    let port = start(cached(&provider, "openai-chat").with_state(state)).await;
    for (body, expected) in [
        (json!({"model": "m", "input": "hi"}), "bypass"),
        (json!({"model": "m", "input": "hi", "store": false}), "miss"),
        (json!({"model": "m", "input": "hi", "store": false, "conversation": "conv_1"}), "bypass"),
    ] {
        let answer = send(port, "POST", "/v1/responses", "", &body.to_string()).await;
        assert_eq!(result(&answer), expected, "{body}");
    }
}

#[tokio::test]
async fn only_complete_answers_are_stored() {
    let start_only = CHAT_STREAM.split("\n\n").next().unwrap().to_owned() + "\n\n";
    let error =
        format!("{start_only}data: {{\"error\":{{\"message\":\"x\",\"type\":\"server_error\"}}}}\n\n");
    let mut streamed = body("hi");
    streamed["stream"] = true.into();
    for (provider, body) in [
        (Canned::new(500, "application/json", r#"{"error":{"message":"no"}}"#), body("hi")),
        (Canned::new(200, "application/json", &CHAT_WORD[..100]), body("hi")),
        (Canned::new(200, "text/event-stream", start_only), streamed.clone()),
        (Canned::new(200, "text/event-stream", error), streamed),
    ] {
        let port = start(cached(&provider, "openai-chat")).await;
        for _ in 0..2 {
            assert_eq!(result(&ask(port, "", &body).await), "miss");
        }
        assert_eq!(provider.seen().len(), 2, "{body}");
    }
    // A larger answer passes, and is not stored.
    let provider = word();
    let options = CacheOptions { answer_bytes: 100, ..CacheOptions::default() };
    let port = start(Front::new(provider.gateway("openai-chat")).with_cache(options)).await;
    for _ in 0..2 {
        let answer = ask(port, "", &body("hi")).await;
        assert_eq!((answer.body.as_str(), result(&answer)), (CHAT_WORD, "miss"));
    }
}

#[derive(Default)]
struct Lines(Mutex<Vec<RequestLine>>);

impl RequestLog for Lines {
    fn log(&self, line: &RequestLine) {
        self.0.lock().unwrap().push(line.clone());
    }
}

#[tokio::test]
async fn a_stored_answer_costs_no_tokens_and_counts_as_a_request() {
    let provider = word();
    let mut keys = ClientKeys::default();
    let key = keys.create("ann", ["m"]).unwrap();
    let limits = ClientLimits { requests_per_minute: Some(4), ..ClientLimits::default() };
    keys.set_limits("ann", ClientLimits { tokens_per_day: Some(20_000), ..limits });
    let lines = Arc::new(Lines::default());
    let options = CacheOptions { lifetime: Duration::from_mins(10), ..CacheOptions::default() };
    let front = Front::new(provider.gateway("openai-chat"))
        .with_client_keys(keys)
        .with_cache(options)
        .with_log(lines.clone());
    let port = start(front.clone()).await;
    let headers = format!("x-api-key: {key}\r\n");
    let mut statuses = Vec::new();
    for _ in 0..6 {
        statuses.push(ask(port, &headers, &body("hi")).await.status);
    }
    assert_eq!(statuses, [200, 200, 200, 200, 429, 429]);
    assert_eq!((provider.seen().len(), front.usage()[0].day_tokens), (1, 4));
    let results: Vec<_> =
        lines.0.lock().unwrap().iter().map(|line| (line.cache, line.input_tokens)).collect();
    assert_eq!(results[0], (Some(CacheResult::Miss), Some(3)));
    assert_eq!(results[1], (Some(CacheResult::Hit), None));
    // A model that the key does not permit has no stored answer either.
    let mut other = body("hi");
    other["model"] = "n".into();
    assert_eq!(ask(port, &headers, &other).await.status, 404);
}
