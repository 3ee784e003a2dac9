//! Exchanges within one format: equal bytes upstream and downstream, and the documented headers.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use windlass_gateway::{ClientRequest, Hook, Observer};
use windlass_stream::Chunk;
use windlass_testkit::{Need, corpora, require};
use windlass_wire::{DecodedRequest, ProviderError, ProviderErrorKind};

use crate::canned::{ANTHROPIC_WORD, CHAT_WORD, Canned, GEMINI_WORD, bytes, header, json, post, text};

const FORMATS: [(&str, &str); 4] = [
    ("openai-chat", "/v1/chat/completions"),
    ("openai-responses", "/v1/responses"),
    ("anthropic", "/v1/messages?beta=true"),
    ("gemini", "/v1beta/models/m:streamGenerateContent?alt=sse"),
];

#[tokio::test]
async fn recorded_bodies_and_answers_pass_byte_for_byte() {
    for (format, default_path) in FORMATS {
        let folder = require!(Need::Corpora, corpora::find(&format!("streams/{format}")));
        let (mut requests, mut answers) = (0, 0);
        let files: std::collections::BTreeMap<_, _> = corpora::files(&folder).into_iter().collect();
        for (name, meta) in files.iter().filter(|(name, _)| name.ends_with(".meta.json")) {
            let meta: Value = serde_json::from_slice(meta).unwrap();
            let Some(recorded) = files.get(meta["body_file"].as_str().unwrap()) else { continue };
            let status = meta["status"].as_u64().and_then(|status| u16::try_from(status).ok()).unwrap_or(200);
            let kind = meta["content_type"].as_str().unwrap_or("text/event-stream");
            // A server's page cannot hold the key of the gateway, so it passes as it is.
            let provider = Canned::new(status, kind, recorded.clone()).with_piece(recorded.len() / 3 + 1);
            let gateway = provider.gateway(format);
            let is_streamed = meta["stream"].as_str() == Some("sse");
            let body = match &meta["request"] {
                Value::Object(fields) if format == "gemini" || fields.contains_key("model") => {
                    requests += 1;
                    serde_json::to_vec_pretty(fields).unwrap()
                }
                _ => json!({"model": "m", "stream": is_streamed, "messages": [], "input": []})
                    .to_string()
                    .into(),
            };
            let answer = gateway.answer(&ClientRequest::new(default_path, body.clone())).await;
            assert_eq!(answer.status, status, "{format}/{name}");
            assert_eq!(answer.content_type, kind, "{format}/{name}");
            assert!(bytes(answer).await == *recorded, "{format}/{name}: the answer differs");
            // A free-text tool is translated for a Chat server without a vendor's row.
            let seen = provider.seen();
            assert_eq!(seen.len(), 1, "{format}/{name}");
            assert!(seen[0].body == body, "{format}/{name}: the request differs");
            answers += 1;
        }
        println!("corpus: {format}: {requests} recorded requests and {answers} answers passed unchanged");
        assert!(answers > 100, "{format}: {answers}");
    }
}

#[tokio::test]
async fn fields_messages_and_events_that_are_unknown_pass_unchanged() {
    let events = "event: brand_new\ndata: {\"type\":\"brand_new\", \"n\": 1.0e0}\n\n: a comment\n\n";
    for (format, path) in FORMATS {
        let provider = Canned::new(200, "text/event-stream", events).with_piece(3);
        let body = r#"{ "model":"m", "stream" : true, "brand_new": {"z":1,"a":1.50}, "messages":[{"role":"seer"}],
                     "input":[{"type":"brand_new"}], "contents":[{"role":"seer","parts":[{"brandNew":{}}]}] }"#;
        let answer = provider.gateway(format).answer(&ClientRequest::new(path, body)).await;
        assert_eq!(answer.status, 200, "{format}");
        assert_eq!(text(answer).await, events, "{format}");
        assert_eq!(provider.seen()[0].body, body, "{format}");
    }
}

const CHAT_HALF: &str = "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\
    \"choices\":[{\"index\":0,\"delta\":{\"content\":\"half\"},\"finish_reason\":null}]}\n\n";
const CHAT_END: &str = "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\
    \"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\": \"stop\"}]}\n\n";
const ANTHROPIC_HALF: &str = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\
    \"delta\":{\"type\":\"text_delta\",\"text\":\"half\"}}\n\n";

const RESPONSES_HALF: &str = "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\
    \"item_id\":\"i\",\"output_index\":0,\"content_index\":0,\"delta\":\"half\"}\n\n";

#[tokio::test]
async fn a_truncated_forwarded_stream_ends_with_an_error_event() {
    let request = json!({"model": "m", "stream": true, "max_tokens": 9, "messages": [{"role": "user", "content": "x"}],
        "input": "x", "contents": [{"role": "user", "parts": [{"text": "x"}]}]});
    let forward = async |format: &str, path: &str, events: &str| {
        let provider = Canned::new(200, "text/event-stream", events.to_owned()).with_piece(7);
        text(provider.gateway(format).answer(&post(path, &request)).await).await
    };
    let (chat, anthropic) = ("/v1/chat/completions", "/v1/messages");
    for (format, path, half) in [
        ("openai-chat", chat, CHAT_HALF),
        ("anthropic", anthropic, ANTHROPIC_HALF),
        ("openai-responses", "/v1/responses", RESPONSES_HALF),
    ] {
        let all = forward(format, path, half).await;
        let error = all.strip_prefix(half).unwrap();
        assert!(
            error.contains("error") && error.contains("ended before it was complete"),
            "{format}: {error}"
        );
        assert!(!all.contains("[DONE]") && !all.contains("message_stop"), "{format}: {all}");
    }
    let all = forward("openai-chat", chat, CHAT_HALF).await;
    let data: Value = serde_json::from_str(all.trim_end().rsplit_once("data: ").unwrap().1).unwrap();
    assert!(data["error"]["message"].is_string(), "{data}");
    let failed = "data: {\"error\": {\"message\": \"overloaded\"}}\n\n";
    for end in [CHAT_END, "data: [DONE]\n\n", failed] {
        let events = [CHAT_HALF, end].concat();
        assert_eq!(forward("openai-chat", chat, &events).await, events);
    }
}

#[tokio::test]
async fn documented_headers_cross_and_keys_do_not() {
    let provider = Canned::new(200, "application/json", ANTHROPIC_WORD)
        .with_header("request-id", "req_up")
        .with_header("anthropic-ratelimit-requests-remaining", "9")
        .with_header("set-cookie", "secret=1");
    let body = json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}],
        "context_management": {"edits": []}});
    let request = post("/v1/messages?beta=true", &body)
        .with_header("anthropic-beta", "context-management-2025-06-27,interleaved-thinking-2025-05-14")
        .with_header("anthropic-version", "2026-10-21")
        .with_header("x-api-key", "sk-client")
        .with_header("authorization", "Bearer sk-client")
        .with_header("cookie", "a=b");
    let answer = provider.gateway("anthropic").answer(&request).await;
    let sent = &provider.seen()[0];
    let sent_header = |name: &str| -> Vec<&str> {
        sent.headers.iter().filter(|held| held.name == name).map(|held| held.value.as_str()).collect()
    };
    assert_eq!(
        sent_header("anthropic-beta"),
        ["context-management-2025-06-27,interleaved-thinking-2025-05-14"]
    );
    assert_eq!(sent_header("anthropic-version"), ["2026-10-21"]);
    assert_eq!(sent_header("x-api-key"), ["sk-gateway-key"]);
    assert_eq!(sent_header("authorization"), [""; 0]);
    assert_eq!(sent_header("cookie"), [""; 0]);
    assert!(sent.url.ends_with("/v1/messages?beta=true"), "{}", sent.url);
    assert_eq!(header(&answer, "request-id"), Some("req_up"));
    assert_eq!(header(&answer, "anthropic-ratelimit-requests-remaining"), Some("9"));
    assert_eq!(header(&answer, "set-cookie"), None);
}

#[tokio::test]
async fn a_version_that_the_client_does_not_name_is_the_formats_own() {
    let provider = Canned::new(200, "application/json", ANTHROPIC_WORD);
    let body = json!({"model": "m", "max_tokens": 9, "messages": []});
    provider.gateway("anthropic").answer(&post("/v1/messages", &body)).await;
    let sent = &provider.seen()[0];
    assert!(sent.headers.iter().any(|held| held.name == "anthropic-version" && held.value == "2023-06-01"));
}

#[tokio::test]
async fn translated_answers_carry_request_ids_and_limits_in_the_clients_names() {
    let chat = Canned::new(200, "application/json", CHAT_WORD)
        .with_header("x-request-id", "req_up")
        .with_header("x-ratelimit-remaining-tokens", "70")
        .with_header("openai-processing-ms", "5");
    let body = json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]});
    let answer = chat.gateway("openai-chat").answer(&post("/v1/messages", &body)).await;
    assert_eq!(header(&answer, "request-id"), Some("req_up"));
    assert_eq!(header(&answer, "anthropic-ratelimit-tokens-remaining"), Some("70"));
    assert_eq!(header(&answer, "openai-processing-ms"), None);
    let gemini = Canned::new(200, "application/json", GEMINI_WORD);
    let answer = gemini.gateway("gemini").answer(&post("/v1/messages", &body)).await;
    assert!(header(&answer, "request-id").is_some_and(|id| id.starts_with("req_")), "{:?}", answer.headers);
}

#[tokio::test]
async fn a_body_is_not_held_after_its_exchange() {
    let chat = Canned::new(200, "application/json", CHAT_WORD);
    let gateway = chat.gateway("openai-chat");
    for (path, number) in [("/v1/chat/completions", 0), ("/v1/messages", 1), ("/v1/messages", 2)] {
        let words = format!("hi {number}");
        let body = json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": words}]});
        assert_eq!(gateway.answer(&post(path, &body)).await.status, 200);
    }
    let holders: Vec<bool> = chat.take_seen().iter().map(|request| request.body.is_unique()).collect();
    assert_eq!(holders, [true; 3]);
}

#[tokio::test]
async fn errors_of_the_provider_pass_with_their_status() {
    for (status, body) in [
        (529, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#),
        (404, r#"{"type":"error","error":{"type":"not_found_error","message":"model: m"}}"#),
    ] {
        let provider = Canned::new(status, "application/json", body)
            .with_header("retry-after", "7")
            .with_header("x-should-retry", "true");
        let request = post("/v1/messages", &json!({"model": "m", "max_tokens": 9, "messages": []}));
        let answer = provider.gateway("anthropic").answer(&request).await;
        assert_eq!(answer.status, status);
        assert_eq!(header(&answer, "retry-after"), Some("7"));
        assert_eq!(header(&answer, "x-should-retry"), Some("true"));
        assert_eq!(text(answer).await, body);
        assert_eq!(provider.seen().len(), 1, "the client retries, not the gateway");
    }
}

/// A hook that refuses a word and counts the text of answers.
#[derive(Clone, Default)]
struct Policy(Arc<Mutex<String>>);

impl Hook for Policy {
    fn inspect(
        &self,
        _: &str,
        _: &ClientRequest,
        decoded: &DecodedRequest,
    ) -> Result<Option<Box<dyn Observer>>, ProviderError> {
        let text = serde_json::to_string(&decoded.request).unwrap();
        if text.contains("forbidden") {
            return Err(ProviderError::new(ProviderErrorKind::Request, None, "this word is not permitted"));
        }
        Ok(Some(Box::new(self.clone())))
    }
}

impl Observer for Policy {
    fn observe(&mut self, chunk: &Chunk) {
        if let Chunk::Text { text } = chunk {
            self.0.lock().unwrap().push_str(text);
        }
    }
}

#[tokio::test]
async fn hooks_see_decoded_copies_of_forwarded_and_of_translated_exchanges() {
    for (upstream, word) in [("openai-chat", CHAT_WORD), ("gemini", GEMINI_WORD)] {
        let (provider, policy) = (Canned::new(200, "application/json", word), Policy::default());
        let gateway = provider.gateway(upstream).with_hook(Arc::new(policy.clone()));
        let body = json!({"model": "m", "messages": [{"role": "user", "content": "hi"}]});
        let answer = text(gateway.answer(&post("/v1/chat/completions", &body)).await).await;
        if upstream == "openai-chat" {
            assert_eq!(answer, word);
        }
        assert_eq!(*policy.0.lock().unwrap(), "hi", "{upstream}");
        let body = json!({"model": "m", "messages": [{"role": "user", "content": "forbidden"}]});
        let answer = gateway.answer(&post("/v1/chat/completions", &body)).await;
        assert_eq!(answer.status, 400);
        assert_eq!(json(answer).await["error"]["message"], "this word is not permitted");
        // A request that the hook cannot see is refused.
        let body = json!({"model": "m", "messages": [{"role": "seer", "content": "hi"}]});
        assert_eq!(gateway.answer(&post("/v1/chat/completions", &body)).await.status, 400);
        assert_eq!(provider.seen().len(), 1);
    }
}
