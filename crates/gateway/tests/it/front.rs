//! The endpoints around a gateway: routes, lists, counts, keys, limits, pages of browsers, measurements.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use windlass_gateway::{
    CatalogModel, ClientKeys, Front, Gateway, RequestLine, RequestLog, ServeOptions, Upstream, serve,
};
use windlass_mock::{Script, ScriptedProvider};

use crate::formats::{format, formats};
use crate::serve::client;

const SCRIPT: &str = r#"{"turns": [{"steps": [{"text": "hello"}]}]}"#;

async fn gateway(name: &str) -> (ScriptedProvider, Gateway) {
    let provider = ScriptedProvider::start(Script::parse(SCRIPT).unwrap(), 0).await.unwrap();
    let behind = format("openai-chat");
    let model = client(&provider.base_url(), &behind);
    let upstream = Upstream::new(Arc::new(model), behind.wire.clone()).with_name(Some(name.into()));
    let servers = formats().into_iter().map(|format| format.server);
    (provider, servers.fold(Gateway::new(upstream), Gateway::with_server))
}

pub(crate) async fn start(front: Front) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(serve(listener, front, ServeOptions::default()));
    port
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect(&self.body)
    }
}

pub(crate) async fn send(port: u16, method: &str, path: &str, headers: &str, body: &str) -> Answer {
    let request = format!(
        "{method} {path} HTTP/1.0\r\nhost: x\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
}

const CHAT: &str = r#"{"model":"large","messages":[{"role":"user","content":"hi"}]}"#;

async fn chat(port: u16, headers: &str, model: &str) -> Answer {
    send(port, "POST", "/v1/chat/completions", headers, &CHAT.replace("large", model)).await
}

#[tokio::test]
async fn a_route_by_name_chooses_the_upstream() {
    let ((large, default), (small, other)) = (gateway("scripted-1").await, gateway("scripted-1").await);
    let port = start(Front::new(default).with_route(["tiny", "alias/tiny"], other)).await;
    for (model, counts) in [("large", (1, 0)), ("tiny", (1, 1)), ("alias/tiny", (1, 2)), ("tiny2", (2, 2))] {
        let answer = chat(port, "", model).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!((large.requests().len(), small.requests().len()), counts, "{model}");
    }
}

#[tokio::test]
async fn models_are_listed_in_the_form_of_each_client() {
    let (_provider, gateway) = gateway("m").await;
    let front = Front::new(gateway)
        .with_model(CatalogModel::new("large", "openai").with_limits(Some(1000), Some(100)))
        .with_model(CatalogModel::new("org/tiny", "ollama"));
    let port = start(front).await;
    let openai = send(port, "GET", "/v1/models", "", "").await.json();
    assert_eq!(openai["object"], "list");
    assert_eq!(openai["data"][1]["id"], "org/tiny");
    let version = "anthropic-version: 2023-06-01\r\n";
    let anthropic = send(port, "GET", "/v1/models?limit=20", version, "").await.json();
    assert_eq!((&anthropic["has_more"], &anthropic["first_id"]), (&json!(false), &json!("large")));
    assert_eq!(anthropic["data"][0]["max_input_tokens"], 1000);
    let gemini = send(port, "GET", "/v1beta/models", "", "").await.json();
    assert_eq!(
        (&gemini["models"][0]["name"], &gemini["models"][0]["inputTokenLimit"]),
        (&json!("models/large"), &json!(1000))
    );
    assert_eq!(send(port, "GET", "/v1/models/org/tiny", "", "").await.json()["owned_by"], "ollama");
    let missing = send(port, "GET", "/v1/models/huge", version, "").await;
    assert_eq!((missing.status, &missing.json()["error"]["type"]), (404, &json!("not_found_error")));
    assert_eq!(send(port, "GET", "/v1beta/models/huge", "", "").await.json()["error"]["status"], "NOT_FOUND");
    assert_eq!(send(port, "GET", "/v1/files", "", "").await.status, 404);
    assert_eq!(send(port, "DELETE", "/v1/models/large", "", "").await.status, 405);
}

#[tokio::test]
async fn a_web_socket_is_refused_with_the_status_that_makes_codex_use_http() {
    let (_provider, gateway) = gateway("m").await;
    let port = start(Front::new(gateway)).await;
    let headers =
        "upgrade: WebSocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
    let answer = send(port, "GET", "/v1/responses", headers, "").await;
    assert_eq!(answer.status, 426, "{}", answer.head);
    assert!(answer.head.contains("upgrade: http/1.1"), "{}", answer.head);
    assert_eq!(send(port, "GET", "/v1/responses", "", "").await.status, 405);
}

#[tokio::test]
async fn tokens_are_counted_without_a_request_to_the_provider() {
    let (provider, gateway) = gateway("m").await;
    let port = start(Front::new(gateway)).await;
    let body = |text: &str| {
        json!({"model": "claude-sonnet-4-6", "system": "Be brief.", "messages": [{"role": "user", "content": text}]}).to_string()
    };
    let count = |answer: &Answer| answer.json()["input_tokens"].as_u64().unwrap();
    let short = send(port, "POST", "/v1/messages/count_tokens?beta=true", "", &body("hi")).await;
    let long = send(port, "POST", "/v1/messages/count_tokens", "", &body(&"word ".repeat(1000))).await;
    assert!(short.head.contains("x-windlass-count: estimate"), "{}", short.head);
    assert!(count(&short) < 20 && (1000..2000).contains(&count(&long)), "{} {}", short.body, long.body);
    let gemini = json!({"contents": [{"role": "user", "parts": [{"text": "word ".repeat(1000)},
        {"inlineData": {"mimeType": "image/png", "data": "A".repeat(100_000)}}]}]});
    let counted =
        send(port, "POST", "/v1beta/models/gemini-3-pro:countTokens", "", &gemini.to_string()).await;
    assert!((2500..3500).contains(&counted.json()["totalTokens"].as_u64().unwrap()), "{}", counted.body);
    let responses =
        json!({"model": "gpt-5", "input": "one two three", "instructions": "Be brief."}).to_string();
    let counted = send(port, "POST", "/v1/responses/input_tokens", "", &responses).await;
    assert!((3..12).contains(&count(&counted)), "{}", counted.body);
    // A picture in a data URL costs as much as one in a field, and the text of a document as much as other text.
    let picture = json!({"model": "gpt-5", "input": [{"role": "user", "content": [
        {"type": "input_image", "image_url": format!("data:image/png;base64,{}", "A".repeat(100_000))}]}]});
    let counted = send(port, "POST", "/v1/responses/input_tokens", "", &picture.to_string()).await;
    assert!((1500..1600).contains(&count(&counted)), "{}", counted.body);
    let document = json!({"model": "claude-sonnet-4-6", "messages": [{"role": "user", "content": [
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "word ".repeat(4000)}}]}]});
    let counted = send(port, "POST", "/v1/messages/count_tokens", "", &document.to_string()).await;
    assert!((4000..6000).contains(&count(&counted)), "{}", counted.body);
    assert_eq!(send(port, "POST", "/v1/messages/count_tokens", "", "{").await.status, 400);
    assert_eq!(send(port, "POST", "/v1/messages/count_tokens", "", "{}").await.status, 400);
    assert_eq!(provider.requests().len(), 0);
}

/// Asserts that no request has a header for keys: the provider here needs none, and its record hides their values.
#[track_caller]
fn check_no_key(provider: &ScriptedProvider) {
    for request in provider.requests() {
        for (name, _) in &request.headers {
            assert!(
                !["authorization", "x-api-key", "x-goog-api-key"].contains(&name.as_str()),
                "{request:?}"
            );
        }
    }
}

#[tokio::test]
async fn only_clients_with_a_key_are_answered_and_only_for_their_models() {
    let (provider, gateway) = gateway("scripted-1").await;
    let mut keys = ClientKeys::default();
    let (all, one) = (keys.create("all", [""; 0]).unwrap(), keys.create("one", ["large"]).unwrap());
    let front = Front::new(gateway)
        .with_client_keys(ClientKeys::from_json(&keys.to_json().unwrap()).unwrap())
        .with_model(CatalogModel::new("large", "x"))
        .with_model(CatalogModel::new("tiny", "x"));
    let port = start(front.clone()).await;
    let bearer = |key: &str| format!("authorization: Bearer {key}\r\n");
    for wrong in [
        String::new(),
        bearer("wlk-0"),
        bearer(""),
        "x-api-key: no\r\n".into(),
        format!("authorization: {all}\r\n"),
    ] {
        let refused = chat(port, &wrong, "large").await;
        assert_eq!(
            (refused.status, &refused.json()["error"]["code"]),
            (401, &json!("invalid_api_key")),
            "{wrong}"
        );
        assert_eq!(send(port, "GET", "/v1/models", &wrong, "").await.status, 401);
        assert_eq!(send(port, "GET", "/metrics", &wrong, "").await.status, 401);
    }
    assert_eq!(provider.requests().len(), 0);
    assert_eq!(send(port, "GET", "/health", "", "").await.status, 200);
    for header in ["authorization: bearer ", "x-api-key: ", "x-goog-api-key: "] {
        assert_eq!(chat(port, &format!("{header}{all}\r\n"), "tiny").await.status, 200, "{header}");
    }
    assert_eq!(send(port, "POST", &format!("/v1/chat/completions?key={all}"), "", CHAT).await.status, 200);
    assert_eq!(chat(port, &bearer(&one), "large").await.status, 200);
    // A second key in another place, other spellings of the model, and a second field do not help.
    let both = format!("{}x-api-key: {all}\r\n", bearer(&one));
    for model in
        ["tiny", "Large", "large ", "lar\\u0067e/", r#"large","model":"tiny"#, r#"tiny","model":"large"#]
    {
        assert_ne!(chat(port, &both, model).await.status, 200, "{model}");
    }
    let list = send(port, "GET", "/v1/models", &bearer(&one), "").await.json();
    assert_eq!(list["data"].as_array().unwrap().len(), 1);
    assert_eq!(provider.requests().len(), 5);
    // Neither the measurements nor the requests at the provider contain a key.
    check_no_key(&provider);
    let told = format!("{} {:?} {front:?}", front.to_prometheus(), provider.requests());
    assert!(!told.contains(&all) && !told.contains(&one), "{told}");
    assert!(told.contains("client=\"one\"") && told.contains("status=\"404\""), "{told}");
}

#[tokio::test]
async fn a_full_server_refuses_work_and_takes_idle_connections() {
    let stalled = r#"{"turns": [{"steps": [{"text": "a long text"}], "delay_ms": 1500, "piece": 4}]}"#;
    let provider = ScriptedProvider::start(Script::parse(stalled).unwrap(), 0).await.unwrap();
    let behind = format("openai-chat");
    let upstream = Upstream::new(Arc::new(client(&provider.base_url(), &behind)), behind.wire.clone())
        .with_name(Some("scripted-1".into()));
    let servers = formats().into_iter().map(|format| format.server);
    let gateway = servers.fold(Gateway::new(upstream), Gateway::with_server);
    let port = start(Front::new(gateway).with_concurrent_requests(1)).await;
    let mut idle = Vec::new();
    for _ in 0..300 {
        idle.push(TcpStream::connect(("127.0.0.1", port)).await.unwrap());
    }
    let first = tokio::spawn(async move { chat(port, "", "large").await });
    for _ in 0..100 {
        if provider.requests().len() == 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let refused = chat(port, "", "large").await;
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert!(refused.head.contains("retry-after: 1"), "{}", refused.head);
    assert_eq!(send(port, "GET", "/ready", "", "").await.status, 503);
    assert_eq!(send(port, "GET", "/health", "", "").await.status, 200);
    assert_eq!(first.await.unwrap().status, 200);
    assert_eq!(send(port, "GET", "/ready", "", "").await.status, 200);
}

#[tokio::test]
async fn pages_of_a_permitted_origin_only_are_answered() {
    let (provider, gateway) = gateway("scripted-1").await;
    let port = start(Front::new(gateway).with_origin("https://app.example")).await;
    for origin in
        ["https://evil.example", "https://app.example.evil.example", "null", "http://app.example", ""]
    {
        let headers = format!("origin: {origin}\r\n");
        for (method, path) in
            [("OPTIONS", "/v1/chat/completions"), ("POST", "/v1/chat/completions"), ("GET", "/health")]
        {
            let refused = send(port, method, path, &headers, CHAT).await;
            assert_eq!(refused.status, 403, "{origin} {method}");
            assert!(!refused.head.contains("access-control"), "{}", refused.head);
        }
    }
    assert_eq!(provider.requests().len(), 0);
    let headers = "origin: https://app.example\r\naccess-control-request-method: POST\r\n";
    let preflight = send(port, "OPTIONS", "/v1/chat/completions", headers, "").await;
    assert_eq!(preflight.status, 204);
    assert!(
        preflight.head.contains("access-control-allow-origin: https://app.example"),
        "{}",
        preflight.head
    );
    let answer = chat(port, "origin: https://app.example\r\n", "large").await;
    assert_eq!(answer.status, 200);
    assert!(answer.head.contains("access-control-allow-origin: https://app.example"), "{}", answer.head);
}

#[tokio::test]
async fn a_page_reaches_no_server_by_another_name_or_without_an_origin() {
    let (provider, gateway) = gateway("scripted-1").await;
    let mut keys = ClientKeys::default();
    let key = keys.create("ann", [""; 0]).unwrap();
    let open = start(Front::new(gateway.clone()).with_host("gateway.example.com")).await;
    let locked = start(Front::new(gateway).with_client_keys(keys)).await;
    let get = async |port: u16, headers: &str, path: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\n{headers}connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer.split(' ').nth(1).unwrap().parse::<u16>().unwrap()
    };
    for path in ["/health", "/metrics", "/v1/models", "/v1/responses/resp_1"] {
        // DNS rebinding: the name of a page resolves to this machine.
        assert_eq!(get(open, "host: evil.example:4000\r\n", path).await, 421, "{path}");
        assert_eq!(get(open, "host: 127.0.0.1\r\nhost: evil.example\r\n", path).await, 421, "{path}");
        for site in ["cross-site", "same-site"] {
            let headers = format!("host: 127.0.0.1:4000\r\nsec-fetch-site: {site}\r\n");
            assert_eq!(get(open, &headers, path).await, 403, "{path}");
        }
    }
    for headers in ["host: 127.0.0.1:4000\r\n", "host: gateway.example.com\r\nsec-fetch-site: none\r\n"] {
        assert_eq!(get(open, headers, "/v1/models").await, 200, "{headers}");
    }
    let headers = format!("host: any.example\r\nx-api-key: {key}\r\n");
    assert_eq!(get(locked, &headers, "/v1/models").await, 200);
    assert_eq!(get(locked, "host: any.example\r\n", "/v1/models").await, 401);
    assert_eq!(provider.requests().len(), 0);
}

#[derive(Default)]
struct Lines(Mutex<Vec<RequestLine>>);

impl RequestLog for Lines {
    fn log(&self, line: &RequestLine) {
        self.0.lock().unwrap().push(line.clone());
    }
}

#[tokio::test]
async fn each_request_is_logged_once_after_its_answer_without_its_content() {
    let (_provider, gateway) = gateway("scripted-1").await;
    let lines = Arc::new(Lines::default());
    let front = Front::new(gateway).with_log(lines.clone());
    let port = start(front.clone()).await;
    let answer = send(port, "POST", "/v1/chat/completions?key=secret", "x-api-key: secret\r\n", CHAT).await;
    assert_eq!(answer.status, 200);
    assert_eq!(chat(port, "", "a\\\"b\\nwindlass_evil 1").await.status, 200);
    assert_eq!(send(port, "POST", "/v1/chat/completions", "", "{").await.status, 400);
    let lines = lines.0.lock().unwrap().clone();
    let found: Vec<_> =
        lines.iter().map(|line| (line.status, line.is_complete, line.model.as_str())).collect();
    assert_eq!(found, [(200, true, "large"), (200, true, "a\"b\nwindlass_evil 1"), (400, true, "")]);
    assert!(lines.iter().all(|line| line.path == "/v1/chat/completions" && line.first_byte_ms.is_some()));
    assert!(!serde_json::to_string(&lines).unwrap().contains("secret"));
    let text = front.to_prometheus();
    let labels = r#"client="",model="large",upstream="openai-chat""#;
    for (name, more, value) in [
        ("requests_total", r#",format="openai-chat",status="200""#, "1"),
        ("first_byte_seconds_count", "", "1"),
        ("first_byte_seconds_bucket", r#",le="+Inf""#, "1"),
        ("wait_seconds_count", "", "1"),
    ] {
        let line = format!("windlass_gateway_{name}{{{labels}{more}}} {value}\n");
        assert!(text.contains(&line), "{line}{text}");
    }
    assert!(text.contains(r#"model="a\"bwindlass_evil 1""#), "{text}");
    assert!(
        text.lines().all(|line| line.starts_with("# ") || line.starts_with("windlass_gateway_")),
        "{text}"
    );
    assert!(text.contains("windlass_gateway_active_requests 0"), "{text}");
}

#[tokio::test]
async fn no_series_is_twice_in_the_measurements() {
    let (_provider, gateway) = gateway("scripted-1").await;
    let front = Front::new(gateway);
    let port = start(front.clone()).await;
    let long = "m".repeat(300);
    for model in ["a", "a\\u0000", &format!("{long}1"), &format!("{long}2")] {
        assert_eq!(chat(port, "", model).await.status, 200);
    }
    let text = front.to_prometheus();
    let mut series: Vec<_> = text.lines().filter_map(|line| Some(line.rsplit_once(' ')?.0)).collect();
    let count = series.len();
    series.sort_unstable();
    series.dedup();
    assert_eq!(series.len(), count, "{text}");
    assert_eq!(text.matches("status=\"200\"} 2\n").count(), 2, "{text}");
}

#[tokio::test]
async fn clients_that_choose_many_model_names_do_not_grow_the_measurements_without_bound() {
    let (_provider, gateway) = gateway("scripted-1").await;
    let front = Front::new(gateway).with_route(
        ["none"],
        Gateway::new(Upstream::new(
            Arc::new(client("http://127.0.0.1:9", &format("openai-chat"))),
            format("openai-chat").wire.clone(),
        )),
    );
    let port = start(front.clone()).await;
    for number in 0..1_100 {
        let body = format!(r#"{{"model":"m{number}"}}"#);
        assert_eq!(send(port, "POST", "/v1/chat/completions", "", &body).await.status, 400);
    }
    let text = front.to_prometheus();
    let series = text.lines().filter(|line| line.starts_with("windlass_gateway_requests_total{")).count();
    assert!(series <= 1_001, "{series}");
    let rest = r#"model="other",upstream="",format="openai-chat",status="400"} 100"#;
    assert!(text.contains(rest), "{text}");
}

#[tokio::test]
async fn the_body_of_a_client_without_a_key_is_not_awaited() {
    let (provider, gateway) = gateway("scripted-1").await;
    let mut keys = ClientKeys::default();
    keys.create("one", [""; 0]).unwrap();
    let port = start(Front::new(gateway).with_client_keys(keys)).await;
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    // The body never arrives.
    let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 30000000\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut answer)).await;
    read.expect("the server closes the connection").unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 401 "), "{}", String::from_utf8_lossy(&answer));
    assert_eq!(provider.requests().len(), 0);
}

#[tokio::test]
async fn bodies_wait_for_memory_and_time_out_with_408() {
    let (_provider, gateway) = gateway("scripted-1").await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let body_timeout = Duration::from_secs(2);
    let options = ServeOptions { all_body_bytes: 1 << 20, body_timeout, ..ServeOptions::default() };
    tokio::spawn(serve(listener, gateway, options));
    let mut slow = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 1048576\r\n\r\n";
    slow.write_all(head.as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    // The slow body uses all memory until its time limit. Then the waiting request gets the memory, or reaches its
    // own limit.
    let waiting = chat(port, "", "large").await;
    assert!(matches!(waiting.status, 200 | 408), "{}", waiting.body);
    let mut answer = Vec::new();
    slow.read_to_end(&mut answer).await.unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 408 "), "{}", String::from_utf8_lossy(&answer));
    assert_eq!(chat(port, "", "large").await.status, 200);
}

#[tokio::test]
async fn a_body_with_two_models_is_not_forwarded() {
    let provider = ScriptedProvider::start(Script::parse(SCRIPT).unwrap(), 0).await.unwrap();
    let upstream = Upstream::from_client(client(&provider.base_url(), &format("openai-chat")));
    let servers = formats().into_iter().map(|format| format.server);
    let gateway =
        servers.fold(Gateway::new(upstream.with_name(Some("scripted-1".into()))), Gateway::with_server);
    let port = start(Front::new(gateway)).await;
    for models in
        [r#"large","model":"tiny"#, r#"scripted-1","model":"large"#, r#"large","model":"scripted-1"#]
    {
        let refused = chat(port, "", models).await;
        assert_eq!(refused.status, 400, "{}", refused.body);
        assert!(refused.body.contains("model: expected once"), "{}", refused.body);
    }
    assert_eq!(provider.requests().len(), 0);
    let keys = "authorization: Bearer a\r\nx-api-key: b\r\nx-goog-api-key: c\r\n";
    assert_eq!(chat(port, keys, "large").await.status, 200);
    assert_eq!(provider.requests()[0].body["model"], "scripted-1");
    check_no_key(&provider);
}
