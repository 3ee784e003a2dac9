//! Requests and streams of programs (Codex, pi) with an upstream of another format.

use serde_json::json;

use crate::canned::{CHAT_WORD, Canned, header, json, post, text};

const CALL: &str = r#"{"id":"c","object":"chat.completion","created":1,"model":"up","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"functions__run","arguments":"{\"input\":\"second\"}"}}]},"finish_reason":"tool_calls"}]}"#;

#[tokio::test]
async fn additional_tools_items_are_offered_and_their_calls_mapped_back() {
    let run = json!({"type": "custom", "name": "run", "description": "Runs.", "format": {"type": "text"}});
    let look = json!({"type": "function", "name": "look", "description": "Looks.", "parameters": {"type": "object"}});
    let body = json!({"model": "m", "input": [
        {"type": "additional_tools", "role": "developer", "tools": [
            {"type": "namespace", "name": "functions", "description": "", "tools": [run]}, look]},
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "x"},
        {"type": "custom_tool_call", "call_id": "call_0", "namespace": "functions", "name": "run", "input": "first"},
        {"type": "custom_tool_call_output", "call_id": "call_0", "output": "done"}]});
    let provider = Canned::new(200, "application/json", CALL);
    let answer = provider.gateway("openai-chat").answer(&post("/v1/responses", &body)).await;
    assert_eq!(header(&answer, "x-windlass-lost"), None);
    let answer = json(answer).await;
    let sent = provider.body();
    let names: Vec<_> =
        sent["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]["name"]).collect();
    assert_eq!(names, ["functions__run", "look"], "{sent}");
    assert_eq!(sent["messages"].as_array().unwrap().len(), 4, "{sent}");
    assert_eq!(sent["messages"][2]["tool_calls"][0]["function"]["name"], "functions__run", "{sent}");
    let item = &answer["output"][0];
    assert_eq!((&item["type"], &item["input"]), (&json!("custom_tool_call"), &json!("second")), "{answer}");
    assert_eq!((&item["namespace"], &item["name"]), (&json!("functions"), &json!("run")), "{answer}");
}

#[tokio::test]
async fn a_message_between_agents_is_a_message_of_the_user() {
    let message = |content| json!({"type": "agent_message", "author": "parent", "recipient": "child", "content": content});
    let plain = message(
        json!([{"type": "input_text", "text": "Task: "}, {"type": "encrypted_content", "encrypted_content": "count"}]),
    );
    let secret = message(json!([{"type": "encrypted_content", "encrypted_content": "gAAAAABsecret"}]));
    let call = json!({"type": "function_call", "call_id": "call_0", "name": "look", "arguments": "{}"});
    let output = json!({"type": "function_call_output", "call_id": "call_0", "output": "one"});
    let input = json!([{"role": "user", "content": "x"}, plain, call, output, plain, secret]);
    let provider = Canned::new(200, "application/json", CHAT_WORD);
    let body = json!({"model": "m", "input": input});
    let answer = provider.gateway("openai-chat").answer(&post("/v1/responses", &body)).await;
    assert_eq!(header(&answer, "x-windlass-lost"), Some("part agent_message"));
    let sent = provider.body();
    let messages: Vec<_> =
        sent["messages"].as_array().unwrap().iter().map(|it| (&it["role"], &it["content"])).collect();
    let (user, task) = (json!("user"), json!("Task: count"));
    assert_eq!(messages.len(), 5, "{sent}");
    assert_eq!((messages[1], messages[4]), ((&user, &task), (&user, &task)), "{sent}");
}

// pi reads one item at a time.
#[tokio::test]
async fn each_call_of_a_stream_ends_before_the_next_one_starts() {
    let piece = |index: u8, head: &str, arguments: &str| {
        format!(
            r#"data: {{"id":"c","object":"chat.completion.chunk","created":1,"model":"up","choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":{index},{head}"function":{{{arguments}}}}}]}},"finish_reason":null}}]}}"#
        )
    };
    let end = r#"data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"up","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#;
    let frames = [
        piece(0, r#""id":"call_a","type":"function","#, r#""name":"look","arguments":"{\"a\":""#),
        piece(1, r#""id":"call_b","type":"function","#, r#""name":"look","arguments":"{\"b\":""#),
        piece(0, "", r#""arguments":"1}""#),
        piece(1, "", r#""arguments":"2}""#),
        end.to_owned(),
        "data: [DONE]".to_owned(),
    ];
    let stream = frames.join("\n\n") + "\n\n";
    let body = json!({"model": "m", "input": "x", "max_tokens": 9, "stream": true,
        "messages": [{"role": "user", "content": "x"}]});
    for (path, starts, ends) in [
        ("/v1/responses", "event: response.output_item.added", "event: response.output_item.done"),
        ("/v1/messages", "event: content_block_start", "event: content_block_stop"),
    ] {
        let provider = Canned::new(200, "text/event-stream", stream.clone());
        let answer = text(provider.gateway("openai-chat").answer(&post(path, &body)).await).await;
        let marks: Vec<_> = answer.lines().filter(|line| *line == starts || *line == ends).collect();
        assert_eq!(marks, [starts, ends, starts, ends], "{answer}");
        for (before, after) in [(r#"{\"a\":"#, "call_b"), ("call_b", r#"{\"b\":"#)] {
            assert!(answer.find(before) < answer.find(after), "{answer}");
        }
    }
}
