//! Options that the gateway keeps for a format without them, and the strict policy.

use serde_json::{Value, json};
use windlass_gateway::LossPolicy;

use crate::canned::{ANTHROPIC_WORD, Canned, GEMINI_WORD, header, json, post, text};

const WHOLE: &str = r#"{"id":"resp_1","object":"response","created_at":1,"model":"up","status":"completed","output":[{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"one ENDING two","annotations":[]}]}],"usage":{"input_tokens":30,"output_tokens":9,"total_tokens":39}}"#;

/// The same answer as a stream, with a call that the cut leaves out.
fn stream() -> String {
    let event = |value: Value| format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap());
    let place = |mut value: Value| {
        value["output_index"] = 0.into();
        value["item_id"] = "msg_1".into();
        value["content_index"] = 0.into();
        event(value)
    };
    let message = json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "in_progress", "content": []});
    let mut all = event(json!({"type": "response.output_item.added", "output_index": 0, "item": message}));
    for piece in ["one E", "ND", "ING", " two"] {
        all += &place(json!({"type": "response.output_text.delta", "delta": piece}));
    }
    let call =
        json!({"type": "function_call", "id": "fc_1", "call_id": "c", "name": "look", "arguments": "{}"});
    all += &event(json!({"type": "response.output_item.done", "output_index": 1, "item": call}));
    let end: Value = serde_json::from_str(WHOLE).unwrap();
    all + &event(json!({"type": "response.completed", "response": end}))
}

fn asked(path: &str, is_streamed: bool) -> (Value, &'static str) {
    let messages = json!([{"role": "user", "content": "x"}]);
    match path {
        "/v1/messages" => (
            json!({"model": "m", "max_tokens": 9, "messages": messages, "stop_sequences": ["END"], "stream": is_streamed}),
            "/v1/messages",
        ),
        "/v1/chat/completions" => (
            json!({"model": "m", "messages": messages, "stop": "END", "stream": is_streamed,
                "stream_options": {"include_usage": true}}),
            "/v1/chat/completions",
        ),
        _ => (
            json!({"contents": [{"parts": [{"text": "x"}]}], "generationConfig": {"stopSequences": ["END"]}}),
            if is_streamed {
                "/v1beta/models/m:streamGenerateContent?alt=sse"
            } else {
                "/v1beta/models/m:generateContent"
            },
        ),
    }
}

#[tokio::test]
async fn an_answer_of_responses_is_cut_at_a_stop_sequence() {
    for piece in [1, 7, 10_000] {
        for path in ["/v1/messages", "/v1/chat/completions", "gemini"] {
            let (body, path) = asked(path, true);
            let provider = Canned::new(200, "text/event-stream", stream()).with_piece(piece);
            let answer = provider.gateway("openai-responses").answer(&post(path, &body)).await;
            assert_eq!((answer.status, header(&answer, "x-windlass-lost")), (200, None));
            let answer = text(answer).await;
            assert!(
                answer.contains("one") && !answer.contains("ENDING") && !answer.contains("two"),
                "{answer}"
            );
            assert!(!answer.contains("look"), "{answer}");
            let end = match path {
                "/v1/messages" => r#""stop_reason":"stop_sequence","stop_sequence":"END""#,
                "/v1/chat/completions" => r#""finish_reason":"stop""#,
                _ => r#""finishReason":"STOP""#,
            };
            assert!(answer.contains(end), "{answer}");
        }
    }
}

#[tokio::test]
async fn a_whole_answer_is_cut_and_keeps_its_usage() {
    let (body, path) = asked("/v1/messages", false);
    let provider = Canned::new(200, "application/json", WHOLE);
    let answer = json(provider.gateway("openai-responses").answer(&post(path, &body)).await).await;
    assert_eq!(answer["content"], json!([{"type": "text", "text": "one "}]));
    assert_eq!((&answer["stop_reason"], &answer["stop_sequence"]), (&json!("stop_sequence"), &json!("END")));
    assert_eq!(
        (&answer["usage"]["input_tokens"], &answer["usage"]["output_tokens"]),
        (&json!(30), &json!(9))
    );
    let (body, path) = asked("/v1/chat/completions", false);
    let answer = json(provider.gateway("openai-responses").answer(&post(path, &body)).await).await;
    assert_eq!(answer["choices"][0]["message"]["content"], "one ");
    assert_eq!(answer["choices"][0]["finish_reason"], "stop");
}

#[tokio::test]
async fn json_is_demanded_of_anthropic_by_the_system_prompt() {
    let fenced = ANTHROPIC_WORD.replace(r#""text":"hi""#, r#""text":"```json\n{\"a\": 1}\n```""#);
    let provider = Canned::new(200, "application/json", fenced);
    let body = json!({"model": "m", "messages": [{"role": "user", "content": "As JSON."}],
        "response_format": {"type": "json_object"}});
    let answer = provider.gateway("anthropic").answer(&post("/v1/chat/completions", &body)).await;
    assert_eq!((answer.status, header(&answer, "x-windlass-lost")), (200, None));
    assert_eq!(json(answer).await["choices"][0]["message"]["content"], r#"{"a": 1}"#);
    assert!(provider.body()["system"].to_string().contains("one JSON object"));
}

#[tokio::test]
async fn the_length_of_an_answer_is_a_sentence_where_it_is_not_a_field() {
    for (level, is_said) in [("low", true), ("medium", false), ("high", true)] {
        let provider = Canned::new(200, "application/json", GEMINI_WORD);
        let body = json!({"model": "m", "input": "x", "text": {"verbosity": level}});
        let answer = provider.gateway("gemini").answer(&post("/v1/responses", &body)).await;
        assert_eq!((answer.status, header(&answer, "x-windlass-lost")), (200, None), "{level}");
        assert_eq!(provider.body().get("systemInstruction").is_some(), is_said, "{level}");
    }
}

#[tokio::test]
async fn a_strict_gateway_refuses_what_a_lenient_one_names() {
    let body =
        json!({"model": "m", "messages": [{"role": "user", "content": "x"}], "seed": 7, "user": "ann"});
    let provider = Canned::new(200, "application/json", ANTHROPIC_WORD);
    let request = post("/v1/chat/completions", &body);
    let answer = provider.gateway("anthropic").answer(&request).await;
    assert_eq!((answer.status, header(&answer, "x-windlass-lost")), (200, Some("seed, user")));
    let strict = provider.gateway("anthropic").with_loss_policy(LossPolicy::Strict);
    let refused = strict.answer(&request).await;
    assert_eq!(refused.status, 400);
    let error = json(refused).await["error"].clone();
    assert_eq!((&error["param"], &error["code"]), (&json!("seed"), &json!("unsupported_parameter")));
    let harmless = json!({"model": "m", "messages": [{"role": "user", "content": "x"}], "user": "ann"});
    assert_eq!(strict.answer(&post("/v1/chat/completions", &harmless)).await.status, 200);
}
