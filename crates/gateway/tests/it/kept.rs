//! Options that the gateway keeps for a format without them, and the strict policy.

use serde_json::{Value, json};
use windlass_gateway::LossPolicy;

use crate::canned::{ANTHROPIC_WORD, Canned, GEMINI_WORD, header, json, post, text};

const WHOLE: &str = r#"{"id":"resp_1","object":"response","created_at":1,"model":"up","status":"completed","output":[{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"one ENDING two","annotations":[]}]}],"usage":{"input_tokens":30,"output_tokens":9,"total_tokens":39}}"#;

/// The answer of `WHOLE` as a stream, with a call that the cut leaves out.
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
async fn verbosity_becomes_an_instruction_in_formats_without_the_field() {
    for (level, is_said) in [("low", true), ("medium", false), ("high", true)] {
        let provider = Canned::new(200, "application/json", GEMINI_WORD);
        let body = json!({"model": "m", "input": "x", "text": {"verbosity": level}});
        let answer = provider.gateway("gemini").answer(&post("/v1/responses", &body)).await;
        assert_eq!((answer.status, header(&answer, "x-windlass-lost")), (200, None), "{level}");
        assert_eq!(provider.body().get("systemInstruction").is_some(), is_said, "{level}");
    }
}

#[tokio::test]
async fn options_that_change_the_draw_are_refused_unless_the_gateway_is_lenient() {
    let body =
        json!({"model": "m", "messages": [{"role": "user", "content": "x"}], "seed": 7, "user": "ann"});
    let provider = Canned::new(200, "application/json", ANTHROPIC_WORD);
    let request = post("/v1/chat/completions", &body);
    for policy in [LossPolicy::default(), LossPolicy::Strict] {
        let refused = provider.gateway("anthropic").with_loss_policy(policy).answer(&request).await;
        assert_eq!(refused.status, 400);
        let error = json(refused).await["error"].clone();
        assert_eq!((&error["param"], &error["code"]), (&json!("seed"), &json!("unsupported_parameter")));
    }
    let lenient = provider.gateway("anthropic").with_loss_policy(LossPolicy::Lenient);
    let answer = lenient.answer(&request).await;
    assert_eq!((answer.status, header(&answer, "x-windlass-lost")), (200, Some("seed, user")));
    let unknown =
        json!({"model": "m", "messages": [{"role": "user", "content": "x"}], "user": "ann", "new": 1});
    let request = post("/v1/chat/completions", &unknown);
    let answer = provider.gateway("anthropic").answer(&request).await;
    assert_eq!((answer.status, header(&answer, "x-windlass-lost")), (200, Some("new, user")));
    let strict = provider.gateway("anthropic").with_loss_policy(LossPolicy::Strict);
    assert_eq!(strict.answer(&request).await.status, 400);
}

/// A field has the fate of its own rule, and not that of another field whose name ends in the same way.
#[tokio::test]
async fn a_field_without_a_rule_is_reported_lost_despite_rules_of_its_name() {
    let gemini = ("/v1beta/models/m:generateContent", json!({"contents": [{"parts": [{"text": "x"}]}]}));
    let responses = ("/v1/responses", json!({"model": "m", "input": "x"}));
    for ((path, mut body), place, value, name) in [
        // `labels` and `store` of the request are left out by a rule.
        (gemini.clone(), "/generationConfig", json!({"labels": "a"}), "labels"),
        (gemini.clone(), "/generationConfig", json!({"store": true}), "store"),
        // `reasoning.summary` is left out by a rule.
        (responses.clone(), "/summary", json!("auto"), "summary"),
        (responses.clone(), "/text", json!({"service_tier": "flex"}), "service_tier"),
        // `generationConfig.logprobs` is refused by a rule.
        (gemini.clone(), "/logprobs", json!(2), "logprobs"),
    ] {
        let (_, field) = place.split_at(1);
        body[field] = value;
        let provider = Canned::new(200, "application/json", ANTHROPIC_WORD);
        let answer = provider.gateway("anthropic").answer(&post(path, &body)).await;
        assert_eq!((answer.status, header(&answer, "x-windlass-lost")), (200, Some(name)), "{body}");
        let strict = provider.gateway("anthropic").with_loss_policy(LossPolicy::Strict);
        let refused = strict.answer(&post(path, &body)).await;
        assert_eq!(refused.status, 400, "{body}");
        assert!(text(refused).await.contains(name), "{body}");
    }
    // Both spellings of a field of Gemini have its rule.
    for field in ["safetySettings", "safety_settings"] {
        let (path, mut body) = gemini.clone();
        body[field] = json!([{"category": "c", "threshold": "BLOCK_ONLY_HIGH"}]);
        let provider = Canned::new(200, "application/json", ANTHROPIC_WORD);
        let answer = provider.gateway("anthropic").answer(&post(path, &body)).await;
        assert_eq!(answer.status, 400, "{field}");
    }
}

#[tokio::test]
async fn values_that_clients_send_by_default_are_not_refused() {
    let chat = |fields: Value| {
        let mut body = json!({"model": "m", "messages": [{"role": "user", "content": "x"}]});
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        post("/v1/chat/completions", &body)
    };
    let gemini = |config: Value| {
        let off = json!([{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}]);
        let body = json!({"contents": [{"role": "user", "parts": [{"text": "x"}]}],
            "generationConfig": config, "safetySettings": off});
        post("/v1beta/models/m:generateContent", &body)
    };
    let claude = json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}],
        "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]}});
    for (request, temperature, share) in [
        (
            chat(
                json!({"presence_penalty": 0, "frequency_penalty": 0.0, "n": 1, "temperature": 0, "top_p": 0.9}),
            ),
            0.0,
            None,
        ),
        (chat(json!({"temperature": 0.5, "top_p": 1})), 0.5, None),
        // Gemini CLI and its library.
        (gemini(json!({"temperature": 0, "topP": 0.95, "topK": 64})), 0.0, None),
        (gemini(json!({"topK": 1})), 0.0, None),
        (gemini(json!({"temperature": 0.5, "topK": 40})), 0.5, None),
        (gemini(json!({"temperature": 1, "topP": 0.95})), 1.0, Some(0.95)),
        (post("/v1/messages", &claude), -1.0, None),
    ] {
        let provider = Canned::new(200, "application/json", crate::canned::CHAT_WORD);
        // The upstream is a third format: nothing passes through.
        let wire = if request.path.starts_with("/v1/chat") { "anthropic" } else { "openai-chat" };
        let provider =
            if wire == "anthropic" { Canned::new(200, "application/json", ANTHROPIC_WORD) } else { provider };
        let answer = provider.gateway(wire).answer(&request).await;
        assert_eq!((answer.status, header(&answer, "x-windlass-lost")), (200, None), "{request:?}");
        let sent = provider.body();
        if temperature >= 0.0 {
            assert_eq!(sent["temperature"].as_f64(), Some(temperature), "{sent}");
        }
        assert_eq!(sent["top_p"].as_f64(), share, "{sent}");
    }
    // Anthropic takes one of the two since Claude 4.5, and samples at 1 by default.
    let provider = Canned::new(200, "application/json", ANTHROPIC_WORD);
    let answer = provider.gateway("anthropic").answer(&chat(json!({"temperature": 1, "top_p": 0.9}))).await;
    assert_eq!((answer.status, &provider.body()["top_p"]), (200, &json!(0.9)));
    let refused =
        provider.gateway("anthropic").answer(&chat(json!({"temperature": 0.5, "top_p": 0.9}))).await;
    assert_eq!((refused.status, &json(refused).await["error"]["param"]), (400, &json!("top_p")));
}

#[tokio::test]
async fn parts_of_a_user_that_are_lost_and_log_probabilities_are_refused() {
    let odd = json!({"model": "m", "messages": [{"role": "user", "content": [
        {"type": "new_kind", "new_kind": {"data": "AAAA"}}, {"type": "text", "text": "x"}]}]});
    let logs = json!({"model": "m", "input": "x", "include": ["message.output_text.logprobs"]});
    for (request, name) in
        [(post("/v1/chat/completions", &odd), "new_kind"), (post("/v1/responses", &logs), "include")]
    {
        let provider = Canned::new(200, "application/json", ANTHROPIC_WORD);
        let refused = provider.gateway("anthropic").answer(&request).await;
        assert_eq!((refused.status, provider.seen().len()), (400, 0), "{name}");
        let error = json(refused).await;
        assert!(error.to_string().contains(name), "{name}: {error}");
    }
}

#[tokio::test]
async fn one_call_at_a_time_is_kept_for_gemini() {
    let two = r#"{"candidates":[{"content":{"parts":[{"text":"both"},{"functionCall":{"name":"f","args":{"a":1}}},{"functionCall":{"name":"f","args":{"a":2}}}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":1,"totalTokenCount":4}}"#;
    let tool = json!([{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]);
    for (parallel, is_stream, count) in
        [(false, false, 1), (true, false, 2), (false, true, 1), (true, true, 2)]
    {
        let body = json!({"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": tool,
            "parallel_tool_calls": parallel, "stream": is_stream});
        let provider = if is_stream {
            Canned::new(200, "text/event-stream", format!("data: {two}\n\n"))
        } else {
            Canned::new(200, "application/json", two)
        };
        let answer = provider.gateway("gemini").answer(&post("/v1/chat/completions", &body)).await;
        assert_eq!((answer.status, header(&answer, "x-windlass-lost")), (200, None));
        let text = text(answer).await;
        assert_eq!(text.matches("\"name\":\"f\"").count(), count, "{parallel} {is_stream}: {text}");
        assert!(text.contains("both") && text.contains("tool_calls"), "{text}");
    }
}

#[tokio::test]
async fn a_choice_among_some_tools_offers_only_these() {
    let functions =
        |names: [&str; 3]| names.map(|name| json!({"type": "function", "function": {"name": name}}));
    let allowed = |names: &[&str]| {
        let tools: Vec<_> =
            names.iter().map(|name| json!({"type": "function", "function": {"name": name}})).collect();
        json!({"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": tools}})
    };
    let messages = json!([{"role": "user", "content": "x"}]);
    let chat = |names: &[&str]| {
        let body = json!({"model": "m", "messages": messages, "tools": functions(["a", "b", "c"]), "tool_choice": allowed(names)});
        post("/v1/chat/completions", &body)
    };
    let flat = |names: &[&str]| {
        names.iter().map(|name| json!({"type": "function", "name": name})).collect::<Vec<_>>()
    };
    let responses = json!({"model": "m", "input": "x", "tools": flat(&["a", "b", "c"]),
        "tool_choice": {"type": "allowed_tools", "mode": "required", "tools": flat(&["a", "c"])}});
    let declarations = ["a", "b", "c"].map(|name| json!({ "name": name }));
    let gemini = json!({"contents": [{"parts": [{"text": "x"}]}], "tools": [{"functionDeclarations": declarations}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["a", "c"]}}});
    for request in [
        chat(&["a", "c"]),
        post("/v1/responses", &responses),
        post("/v1beta/models/m:generateContent", &gemini),
    ] {
        let provider = Canned::new(200, "application/json", ANTHROPIC_WORD);
        let answer = provider.gateway("anthropic").answer(&request).await;
        assert_eq!((answer.status, header(&answer, "x-windlass-lost")), (200, None), "{}", request.path);
        let sent = provider.body();
        let names: Vec<_> =
            sent["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
        assert_eq!(
            json!([names, sent["tool_choice"]["type"]]),
            json!([["a", "c"], "any"]),
            "{}",
            request.path
        );
    }
    // A name that is not a tool of the request.
    let provider = Canned::new(200, "application/json", ANTHROPIC_WORD);
    let answer = provider.gateway("anthropic").answer(&chat(&["a", "d"])).await;
    assert_eq!(answer.status, 400);
    assert!(text(answer).await.contains("tool_choice"));
    assert!(provider.seen().is_empty());
}

#[tokio::test]
async fn an_unknown_effort_is_refused_and_a_lost_summary_form_is_named() {
    let request =
        |reasoning| post("/v1/responses", &json!({"model": "m", "input": "x", "reasoning": reasoning}));
    let provider = Canned::new(200, "application/json", ANTHROPIC_WORD);
    let gateway = provider.gateway("anthropic");
    let answer =
        gateway.answer(&request(json!({"effort": "low", "summary": "auto", "mode": "standard"}))).await;
    assert_eq!((answer.status, header(&answer, "x-windlass-lost")), (200, Some("summary")));
    let answer = gateway.answer(&request(json!({"effort": "weird"}))).await;
    assert_eq!(answer.status, 400);
    assert!(text(answer).await.contains("effort"));
}
