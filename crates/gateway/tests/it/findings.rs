//! The findings of the audit of real clients, each with its request.

use serde_json::{Value, json};
use windlass_client::Endpoint;

use crate::canned::{CHAT_WORD, Canned, GEMINI_WORD, header, json, post, text};

const UPSTREAMS: [(&str, &str); 3] =
    [("openai-chat", CHAT_WORD), ("gemini", GEMINI_WORD), ("anthropic", crate::canned::ANTHROPIC_WORD)];

// B1
#[tokio::test]
async fn a_system_message_in_the_conversation_reaches_every_format() {
    for (upstream, word) in UPSTREAMS {
        let provider = Canned::new(200, "application/json", word);
        let body = json!({"model": "claude-opus-4-8", "max_tokens": 9, "messages": [
            {"role": "user", "content": "hi"}, {"role": "system", "content": "Be brief."}]});
        let answer = provider.gateway(upstream).answer(&post("/v1/messages", &body)).await;
        assert_eq!(answer.status, 200, "{upstream}");
        assert!(provider.body().to_string().contains("Be brief."), "{upstream}");
    }
}

// B3
#[tokio::test]
async fn state_of_another_provider_is_refused_in_the_formats_own_way() {
    let input = |field: &str, value: Value| {
        let mut body = json!({"model": "m", "input": "what is my name?"});
        body[field] = value;
        body
    };
    let reference = json!([{"type": "item_reference", "id": "msg_1"}, {"role": "user", "content": "x"}]);
    let cases = [
        ("/v1/responses", input("previous_response_id", json!("resp_abc")), "/error/param"),
        ("/v1/responses", input("conversation", json!("conv_1")), "/error/param"),
        ("/v1/responses", input("prompt", json!({"id": "pmpt_1"})), "/error/param"),
        ("/v1/responses", input("background", json!(true)), "/error/param"),
        ("/v1/responses", input("input", reference), "/error/param"),
        (
            "/v1/messages",
            json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}],
                "thread": {"type": "create"}}),
            "/error/details/error_code",
        ),
        (
            "/v1beta/models/m:generateContent",
            json!({"contents": [{"parts": [{"text": "x"}]}], "cachedContent": "cachedContents/1"}),
            "/error/details/0/fieldViolations/0/field",
        ),
    ];
    for (path, body, pointer) in cases {
        let provider = Canned::new(200, "application/json", CHAT_WORD);
        let answer = provider.gateway("openai-chat").answer(&post(path, &body)).await;
        assert_eq!(answer.status, 400, "{body}");
        let error = json(answer).await;
        assert!(error.pointer(pointer).is_some_and(Value::is_string), "{error}");
        assert!(provider.seen().is_empty());
    }
}

// B4
#[tokio::test]
async fn free_text_tools_are_functions_for_servers_that_know_no_other() {
    let call = r#"{"id":"c","object":"chat.completion","created":1,"model":"up","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"apply_patch","arguments":"{\"input\":\"*** Begin Patch\"}"}}]},"finish_reason":"tool_calls"}]}"#;
    let body = json!({"model": "m", "input": "x", "tools": [
        {"type": "custom", "name": "apply_patch", "description": "Patches."}]});
    for vendor in [
        "deepseek",
        "groq",
        "ollama",
        "openrouter",
        "vllm",
        "lmstudio",
        "mistral",
        "xai",
        "together",
        "custom",
    ] {
        let provider = Canned::new(200, "application/json", call);
        let gateway = match Endpoint::find(vendor) {
            Some(endpoint) => provider.gateway_at(endpoint, "openai-chat"),
            None => provider.gateway("openai-chat"),
        };
        let answer = json(gateway.answer(&post("/v1/responses", &body)).await).await;
        let sent = provider.body();
        assert_eq!(sent["tools"][0]["type"], "function", "{vendor}: {sent}");
        let item = answer["output"].as_array().unwrap().last().unwrap();
        assert_eq!(item["type"], "custom_tool_call", "{vendor}: {answer}");
        assert_eq!(item["input"], "*** Begin Patch", "{vendor}");
    }
    let provider = Canned::new(200, "application/json", call);
    let endpoint = Endpoint::find("openai-chat").unwrap();
    let answer = provider.gateway_at(endpoint, "openai-chat").answer(&post("/v1/responses", &body)).await;
    assert_eq!(provider.body()["tools"][0]["type"], "custom");
    // A server that calls a function all the same is understood.
    assert_eq!(json(answer).await["output"][0]["type"], "custom_tool_call");
}

// B6
#[tokio::test]
async fn leading_instructions_are_geminis_system_instruction() {
    for (path, body) in [
        (
            "/v1/chat/completions",
            json!({"model": "m", "messages": [{"role": "developer", "content": "D1"}, {"role": "user", "content": "x"}]}),
        ),
        (
            "/v1/messages",
            json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}], "system": [
                {"type": "text", "text": "D1", "cache_control": {"type": "ephemeral"}}, {"type": "text", "text": "D2"}]}),
        ),
        (
            "/v1/responses",
            json!({"model": "m", "instructions": "D0", "input": [{"role": "developer", "content": "D1"},
                {"role": "user", "content": "x"}]}),
        ),
    ] {
        let provider = Canned::new(200, "application/json", GEMINI_WORD);
        let answer = provider.gateway("gemini").answer(&post(path, &body)).await;
        assert_eq!(answer.status, 200, "{path}");
        let sent = provider.body();
        assert!(sent["systemInstruction"].to_string().contains("D1"), "{sent}");
        assert_eq!(sent["contents"].as_array().unwrap().len(), 1, "{sent}");
    }
}

// B6
#[tokio::test]
async fn blocks_of_a_system_prompt_are_separate_paragraphs() {
    let provider = Canned::new(200, "application/json", CHAT_WORD);
    let body = json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}],
        "system": [{"type": "text", "text": "A"}, {"type": "text", "text": "B"}]});
    provider.gateway("openai-chat").answer(&post("/v1/messages", &body)).await;
    assert!(provider.body()["messages"][0].to_string().contains("A\\n\\nB"), "{}", provider.body());
}

// B7
#[tokio::test]
async fn every_frame_of_a_gemini_stream_with_a_candidate_has_content() {
    let events = "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"}}]}\n\n\
        data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let provider = Canned::new(200, "text/event-stream", events);
    let body = json!({"contents": [{"role": "user", "parts": [{"text": "x"}]}]});
    let path = "/v1beta/models/m:streamGenerateContent?alt=sse";
    let answer = text(provider.gateway("openai-chat").answer(&post(path, &body)).await).await;
    let frames: Vec<Value> = answer
        .split("\r\n\r\n")
        .filter_map(|event| serde_json::from_str(event.strip_prefix("data: ")?).ok())
        .collect();
    assert!(frames.len() > 1, "{answer}");
    for frame in &frames {
        assert!(
            frame["candidates"][0]["content"]["parts"].as_array().is_some_and(|parts| !parts.is_empty()),
            "{frame}"
        );
    }
    assert_eq!(frames.last().unwrap()["candidates"][0]["finishReason"], "STOP");
}

// B8
#[tokio::test]
async fn a_whole_answer_that_fails_has_an_error_status() {
    let broken = r#"{"candidates":[{"content":{"parts":[{"text":"h"}],"role":"model"},"finishReason":"MALFORMED_FUNCTION_CALL"}]}"#;
    for (path, body) in [
        (
            "/v1/messages",
            json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]}),
        ),
        ("/v1/chat/completions", json!({"model": "m", "messages": [{"role": "user", "content": "x"}]})),
        ("/v1/responses", json!({"model": "m", "input": "x"})),
    ] {
        let provider = Canned::new(200, "application/json", broken);
        let answer = provider.gateway("gemini").answer(&post(path, &body)).await;
        assert_eq!(answer.status, 502, "{path}");
        assert!(json(answer).await["error"]["message"].as_str().unwrap().contains("MALFORMED"), "{path}");
    }
}

// B9
#[tokio::test]
async fn statuses_of_the_provider_are_statuses_of_the_clients_format() {
    let paths = [
        (
            "/v1/messages",
            json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]}),
        ),
        ("/v1/responses", json!({"model": "m", "input": "x"})),
        ("/v1beta/models/m:generateContent", json!({"contents": [{"parts": [{"text": "x"}]}]})),
    ];
    for (status, wanted) in [
        (401, [401, 401, 401]),
        (403, [403, 403, 403]),
        (404, [404, 404, 404]),
        (413, [413, 413, 413]),
        (429, [429, 429, 429]),
        (503, [529, 503, 503]),
        (529, [529, 503, 503]),
        (500, [502, 502, 502]),
    ] {
        for ((path, body), wanted) in paths.iter().zip(wanted) {
            let error = r#"{"error":{"message":"no","type":"some_error","code":null}}"#;
            let provider = Canned::new(status, "application/json", error).with_header("retry-after", "7");
            let answer = provider.gateway("openai-chat").answer(&post(path, body)).await;
            assert_eq!(answer.status, wanted, "{path} {status}");
            if status == 429 {
                assert_eq!(header(&answer, "retry-after"), Some("7"));
            }
            assert_eq!(provider.seen().len(), 1, "{path} {status}: retried inside");
        }
    }
}

// B9
#[tokio::test(start_paused = true)]
async fn the_gateway_retries_only_for_a_client_that_asks() {
    let error = r#"{"error":{"message":"no","type":"server_error","code":null}}"#;
    let provider = Canned::new(503, "application/json", error);
    let body = json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]});
    let request = post("/v1/messages", &body).with_header("x-windlass-attempts", "3");
    provider.gateway("openai-chat").answer(&request).await;
    assert_eq!(provider.seen().len(), 3);
}
