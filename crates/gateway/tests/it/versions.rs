//! Clients of both versions of Anthropic's API, with upstreams of each format.
//!
//! <https://platform.claude.com/docs/en/api/migration-2026-10-21> names three changes of `POST /v1/messages`, of token counts
//! and of batches.

use serde_json::{Value, json};
use windlass_client::Endpoint;
use windlass_gateway::ClientRequest;

use crate::canned::{ANTHROPIC_WORD, CHAT_WORD, Canned, GEMINI_WORD, json as json_of, post};
use crate::front::{send, start};

const NEWEST: &str = "2026-10-21";

/// A body, and the place that version 2026-10-21 refuses.
fn cases() -> Vec<(Value, Option<&'static str>)> {
    let user = |content: Value| json!({"messages": [{"role": "user", "content": content}]});
    let cited = |citations: Value| json!({"type": "text", "text": "x", "citations": citations});
    let cite = json!([{"type": "char_location", "cited_text": "x", "document_index": 0, "document_title": "d",
        "start_char_index": 0, "end_char_index": 1}]);
    let found = |text: Value| {
        json!({"type": "search_result", "source": "s", "title": "t", "content": [text],
            "citations": {"enabled": true}})
    };
    let document =
        json!({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}});
    let after = |block: Value| {
        json!({"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": [block]},
            {"role": "user", "content": "b"}]})
    };
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}});
    let result =
        json!({"type": "tool_result", "tool_use_id": "toolu_1", "content": [found(cited(cite.clone()))]});
    let tools = json!([{"name": "f", "input_schema": {"type": "object"}}]);
    vec![
        (user(json!("hi")), None),
        (json!({"temperature": 1.0}), Some("temperature")),
        (json!({"temperature": 0}), Some("temperature")),
        (json!({"temperature": null}), None),
        (json!({"top_p": 0.9}), Some("top_p")),
        (json!({"top_k": 5}), Some("top_k")),
        (user(json!([document.clone(), {"type": "text", "text": "x"}])), None),
        (after(document), Some("messages.1.content.0")),
        (after(cited(cite.clone())), None),
        (user(json!([cited(json!([]))])), None),
        (
            user(json!([{"type": "text", "text": "y"}, cited(cite.clone())])),
            Some("messages.0.content.1.citations"),
        ),
        (user(json!([found(cited(json!([])))])), None),
        (user(json!([found(cited(cite))])), Some("messages.0.content.0.content.0.citations")),
        (
            json!({"tools": tools, "messages": [{"role": "user", "content": "a"},
                {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]}),
            Some("messages.2.content.0.content.0.content.0.citations"),
        ),
    ]
}

fn request(case: &Value, version: &str) -> ClientRequest {
    let mut body = json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]});
    body.as_object_mut().unwrap().extend(case.as_object().unwrap().clone());
    post("/v1/messages", &body).with_header("anthropic-version", version)
}

#[tokio::test]
async fn an_upstream_of_the_same_format_receives_the_clients_version() {
    for version in ["2023-06-01", NEWEST, "2031-01-01"] {
        for (case, _) in cases() {
            let provider = Canned::new(200, "application/json", ANTHROPIC_WORD);
            let request = request(&case, version);
            assert_eq!(provider.gateway("anthropic").answer(&request).await.status, 200);
            let sent = provider.seen().pop().unwrap();
            let versions = sent.headers.iter().filter(|header| header.name == "anthropic-version");
            let versions: Vec<String> = versions.map(|header| header.value.as_str().to_owned()).collect();
            assert_eq!((versions, sent.body), (vec![version.to_owned()], request.body), "{case}");
        }
    }
}

#[tokio::test]
async fn a_translated_request_has_the_rules_of_its_version() {
    for (wire, word) in [
        ("openai-chat", CHAT_WORD),
        ("openai-responses", crate::endpoints::RESPONSES_WORD),
        ("gemini", GEMINI_WORD),
    ] {
        for (case, place) in cases() {
            let provider = Canned::new(200, "application/json", word);
            let gateway = provider.gateway(wire);
            let answer = gateway.answer(&request(&case, NEWEST)).await;
            let (status, answer) = (answer.status, json_of(answer).await);
            let words = answer["error"]["message"].as_str().unwrap_or_default();
            if let Some(place) = place {
                assert_eq!(
                    (status, &answer["error"]["type"]),
                    (400, &json!("invalid_request_error")),
                    "{case}"
                );
                assert!(words.starts_with(&format!("{place}: ")) && words.contains(NEWEST), "{words}");
                assert!(provider.seen().is_empty(), "{wire} {case}");
            } else {
                assert!(!words.contains(NEWEST), "{wire} {case}: {words}");
            }
            // The older version permits each of them; a format can refuse one for another reason.
            for version in ["2023-06-01", ""] {
                let mut request = request(&case, version);
                request.headers.retain(|(_, value)| !value.is_empty());
                let answer = json_of(gateway.answer(&request).await).await;
                assert!(!answer.to_string().contains(NEWEST), "{wire} {case}: {answer}");
            }
        }
        let provider = Canned::new(200, "application/json", word);
        let answer = provider.gateway(wire).answer(&request(&json!({}), NEWEST)).await;
        assert_eq!(json_of(answer).await["content"][0]["text"], "hi", "{wire}");
    }
}

#[tokio::test]
async fn sampling_of_the_older_version_reaches_another_format() {
    let provider = Canned::new(200, "application/json", GEMINI_WORD);
    let case = json!({"temperature": 0.5, "top_p": 0.9, "top_k": 5});
    let answer = provider.gateway("gemini").answer(&request(&case, "2023-06-01")).await;
    assert_eq!(answer.status, 200);
    let config = provider.body()["generationConfig"].clone();
    assert_eq!(
        (&config["temperature"], &config["topP"], &config["topK"]),
        (&json!(0.5), &json!(0.9), &json!(5))
    );
}

#[tokio::test]
async fn an_unknown_version_is_refused_with_the_apis_message() {
    let provider = Canned::new(200, "application/json", CHAT_WORD);
    let gateway = provider.gateway("openai-chat");
    let port = start(gateway.clone().into()).await;
    for version in ["2023-01-01", "2024-10-22", "2026-10-22", "2023-06-01, 2023-06-01", "latest"] {
        let request = request(&json!({}), version);
        let answer = gateway.answer(&request).await;
        assert_eq!(answer.status, 400, "{version}");
        let error = json_of(answer).await["error"].clone();
        let words = format!("anthropic-version: {version:?} is not a valid version");
        assert_eq!((&error["type"], &error["message"]), (&json!("invalid_request_error"), &json!(words)));
        let header = format!("anthropic-version: {version}\r\n");
        let body = String::from_utf8(request.body.to_vec()).unwrap();
        let counted = send(port, "POST", "/v1/messages/count_tokens", &header, &body).await;
        assert_eq!((counted.status, &counted.json()["error"]["message"]), (400, &json!(words)));
    }
    let twice = request(&json!({}), "2023-06-01").with_header("anthropic-version", NEWEST);
    assert_eq!(gateway.answer(&twice).await.status, 400);
    assert!(provider.seen().is_empty());
}

#[tokio::test]
async fn counts_of_tokens_have_the_rules_of_their_version() {
    let provider = Canned::new(200, "application/json", CHAT_WORD);
    let port = start(provider.gateway("openai-chat").into()).await;
    for (case, place) in cases() {
        for (version, place) in [(NEWEST, place), ("2023-06-01", None)] {
            let body = String::from_utf8(request(&case, version).body.to_vec()).unwrap();
            let header = format!("anthropic-version: {version}\r\n");
            let counted = send(port, "POST", "/v1/messages/count_tokens", &header, &body).await;
            assert_eq!(counted.status, if place.is_some() { 400 } else { 200 }, "{case} {}", counted.body);
            assert_eq!(counted.json()["input_tokens"].is_u64(), place.is_none(), "{case}");
        }
    }
}

#[tokio::test]
async fn requests_of_another_format_use_the_version_of_their_parameters() {
    // Version 2023-06-01 has each parameter that another format can express.
    let provider = Canned::new(200, "application/json", ANTHROPIC_WORD);
    let body = json!({"model": "m", "temperature": 0.5, "messages": [{"role": "user", "content": "hi"}]});
    let answer = provider.gateway("anthropic").answer(&post("/v1/chat/completions", &body)).await;
    assert_eq!(answer.status, 200);
    let sent = provider.seen().pop().unwrap();
    assert!(sent.headers.iter().any(|held| held.name == "anthropic-version" && held.value == "2023-06-01"));
    assert_eq!(provider.body()["temperature"], 0.5);
}

#[tokio::test]
async fn a_header_of_the_upstream_selects_its_version() {
    let asked =
        post("/v1/chat/completions", &json!({"model": "m", "messages": [{"role": "user", "content": "x"}]}));
    let endpoint = Endpoint::custom("http://upstream.example/v1", "anthropic");
    for (endpoint, version) in
        [(endpoint.clone(), "2023-06-01"), (endpoint.with_header("anthropic-version", NEWEST), NEWEST)]
    {
        let provider = Canned::new(200, "application/json", ANTHROPIC_WORD);
        assert_eq!(provider.gateway_at(endpoint, "anthropic").answer(&asked).await.status, 200);
        let headers = provider.seen().remove(0).headers;
        let versions = headers.iter().filter(|header| header.name == "anthropic-version");
        assert_eq!(versions.map(|header| header.value.as_str()).collect::<Vec<_>>(), [version]);
    }
}
