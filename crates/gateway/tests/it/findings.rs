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
async fn freeform_tools_become_functions_for_servers_without_them() {
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
    // The call is translated even if the server calls a function instead.
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

const FUNCTION: &str = r#"{"id":"c","object":"chat.completion","created":1,"model":"up","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"NAME","arguments":"{\"path\":\"a\"}"}}]},"finish_reason":"tool_calls"}]}"#;

// B5
#[tokio::test]
async fn namespaced_functions_are_offered_and_their_calls_are_mapped_back() {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let body = json!({"model": "m", "input": [
        {"role": "user", "content": "x"},
        {"type": "function_call", "call_id": "call_0", "namespace": "mcp__windlass", "name": "read", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_0", "output": "(empty)"}],
        "tools": [{"type": "namespace", "name": "mcp__windlass", "description": "Files.", "tools": [
            {"type": "function", "name": "read", "description": "Reads.", "parameters": schema}]}]});
    let provider = Canned::new(200, "application/json", FUNCTION.replace("NAME", "mcp__windlass__read"));
    let answer = provider.gateway("openai-chat").answer(&post("/v1/responses", &body)).await;
    assert_eq!(header(&answer, "x-windlass-lost"), None);
    let answer = json(answer).await;
    let sent = provider.body();
    assert_eq!(sent["tools"][0]["function"]["name"], "mcp__windlass__read", "{sent}");
    assert_eq!(sent["messages"][1]["tool_calls"][0]["function"]["name"], "mcp__windlass__read", "{sent}");
    let item = &answer["output"][0];
    assert_eq!((&item["namespace"], &item["name"]), (&json!("mcp__windlass"), &json!("read")), "{answer}");
}

// B5
#[tokio::test]
async fn a_client_tool_search_is_a_function_and_its_results_are_offered() {
    let search = json!({"type": "tool_search", "execution": "client", "description": "Finds tools.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}});
    let body = json!({"model": "m", "tools": [search], "input": [
        {"role": "user", "content": "x"},
        {"type": "tool_search_call", "call_id": "call_0", "execution": "client", "arguments": {"query": "files"}},
        {"type": "tool_search_output", "call_id": "call_0", "execution": "client", "status": "completed", "tools": [
            {"type": "namespace", "name": "mcp__mem", "tools": [
                {"type": "function", "name": "get", "description": "Gets.", "parameters": {"type": "object"}}]}]}]});
    let provider = Canned::new(200, "application/json", FUNCTION.replace("NAME", "tool_search"));
    let answer = json(provider.gateway("openai-chat").answer(&post("/v1/responses", &body)).await).await;
    let sent = provider.body();
    let names: Vec<_> =
        sent["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]["name"]).collect();
    assert_eq!(names, ["mcp__mem__get", "tool_search"], "{sent}");
    assert_eq!(sent["messages"][2]["role"], "tool", "{sent}");
    let item = &answer["output"][0];
    assert_eq!(
        (&item["type"], &item["execution"]),
        (&json!("tool_search_call"), &json!("client")),
        "{answer}"
    );
    assert_eq!(item["arguments"], json!({"path": "a"}));
}

// B5
#[tokio::test]
async fn anthropics_tools_that_the_client_runs_are_functions() {
    let body = json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}], "tools": [
        {"type": "bash_20250124", "name": "bash"},
        {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"},
        {"type": "memory_20250818", "name": "memory"}]});
    let provider = Canned::new(200, "application/json", FUNCTION.replace("NAME", "bash"));
    let answer = provider.gateway("openai-chat").answer(&post("/v1/messages", &body)).await;
    assert_eq!(header(&answer, "x-windlass-lost"), None);
    assert_eq!(provider.body()["tools"].as_array().unwrap().len(), 3);
    assert_eq!(json(answer).await["content"][0]["name"], "bash");
}

#[tokio::test]
async fn stop_reasons_of_one_format_do_not_leak_into_another() {
    for (word, has_call, chat, anthropic) in
        [("OTHER", false, "stop", "end_turn"), ("FUNCTION_CALL", true, "tool_calls", "tool_use")]
    {
        let part =
            if has_call { json!({"functionCall": {"name": "f", "args": {}}}) } else { json!({"text": "hi"}) };
        let frame =
            json!({"candidates": [{"content": {"parts": [part], "role": "model"}, "finishReason": word}]});
        for stream in [false, true] {
            let (kind, body) = if stream {
                ("text/event-stream", format!("data: {frame}\n\n"))
            } else {
                ("application/json", frame.to_string())
            };
            let gateway = Canned::new(200, kind, body).gateway("gemini");
            let ask = json!({"model": "m", "max_tokens": 9, "stream": stream, "tools": [],
                "messages": [{"role": "user", "content": "x"}]});
            let answer = text(gateway.answer(&post("/v1/chat/completions", &ask)).await).await;
            assert!(answer.contains(&format!("\"finish_reason\":\"{chat}\"")), "{answer}");
            let answer = text(gateway.answer(&post("/v1/messages", &ask)).await).await;
            assert!(answer.contains(&format!("\"stop_reason\":\"{anthropic}\"")), "{answer}");
        }
    }
}

// G
#[tokio::test]
async fn effort_sampling_and_seed_cross_the_formats() {
    let to_gemini = Canned::new(200, "application/json", GEMINI_WORD);
    let body = json!({"model": "gemini-2.5-flash", "messages": [{"role": "user", "content": "x"}], "top_p": 0.5,
        "seed": 7, "frequency_penalty": 0.25, "reasoning_effort": "low"});
    let answer = to_gemini.gateway("gemini").answer(&post("/v1/chat/completions", &body)).await;
    assert_eq!(header(&answer, "x-windlass-lost"), None);
    let config = &to_gemini.body()["generationConfig"];
    assert_eq!(
        (&config["topP"], &config["seed"], &config["frequencyPenalty"]),
        (&json!(0.5), &json!(7), &json!(0.25))
    );
    assert_eq!(config["thinkingConfig"]["thinkingBudget"], 2048, "{config}");

    let to_chat = Canned::new(200, "application/json", CHAT_WORD);
    let body = json!({"model": "m", "max_tokens": 9000, "messages": [{"role": "user", "content": "x"}],
        "thinking": {"type": "enabled", "budget_tokens": 8192}});
    to_chat.gateway("openai-chat").answer(&post("/v1/messages", &body)).await;
    assert_eq!(to_chat.body()["reasoning_effort"], "medium");

    let to_anthropic = Canned::new(200, "application/json", crate::canned::ANTHROPIC_WORD);
    let body = json!({"model": "claude-opus-4-8", "input": "x", "reasoning": {"effort": "high"}});
    to_anthropic.gateway("anthropic").answer(&post("/v1/responses", &body)).await;
    assert_eq!(to_anthropic.body()["output_config"]["effort"], "high", "{}", to_anthropic.body());
}

// U1
#[tokio::test]
async fn the_first_event_of_an_anthropic_stream_estimates_the_input() {
    let events = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"}}]}\n\n\
        data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":153,\"completion_tokens\":1}}\n\ndata: [DONE]\n\n";
    let body = json!({"model": "m", "max_tokens": 9, "stream": true, "messages": [{"role": "user", "content": "x".repeat(400)}]});
    let gateway = Canned::new(200, "text/event-stream", events).gateway("openai-chat");
    let answer = text(gateway.answer(&post("/v1/messages", &body)).await).await;
    let start: Value =
        serde_json::from_str(answer.lines().find_map(|line| line.strip_prefix("data: ")).unwrap()).unwrap();
    let estimate = start["message"]["usage"]["input_tokens"].as_u64().unwrap();
    assert!((100..200).contains(&estimate), "{estimate}");
    assert!(answer.contains("\"input_tokens\":153"), "{answer}");
}

/// A model whose answer starts after ten minutes and has its first word after ten more.
struct Slow;

impl windlass_stream::Model for Slow {
    fn stream<'a>(&'a self, _: &'a windlass_protocol::Request) -> windlass_stream::ModelFuture<'a> {
        use windlass_stream::{Chunk, ChunkStream};
        let wait = || tokio::time::sleep(std::time::Duration::from_mins(10));
        Box::pin(async move {
            wait().await;
            let end = Chunk::Finish { reason: windlass_protocol::StopReason::End, raw: String::new() };
            let chunks = futures_util::stream::iter([Chunk::text("hi"), end]);
            let chunks = futures_util::StreamExt::then(chunks, move |chunk| async move {
                wait().await;
                Ok(chunk)
            });
            Ok(Box::pin(chunks) as ChunkStream)
        })
    }
}

// B11
#[tokio::test(start_paused = true)]
async fn a_silent_model_does_not_keep_the_head_back() {
    let upstream = windlass_gateway::Upstream::new(
        std::sync::Arc::new(Slow),
        crate::formats::format("openai-chat").wire,
    );
    let gateway = crate::formats::formats()
        .into_iter()
        .fold(windlass_gateway::Gateway::new(upstream), |gateway, format| gateway.with_server(format.server));
    let cases = [
        ("/v1/chat/completions", ": keep-alive\n\n"),
        ("/v1/responses", ": keep-alive\n\n"),
        ("/v1/messages", "event: ping\ndata: {\"type\":\"ping\"}\n\n"),
        ("/v1beta/models/m:streamGenerateContent?alt=sse", "\r\n\r\n"),
    ];
    for (path, keep_alive) in cases {
        let body = json!({"model": "m", "max_tokens": 9, "stream": true, "input": "x",
            "messages": [{"role": "user", "content": "x"}], "contents": [{"parts": [{"text": "x"}]}]});
        let begun = tokio::time::Instant::now();
        let answer = gateway.answer(&post(path, &body)).await;
        assert!(begun.elapsed() < std::time::Duration::from_secs(10), "{path}");
        let answer = text(answer).await;
        assert!(answer.matches(keep_alive).count() > 100, "{path}: {answer}");
        assert!(answer.contains("hi"), "{path}");
    }
}
