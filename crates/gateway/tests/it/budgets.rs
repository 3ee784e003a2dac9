//! Rates and budgets of clients, and the tokens that are counted beside forwarded answers.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::net::TcpListener;
use windlass_gateway::{
    CatalogModel, ClientKeys, ClientLimits, ClientUsage, Front, FrontHandle, Gateway, MemoryStateStore,
    ServeOptions, Upstream, serve,
};
use windlass_protocol::{Capabilities, Prices, Request, StopReason, Usage};
use windlass_stream::{Chunk, ChunkStream, Model, ModelFacts, ModelFuture};
use windlass_testkit::{Need, corpora, require};
use windlass_wire::{DecodeError, WireLimits};

use crate::canned::{ANTHROPIC_WORD, Canned};
use crate::formats::{format, formats};
use crate::front::{Answer, send};

/// A model with prices that answers with one word and a count of 10 and 5 tokens.
struct Priced {
    prices: Option<Prices>,
    /// True if the answer waits before its count.
    is_slow: bool,
}

const PRICES: Prices =
    Prices { input: 1_000_000, output: 2_000_000, cache_read: 1_000_000, cache_write: 1_000_000, long: None };

impl Model for Priced {
    fn stream<'a>(&'a self, _: &'a Request) -> ModelFuture<'a> {
        let usage = Usage { input_tokens: 10, output_tokens: 5, ..Usage::default() };
        let begin =
            futures_util::stream::iter([Ok(Chunk::text("a word of twenty bytes")), Ok(Chunk::text("."))]);
        let end = [Chunk::Finish { reason: StopReason::End, raw: "stop".into() }, Chunk::Usage { usage }];
        let end = futures_util::stream::iter(end.map(Ok));
        let is_slow = self.is_slow;
        Box::pin(async move {
            use futures_util::StreamExt;
            if is_slow {
                return Ok(Box::pin(begin.chain(futures_util::stream::pending())) as ChunkStream);
            }
            Ok(Box::pin(begin.chain(end)))
        })
    }

    fn facts(&self, _: &str) -> Option<ModelFacts> {
        Some(ModelFacts::new(Capabilities::default()).with_prices(self.prices))
    }
}

fn gateway(model: Priced) -> Gateway {
    serve_all(Upstream::new(Arc::new(model), format("openai-chat").wire).with_label("priced"))
}

fn serve_all(upstream: Upstream) -> Gateway {
    formats().into_iter().fold(Gateway::new(upstream), |gateway, format| gateway.with_server(format.server))
}

fn priced() -> Gateway {
    gateway(Priced { prices: Some(PRICES), is_slow: false })
}

/// A front with one client of these limits, and the client's header.
fn limited(gateway: Gateway, limits: ClientLimits) -> (FrontHandle, String) {
    let mut keys = ClientKeys::default();
    let key = keys.create("laptop", [""; 0]).unwrap();
    assert!(keys.set_limits("laptop", limits) && !keys.set_limits("nobody", limits));
    (Front::new(gateway).with_client_keys(keys).into(), format!("x-api-key: {key}\r\n"))
}

async fn start(front: &FrontHandle) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(serve(listener, front.clone(), ServeOptions::default()));
    port
}

async fn chat(port: u16, key: &str, fields: Value) -> Answer {
    let mut body = json!({"model": "m", "max_tokens": 20, "messages": [{"role": "user", "content": "hi"}]});
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    send(port, "POST", "/v1/chat/completions", key, &body.to_string()).await
}

/// Waits until no request is open: an answer is settled after its last byte.
async fn settled(front: &FrontHandle) -> ClientUsage {
    while !front.current().to_prometheus().contains("windlass_gateway_active_requests 0") {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    front.current().usage().remove(0)
}

#[tokio::test]
async fn a_limit_is_429_with_a_wait_in_the_form_of_each_client() {
    let limits = ClientLimits { requests_per_minute: Some(1), ..ClientLimits::default() };
    let (front, key) = limited(priced(), limits);
    let port = start(&front).await;
    assert_eq!(chat(port, &key, json!({})).await.status, 200);
    let requests = [
        ("/v1/chat/completions", "rate_limit_exceeded", "/error/code"),
        ("/v1/responses", "rate_limit_exceeded", "/error/code"),
        ("/v1/messages", "rate_limit_error", "/error/type"),
        ("/v1beta/models/m:generateContent", "RESOURCE_EXHAUSTED", "/error/status"),
    ];
    for (path, word, place) in requests {
        let body = json!({"model": "m", "max_tokens": 9, "messages": [], "input": "", "contents": []});
        let answer = send(port, "POST", path, &key, &body.to_string()).await;
        assert_eq!(answer.status, 429, "{path}: {}", answer.body);
        assert_eq!(answer.json().pointer(place), Some(&json!(word)), "{path}: {}", answer.body);
        let wait = answer.head.split("retry-after: ").nth(1).unwrap().lines().next().unwrap();
        assert!((1..=61).contains(&wait.parse::<u64>().unwrap()), "{path}: {wait}");
    }
}

/// A stored conversation is part of the input of the request that continues it, so it counts for the limits.
#[tokio::test]
async fn a_stored_conversation_is_reserved_with_the_request_that_continues_it() {
    let limits = ClientLimits { tokens_per_minute: Some(2_000), ..ClientLimits::default() };
    let mut keys = ClientKeys::default();
    let key = keys.create("laptop", [""; 0]).unwrap();
    assert!(keys.set_limits("laptop", limits));
    let store = Arc::new(MemoryStateStore::default());
    let front = FrontHandle::from(Front::new(priced()).with_client_keys(keys).with_state(store));
    let (port, key) = (start(&front).await, format!("x-api-key: {key}\r\n"));
    let ask = async |body: Value| send(port, "POST", "/v1/responses", &key, &body.to_string()).await;
    let long = "a word ".repeat(700);
    let first = ask(json!({"model": "m", "max_output_tokens": 20, "input": long})).await;
    assert_eq!(first.status, 200, "{}", first.body);
    settled(&front).await;
    let id = &first.json()["id"];
    let next = json!({"model": "m", "max_output_tokens": 900, "input": "more", "previous_response_id": id});
    let refused = ask(next.clone()).await;
    assert_eq!(refused.status, 400, "{}", refused.body);
    assert!(refused.body.contains("the request may use"), "{}", refused.body);
    let mut alone = next;
    alone.as_object_mut().unwrap().remove("previous_response_id");
    assert_eq!(ask(alone).await.status, 200, "without the conversation it fits");
}

#[tokio::test]
async fn concurrent_requests_do_not_pass_a_budget_together() {
    // Each request reserves at least 20 tokens of output and uses 15.
    let limits = ClientLimits { tokens_per_day: Some(100), ..ClientLimits::default() };
    let (front, key) = limited(gateway(Priced { prices: None, is_slow: true }), limits);
    let port = start(&front).await;
    let asks = (0..30).map(|_| {
        let key = key.clone();
        // An answer without an end stays open, and so does its reservation.
        tokio::spawn(async move {
            let answer = chat(port, &key, json!({"stream": true}));
            tokio::time::timeout(std::time::Duration::from_secs(1), answer).await
        })
    });
    let answers = futures_util::future::join_all(asks).await;
    let refused = answers.iter().filter(|answer| answer.as_ref().unwrap().is_ok()).count();
    assert!((26..30).contains(&refused), "{refused}");
}

#[tokio::test]
async fn a_reservation_ends_with_the_tokens_that_were_used() {
    let limits =
        ClientLimits { tokens_per_day: Some(100), cost_per_month: Some(100), ..ClientLimits::default() };
    let (front, key) = limited(priced(), limits);
    let port = start(&front).await;
    for count in 1..=3 {
        // 10 tokens for 1 and 5 for 2 millionths.
        assert_eq!(chat(port, &key, json!({})).await.status, 200, "{count}");
        let usage = settled(&front).await;
        assert_eq!((usage.day_tokens, usage.month_cost), (15 * count, 20 * count));
    }
    // 40 of the budget are left, and the request could cost 45.
    let refused = chat(port, &key, json!({})).await;
    assert_eq!(refused.status, 429, "{}", refused.body);
    assert_eq!(refused.json()["error"]["code"], "insufficient_quota");
    assert!(refused.json()["error"]["message"].as_str().unwrap().contains("the budget per month"));
    assert_eq!(chat(port, &key, json!({"max_tokens": 2})).await.status, 200);
    settled(&front).await;
    let metrics = front.current().to_prometheus();
    let labels = r#"client="laptop",model="m",upstream="priced""#;
    assert!(
        metrics.contains(&format!("windlass_gateway_tokens_total{{{labels},kind=\"input\"}} 40\n")),
        "{metrics}"
    );
    assert!(metrics.contains(&format!("windlass_gateway_cost_total{{{labels}}} 0.000080\n")), "{metrics}");

    // A new configuration and a new process free nothing.
    let (next, _) = limited(priced(), limits);
    let stored = front.current().usage();
    front.replace(Arc::unwrap_or_clone(next.current()));
    assert_eq!(front.current().usage(), stored);
    let (restarted, key) = limited(priced(), limits);
    let restarted = FrontHandle::from(Arc::unwrap_or_clone(restarted.current()).with_usage(&stored));
    assert_eq!(chat(start(&restarted).await, &key, json!({})).await.status, 429);
}

#[tokio::test]
async fn tricks_with_a_body_do_not_lower_a_reservation() {
    let limits = ClientLimits { tokens_per_day: Some(500), ..ClientLimits::default() };
    let (front, key) = limited(priced(), limits);
    let port = start(&front).await;
    let twice =
        r#"{"model":"m","max_tokens":1,"max_tokens":100000,"messages":[{"role":"user","content":"hi"}]}"#;
    for (fields, words) in [
        (json!({"max_tokens": 1, "max_completion_tokens": 100_000}), "may use 100"),
        (json!({"max_tokens": "100000"}), "may use 100"),
        (json!({"max_tokens": 1e5}), "may use 100"),
        (json!({"max_tokens": 100, "n": 10}), "may use 10"),
        (json!({"max_tokens": null}), "may use 8"),
    ] {
        let answer = chat(port, &key, fields.clone()).await;
        assert_eq!(answer.status, 400, "{fields}: {}", answer.body);
        assert!(answer.body.contains(words), "{fields}: {}", answer.body);
    }
    let answer = send(port, "POST", "/v1/chat/completions", &key, twice).await;
    assert!(answer.status == 400 && answer.body.contains("duplicate field"), "{}", answer.body);
    // A refused request uses nothing.
    assert_eq!(chat(port, &key, json!({"messages": 7})).await.status, 400);
    assert_eq!(settled(&front).await.day_tokens, 0);
}

#[tokio::test]
async fn a_request_without_a_maximum_reserves_that_of_the_model_behind_an_alias() {
    let limits = ClientLimits { tokens_per_day: Some(10_000), ..ClientLimits::default() };
    let model = Arc::new(Priced { prices: Some(PRICES), is_slow: false });
    let upstream = Upstream::new(model, format("openai-chat").wire).with_name(Some("large".to_owned()));
    let (front, key) = limited(serve_all(upstream), limits);
    let front = Arc::unwrap_or_clone(front.current());
    let front = front.with_model(CatalogModel::new("large", "priced").with_limits(None, Some(50_000)));
    let port = start(&front.into()).await;
    let answer = chat(port, &key, json!({"model": "alias", "max_tokens": null})).await;
    assert!(answer.status == 400 && answer.body.contains("may use 50"), "{}", answer.body);
    assert_eq!(chat(port, &key, json!({"model": "alias"})).await.status, 200);
}

#[tokio::test]
async fn a_budget_in_money_needs_a_known_price() {
    let limits = ClientLimits { cost_per_day: Some(1_000_000), ..ClientLimits::default() };
    let (front, key) = limited(gateway(Priced { prices: None, is_slow: false }), limits);
    let answer = chat(start(&front).await, &key, json!({})).await;
    assert_eq!(answer.status, 403, "{}", answer.body);
    assert!(answer.body.contains("the price of the model"), "{}", answer.body);
}

#[tokio::test]
async fn a_client_that_disconnects_is_charged_for_what_it_read() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let limits = ClientLimits { tokens_per_day: Some(1_000), ..ClientLimits::default() };
    let (front, key) = limited(gateway(Priced { prices: None, is_slow: true }), limits);
    let port = start(&front).await;
    let body = r#"{"model":"m","max_tokens":100,"stream":true,"messages":[{"role":"user","content":"hi"}]}"#;
    let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n{key}content-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + body).as_bytes()).await.unwrap();
    let mut text = String::new();
    while !text.contains("twenty") {
        let mut bytes = [0; 1024];
        let count = stream.read(&mut bytes).await.unwrap();
        text.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    drop(stream);
    // The client pays for the estimated tokens of its message and of the text that it has read.
    assert_eq!(settled(&front).await.day_tokens, 7 + 5);
}

/// Decodes an answer, and returns its last count.
fn decode_usage(format_name: &str, recorded: &[u8], is_streamed: bool) -> Result<Option<Usage>, DecodeError> {
    let wire = format(format_name).wire;
    let mut chunks = Vec::new();
    if is_streamed {
        let mut decoder = wire.decoder(WireLimits::default());
        decoder.push(recorded, &mut chunks).and_then(|()| decoder.finish(&mut chunks))?;
    } else {
        wire.decode_whole(recorded, WireLimits::default(), &mut chunks)?;
    }
    Ok(chunks.iter().rev().find_map(|chunk| match chunk {
        Chunk::Usage { usage } => Some(*usage),
        _ => None,
    }))
}

// The counts beside forwarded answers are those of a full decoding.
#[tokio::test]
async fn counts_beside_recorded_answers_are_those_of_the_decoder() {
    let paths = [
        ("openai-chat", "/v1/chat/completions"),
        ("openai-responses", "/v1/responses"),
        ("anthropic", "/v1/messages"),
        ("gemini", "/v1beta/models/m:streamGenerateContent?alt=sse"),
    ];
    for (name, path) in paths {
        let folder = require!(Need::Corpora, corpora::find(&format!("streams/{name}")));
        let files: std::collections::BTreeMap<_, _> = corpora::files(&folder).into_iter().collect();
        let (mut counted, mut without) = (0, 0);
        for (file, meta) in files.iter().filter(|(file, _)| file.ends_with(".meta.json")) {
            let meta: Value = serde_json::from_slice(meta).unwrap();
            let Some(recorded) = files.get(meta["body_file"].as_str().unwrap()) else { continue };
            if meta["status"].as_u64().unwrap_or(200) != 200 {
                continue;
            }
            let is_streamed = meta["stream"].as_str() == Some("sse");
            let kind = meta["content_type"].as_str().unwrap_or("text/event-stream");
            let Ok(usage) = decode_usage(name, recorded, is_streamed) else { continue };
            let provider = Canned::new(200, kind, recorded.clone()).with_piece(1 + recorded.len() / 5);
            let front = FrontHandle::from(Front::new(provider.gateway(name)));
            let port = start(&front).await;
            let path = if is_streamed {
                path
            } else {
                &path.replace(":streamGenerateContent?alt=sse", ":generateContent")
            };
            let body = json!({"model": "m", "stream": is_streamed, "messages": [], "input": []}).to_string();
            let answer = send(port, "POST", path, "", &body).await;
            assert!(answer.status == 200, "{name}/{file}");
            let metrics = front.current().to_prometheus();
            match usage.filter(|usage| !usage.is_unreported()) {
                Some(usage) => {
                    counted += 1;
                    for (kind, tokens) in [
                        ("input", usage.input_tokens),
                        ("output", usage.output_tokens),
                        ("cache_read", usage.cache_read_tokens),
                    ] {
                        let line = format!("kind=\"{kind}\"}} {tokens}\n");
                        assert!(metrics.contains(&line), "{name}/{file}: {line} is not in {metrics}");
                    }
                }
                None => without += 1,
            }
        }
        println!("corpus: {name}: {counted} answers with an equal count, {without} without a count");
        assert!(counted > 50, "{name}: {counted}");
    }
}

#[tokio::test]
async fn usage_json_inside_text_is_not_counted() {
    let body = ANTHROPIC_WORD.replace("\"text\":\"", "\"text\":\"\\\"usage\\\": {\\\"input_tokens\\\": 7}");
    let front =
        FrontHandle::from(Front::new(Canned::new(200, "application/json", body).gateway("anthropic")));
    let port = start(&front).await;
    let body = json!({"model": "m", "max_tokens": 9, "messages": []}).to_string();
    assert_eq!(send(port, "POST", "/v1/messages", "", &body).await.status, 200);
    let metrics = front.current().to_prometheus();
    assert!(!metrics.contains("kind=\"input\"} 7\n"), "{metrics}");
}
