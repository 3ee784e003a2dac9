//! Items of all forms in the next request: calls, results, thoughts, and calls that the provider ran.

use serde_json::{Value, json};
use windlass_assemble::{AssembleOptions, Assembler};
use windlass_protocol::{
    CallId, Content, Image, Message, Opaque, Part, Payload, Reasoning, Request, ResultStatus, Role, ToolCall,
    ToolName, ToolResult, Unknown,
};
use windlass_testkit::wire_suite::{call, result};
use windlass_wire::{Wire, WireLimits};
use windlass_wire_openai_responses::{OpenAiResponses, OpenAiResponsesOptions, Storage};

use crate::encode::{check, check_with};

/// Returns the message that an answer with these items becomes.
fn answered(items: &Value) -> Message {
    let mut chunks = Vec::new();
    let body = json!({ "object": "response", "status": "completed", "output": items }).to_string();
    OpenAiResponses::default().decode_whole(body.as_bytes(), WireLimits::default(), &mut chunks).unwrap();
    let (mut assembler, mut events) = (Assembler::new(AssembleOptions::default()), Vec::new());
    for chunk in chunks {
        assembler.push(chunk, &mut events);
    }
    assembler.finish(&mut events).message().unwrap()
}

/// Returns the request after an answer with these items, whose calls got these results.
fn sent(items: &Value, results: impl IntoIterator<Item = ToolResult>) -> Vec<Value> {
    let mut messages = vec![answered(items)];
    messages.extend(results.into_iter().map(|result| Message::results([result])));
    let body = OpenAiResponses::default().encode(&Request::new("m", messages)).unwrap().body;
    let mut body: Value = serde_json::from_slice(&body).unwrap();
    serde_json::from_value(body["input"].take()).unwrap()
}

fn of(id: &str, status: ResultStatus, text: &str) -> ToolResult {
    ToolResult::text(CallId::new(id).unwrap(), status, text)
}

// P2, P3
#[test]
fn calls_run_by_the_provider_return_unchanged() {
    let items = json!([
        { "type": "web_search_call", "id": "ws_1", "status": "completed", "action": { "type": "search" } },
        { "type": "mcp_call", "id": "mcp_1", "name": "t", "server_label": "s", "error": null, "output": "x" },
        { "type": "shell_call", "id": "sh_1", "call_id": "c", "environment": { "type": "container_reference" } },
        { "type": "program", "id": "cm_1", "call_id": "c", "code": "1", "fingerprint": "gAAA" },
        { "type": "new_call", "id": "new_1", "year": 1999 },
    ]);
    assert_eq!(Value::from(sent(&items, [])), items);
}

// P2
#[test]
fn reasoning_items_are_returned_without_refused_fields() {
    let thoughts = json!({
        "type": "reasoning", "id": "rs_1", "status": "completed", "summary": [{ "type": "summary_text", "text": "Hm." }],
        "content": null, "encrypted_content": "gAAA",
    });
    let call =
        json!({ "type": "function_call", "id": "fc_1", "call_id": "a", "name": "read", "arguments": "{}" });
    let items = sent(&json!([thoughts, call]), [result("a", "x")]);
    let expected = json!({
        "type": "reasoning", "id": "rs_1", "summary": [{ "type": "summary_text", "text": "Hm." }],
        "encrypted_content": "gAAA",
    });
    assert_eq!(items[0], expected);
    assert_eq!(
        items[1],
        json!({ "type": "function_call", "call_id": "a", "name": "read", "arguments": "{}" })
    );
}

#[test]
fn unreadable_reasoning_items_are_not_sent() {
    let thoughts =
        |value| Part::Reasoning(Reasoning::new("Hm.", Some(Opaque::new("openai-responses", value))));
    let bare = || thoughts(json!({ "output_item": { "type": "reasoning", "id": "rs_1", "summary": [] } }));
    let messages = || vec![Message::assistant(vec![bare(), Part::text("Hi")])];
    check(messages(), r#"[{"role":"assistant","content":"Hi"}]"#);
    check_with(
        OpenAiResponsesOptions::default().with_storage(Storage::On),
        messages(),
        r#"[{"id":"rs_1","summary":[],"type":"reasoning"},{"role":"assistant","content":"Hi"}]"#,
    );
    let open = || thoughts(json!({ "output_item": { "type": "reasoning", "content": [{ "text": "Hm." }] } }));
    check(
        vec![Message::assistant(vec![open(), Part::text("Hi"), open()]), Message::user("so?")],
        r#"[{"content":[{"text":"Hm."}],"type":"reasoning"},{"role":"assistant","content":"Hi"},
           {"role":"user","content":"so?"}]"#,
    );
    let foreign = Opaque::new("anthropic", json!({ "type": "thinking", "signature": "s" }));
    let foreign = Part::Reasoning(Reasoning::new("Hm.", Some(foreign)));
    check(
        vec![Message::assistant(vec![foreign, Part::text("Hi")])],
        r#"[{"role":"assistant","content":"Hi"}]"#,
    );
}

#[test]
fn marks_of_calls_go_back() {
    let caller = json!({ "type": "program", "caller_id": "c" });
    let items = json!([
        { "type": "function_call", "id": "fc_1", "call_id": "a", "name": "read", "arguments": "{}", "namespace": "n", "caller": caller },
        { "type": "custom_tool_call", "id": "ctc_1", "call_id": "b", "name": "patch", "input": "***", "caller": { "type": "direct" } },
    ]);
    let sent = sent(&items, [result("a", "x"), result("b", "y")]);
    let expected = json!([
        { "type": "function_call", "call_id": "a", "name": "read", "arguments": "{}", "namespace": "n", "caller": caller },
        { "type": "custom_tool_call", "call_id": "b", "name": "patch", "input": "***" },
        { "type": "function_call_output", "call_id": "a", "output": "x", "caller": caller },
        { "type": "custom_tool_call_output", "call_id": "b", "output": "y" },
    ]);
    assert_eq!(Value::from(sent), expected);
}

#[test]
fn each_form_of_call_has_its_form_of_result() {
    let items = json!([
        { "type": "local_shell_call", "id": "lsh_1", "call_id": "a", "action": { "type": "exec", "command": ["ls"], "env": {} } },
        { "type": "shell_call", "id": "sh_1", "call_id": "b", "action": { "commands": ["ls"], "max_output_length": 9 } },
        { "type": "apply_patch_call", "id": "ap_1", "call_id": "c", "operation": { "type": "delete_file", "path": "a" } },
        { "type": "mcp_approval_request", "id": "mcpr_1", "server_label": "s", "name": "t", "arguments": "{}" },
        { "type": "mcp_approval_request", "id": "mcpr_2", "server_label": "s", "name": "t", "arguments": "{" },
    ]);
    let results = [
        result("a", "files"),
        of("b", ResultStatus::TimedOut, "slow"),
        of("c", ResultStatus::Error, "no such file"),
        result("mcpr_1", "yes"),
        of("mcpr_2", ResultStatus::Denied, "not this"),
    ];
    let sent = sent(&items, results);
    assert_eq!(Value::from(&sent[..5]), items);
    let expected = json!([
        { "type": "local_shell_call_output", "call_id": "a", "output": "files" },
        { "type": "shell_call_output", "call_id": "b", "max_output_length": 9, "output": [
            { "stdout": "[timed_out] slow", "stderr": "", "outcome": { "type": "timeout" } }] },
        { "type": "apply_patch_call_output", "call_id": "c", "status": "failed", "output": "[error] no such file" },
        { "type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": true },
        { "type": "mcp_approval_response", "approval_request_id": "mcpr_2", "approve": false, "reason": "[denied] not this" },
    ]);
    assert_eq!(Value::from(&sent[5..]), expected);
}

#[test]
fn calls_of_another_provider_are_functions() {
    let payload =
        Payload::LocalShell { command: vec!["ls".into()], working_directory: None, timeout_ms: None };
    let shell = ToolCall::new(CallId::new("a").unwrap(), ToolName::new("local_shell").unwrap(), payload);
    check(
        vec![Message::assistant(vec![Part::Call(shell)]), Message::results([result("a", "x")])],
        r#"[{"type":"function_call","call_id":"a","name":"local_shell",
           "arguments":"{\"command\":[\"ls\"],\"working_directory\":null}"},
           {"type":"function_call_output","call_id":"a","output":"x"}]"#,
    );
}

// R8
#[test]
fn images_of_results_are_inside_them_or_after_the_round() {
    let with_image = |mut result: ToolResult| {
        result.content.push(Content::Image(Image::url("image/png", "https://example.com/a.png")));
        result
    };
    check(
        vec![
            Message::assistant(vec![call("a", "read", "{}")]),
            Message::results([with_image(result("a", "one"))]),
            Message::user("see?"),
        ],
        r#"[{"type":"function_call","call_id":"a","name":"read","arguments":"{}"},
           {"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"one"},
           {"type":"input_image","image_url":"https://example.com/a.png","detail":"auto"}]},
           {"role":"user","content":"see?"}]"#,
    );
    let patch = |id| json!({ "type": "apply_patch_call", "call_id": id, "operation": {} });
    let sent = sent(&json!([patch("a"), patch("b")]), [with_image(result("a", "one")), result("b", "two")]);
    assert_eq!(sent[3]["type"], "apply_patch_call_output");
    let beside = json!([
        { "type": "input_text", "text": "The result of a has these images:" },
        { "type": "input_image", "image_url": "https://example.com/a.png", "detail": "auto" },
    ]);
    assert_eq!(sent[4], json!({ "role": "user", "content": beside }));
}

#[test]
fn users_send_pictures_and_files_and_items_of_the_api() {
    let own = |value| Part::Unknown(Unknown::new("openai-responses", value));
    let parts = vec![
        Part::text("see?"),
        Part::Image(Image::base64("image/png", "aGk=")),
        Part::Image(Image::base64("application/pdf", "aGk=")),
        Part::Image(Image::base64("text/plain", "aGk=")),
        Part::Image(Image::url("application/pdf", "https://example.com/a.pdf")),
        own(json!({ "type": "input_file", "file_id": "file-1" })),
        own(json!({ "type": "ping" })),
        own(json!({ "output_item": { "type": "tool_search_output", "tools": [] } })),
    ];
    check(
        vec![Message::new(Role::User, parts)],
        r#"[{"tools":[],"type":"tool_search_output"},{"role":"user","content":[{"type":"input_text","text":"see?"},
           {"type":"input_image","image_url":"data:image/png;base64,aGk=","detail":"auto"},
           {"type":"input_file","filename":"file.pdf","file_data":"data:application/pdf;base64,aGk="},
           {"type":"input_file","filename":"file.txt","file_data":"data:text/plain;base64,aGk="},
           {"type":"input_file","file_url":"https://example.com/a.pdf"},
           {"file_id":"file-1","type":"input_file"}]}]"#,
    );
}

#[test]
fn refusals_go_back_and_unknown_events_stay() {
    let own = |value| Part::Unknown(Unknown::new("openai-responses", value));
    let refusal = own(json!({ "refusal": "No." }));
    let event = own(json!({ "type": "response.new", "item": {} }));
    let foreign = Part::Unknown(Unknown::new("anthropic", json!({ "output_item": {}, "refusal": "No." })));
    check(
        vec![Message::assistant(vec![refusal, event, foreign, Part::text("")])],
        r#"[{"role":"assistant","content":[{"type":"refusal","refusal":"No."}]}]"#,
    );
}
