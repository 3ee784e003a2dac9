//! Calls that a provider ran: shown from the stream, and sent back unchanged to the same format.

use serde_json::{Value, json};
use windlass_assemble::{AssembleOptions, Assembler};
use windlass_protocol::{Message, Part, Request};
use windlass_stream::Chunk;
use windlass_wire::WireLimits;

use crate::formats::format;

/// Decodes the events of an answer of a format, and returns the chunks and the message.
fn decode(name: &str, events: &[Value]) -> (Vec<Chunk>, Message) {
    let (mut decoder, mut chunks) = (format(name).wire.decoder(WireLimits::default()), Vec::new());
    for event in events {
        decoder.push(format!("data: {event}\n\n").as_bytes(), &mut chunks).unwrap();
    }
    decoder.finish(&mut chunks).unwrap();
    let (mut assembler, mut calls) = (Assembler::new(AssembleOptions::default()), Vec::new());
    for chunk in &chunks {
        assembler.push(chunk.clone(), &mut calls);
    }
    assert!(calls.is_empty(), "a call of the provider is none of ours: {calls:?}");
    (chunks, assembler.finish(&mut calls).message().unwrap())
}

/// Returns a line for each call and result that observers see.
fn shown(chunks: &[Chunk]) -> Vec<String> {
    let line = |chunk: &Chunk| match chunk {
        Chunk::HostedCall(call) => {
            let server = call.server.as_deref().map(|server| format!("{server}/")).unwrap_or_default();
            Some(format!("{} call {server}{} {}", call.id, call.name, call.arguments))
        }
        Chunk::HostedResult(result) => match &result.error {
            Some(error) => Some(format!("{} {} failed: {error}", result.id, result.name)),
            None => Some(format!("{} {} gave {}", result.id, result.name, result.content)),
        },
        _ => None,
    };
    chunks.iter().filter_map(line).collect()
}

/// Returns the body of the next request of the conversation.
fn next(name: &str, model: &str, answer: Message) -> Value {
    let messages = vec![Message::user("hi"), answer, Message::user("and?")];
    serde_json::from_slice(&format(name).wire.encode(&Request::new(model, messages)).unwrap().body).unwrap()
}

/// Returns source, title, quote and passage of each citation.
fn cited(answer: &Message) -> Vec<Value> {
    let texts = answer.parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text),
        _ => None,
    });
    let citations = texts.flat_map(|text| text.citations.iter().map(move |citation| (text, citation)));
    citations
        .map(|(text, citation)| {
            json!([citation.source, citation.title, citation.quote, text.passage(citation)])
        })
        .collect()
}

#[test]
fn anthropic_runs_a_search_and_a_tool_of_a_server() {
    let blocks = [
        json!({ "type": "server_tool_use", "id": "s1", "name": "web_search", "input": { "query": "x" } }),
        json!({
            "type": "web_search_tool_result", "tool_use_id": "s1",
            "content": { "type": "web_search_tool_result_error", "error_code": "max_uses_exceeded" },
        }),
        json!({ "type": "mcp_tool_use", "id": "m1", "name": "echo", "server_name": "srv", "input": { "a": 1 } }),
        json!({
            "type": "mcp_tool_result", "tool_use_id": "m1", "is_error": true,
            "content": [{ "type": "text", "text": "no such issue" }],
        }),
        json!({ "type": "server_tool_use", "id": "s2", "name": "bash_code_execution", "input": { "command": "ls" } }),
        json!({
            "type": "bash_code_execution_tool_result", "tool_use_id": "s2",
            "content": { "return_code": 0, "stdout": "a", "type": "bash_code_execution_result" },
        }),
    ];
    let text = json!({
        "type": "text", "text": "So it is.",
        "citations": [
            { "type": "web_search_result_location", "url": "https://a.example", "title": "A", "cited_text": "it is", "encrypted_index": "e" },
            { "type": "page_location", "document_index": 0, "document_title": "D", "cited_text": "yes", "start_page_number": 1, "end_page_number": 2 },
        ],
    });
    let content: Vec<Value> = blocks.iter().chain([&text]).cloned().collect();
    let message = json!({ "type": "message", "content": content, "stop_reason": "end_turn" });
    let (chunks, answer) = decode(
        "anthropic",
        &[json!({ "type": "message_start", "message": message }), json!({ "type": "message_stop" })],
    );
    let expected = [
        r#"s1 call web_search {"query":"x"}"#,
        "s1 web_search failed: max_uses_exceeded",
        r#"m1 call srv/echo {"a":1}"#,
        "m1 mcp failed: no such issue",
        r#"s2 call bash_code_execution {"command":"ls"}"#,
        r#"s2 bash_code_execution gave {"return_code":0,"stdout":"a","type":"bash_code_execution_result"}"#,
    ];
    assert_eq!(shown(&chunks), expected);
    let citations = [
        json!([{ "url": "https://a.example" }, "A", "it is", "So it is."]),
        json!([{ "document": "0" }, "D", "yes", "So it is."]),
    ];
    assert_eq!(cited(&answer), citations);
    // The next request returns the parts of the API unchanged, with the opaque index of the citation.
    let sent = next("anthropic", "claude-opus-4-6", answer)["messages"][1]["content"].clone();
    assert_eq!(sent, Value::Array(content));
}

#[test]
fn responses_runs_its_tools() {
    let items = [
        json!({ "type": "web_search_call", "id": "ws", "status": "completed", "action": { "query": "q", "type": "search" } }),
        json!({ "type": "code_interpreter_call", "id": "ci", "status": "failed", "code": "1/0", "outputs": null }),
        json!({
            "type": "mcp_call", "id": "mc", "server_label": "srv", "name": "echo", "arguments": "{\"a\":1}",
            "output": null, "error": { "type": "http_error", "code": 401, "message": "unauthorized" },
        }),
        json!({ "type": "tool_search_call", "id": "ts", "call_id": null, "execution": "server", "arguments": { "query": "d" }, "status": "completed" }),
        json!({ "type": "tool_search_output", "call_id": "ts", "execution": "server", "tools": [], "status": "completed" }),
        // The next two calls are executed by the caller.
        json!({ "type": "computer_call", "id": "cc", "call_id": "c", "action": { "type": "wait" }, "status": "completed" }),
        json!({ "type": "tool_search_call", "id": "tc", "call_id": "d", "execution": "client", "arguments": {}, "status": "completed" }),
    ];
    let text = json!({
        "type": "message", "id": "msg", "role": "assistant", "status": "completed",
        "content": [{
            "type": "output_text", "text": "Über Züge.",
            "annotations": [
                { "type": "url_citation", "url": "https://a.example", "title": "A", "start_index": 5, "end_index": 9 },
                { "type": "file_citation", "file_id": "file-1", "filename": "b.pdf", "index": 3 },
            ],
        }],
    });
    let events: Vec<Value> = items
        .iter()
        .chain([&text])
        .enumerate()
        .map(|(at, item)| json!({ "type": "response.output_item.done", "output_index": at, "item": item }))
        .chain([json!({ "type": "response.completed", "response": { "object": "response", "status": "completed", "output": [] } })])
        .collect();
    let (chunks, answer) = decode("openai-responses", &events);
    let expected = [
        r#"ws call web_search {"query":"q","type":"search"}"#,
        "ws web_search gave null",
        r#"ci call code_interpreter {"code":"1/0"}"#,
        "ci code_interpreter failed: failed",
        r#"mc call srv/echo {"a":1}"#,
        "mc echo failed: unauthorized",
        r#"ts call tool_search {"query":"d"}"#,
        "ts tool_search gave []",
    ];
    assert_eq!(shown(&chunks), expected);
    let citations = [
        json!([{ "url": "https://a.example" }, "A", null, "Züge"]),
        json!([{ "document": "file-1" }, "b.pdf", null, "Über Züge."]),
    ];
    assert_eq!(cited(&answer), citations);
    let sent = next("openai-responses", "gpt-5.1", answer);
    for (at, item) in items.iter().enumerate() {
        assert_eq!(&sent["input"][at + 1], item);
    }
}

#[test]
fn gemini_runs_code_and_a_search() {
    let parts = [
        json!({ "executableCode": { "code": "1/0", "language": "PYTHON" } }),
        json!({ "codeExecutionResult": { "outcome": "OUTCOME_FAILED", "output": "ZeroDivisionError" } }),
        json!({ "toolCall": { "id": "t1", "toolType": "GOOGLE_SEARCH_WEB", "args": { "queries": ["q"] } } }),
        json!({ "toolResponse": { "id": "t1", "toolType": "GOOGLE_SEARCH_WEB", "response": { "n": 1 } } }),
    ];
    let content: Vec<Value> = parts.iter().cloned().chain([json!({ "text": "Über Züge." })]).collect();
    let grounding = json!({
        "groundingChunks": [
            { "web": { "uri": "https://a.example", "title": "A" } },
            { "retrievedContext": { "documentName": "stores/1/documents/2", "title": "B", "text": "Züge" } },
        ],
        "groundingSupports": [
            { "segment": { "endIndex": 5, "text": "Über" }, "groundingChunkIndices": [0, 1] },
            { "segment": { "startIndex": 6, "endIndex": 11 }, "groundingChunkIndices": [0, 7] },
        ],
    });
    let part = json!({ "candidates": [{ "content": { "role": "model", "parts": content }, "groundingMetadata": { "groundingChunks": [] } }] });
    // A stream repeats its sources; only the last ones count.
    let last = json!({ "candidates": [{ "finishReason": "STOP", "groundingMetadata": grounding }] });
    let (chunks, answer) = decode("gemini", &[part, last]);
    let expected = [
        r#" call code_execution {"code":"1/0","language":"PYTHON"}"#,
        " code_execution failed: OUTCOME_FAILED",
        r#"t1 call google_search_web {"queries":["q"]}"#,
        r#"t1 google_search_web gave {"n":1}"#,
    ];
    assert_eq!(shown(&chunks), expected);
    let citations = [
        json!([{ "url": "https://a.example" }, "A", null, "Über"]),
        json!([{ "document": "stores/1/documents/2" }, "B", "Züge", "Über"]),
        json!([{ "url": "https://a.example" }, "A", null, "Züge"]),
    ];
    assert_eq!(cited(&answer), citations);
    let sent = next("gemini", "gemini-3-pro-preview", answer)["contents"][1]["parts"].clone();
    assert_eq!(sent, Value::Array(content));
}
