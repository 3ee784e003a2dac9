//! The scripted provider over raw TCP: answers, refusals and each fault.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use windlass_mock::{Script, ScriptedProvider};

const PATHS: [&str; 2] = ["/v1/chat/completions", "/v1/messages"];

async fn start(hostile: &Value) -> ScriptedProvider {
    let turn = json!({"steps": [{"text": "hello, this is a longer answer of the provider"}], "piece": 3});
    let mut turn = turn;
    if !hostile.is_null() {
        turn["hostile"] = hostile.clone();
    }
    ScriptedProvider::start(Script::parse(&json!({"turns": [turn]}).to_string()).unwrap(), 0).await.unwrap()
}

fn body(messages: &Value) -> Value {
    json!({"model": "scripted-1", "max_tokens": 9, "stream": true, "messages": messages})
}

fn hello() -> Value {
    body(&json!([{"role": "user", "content": "hi"}]))
}

async fn connect(provider: &ScriptedProvider, path: &str, body: &Value) -> TcpStream {
    let address = provider.base_url().trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let body = body.to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer some-key\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    stream
}

/// The whole answer as sent, chunks included; a complete one ends with an empty chunk.
pub(crate) async fn ask(provider: &ScriptedProvider, path: &str, body: &Value) -> String {
    let mut stream = connect(provider, path, body).await;
    let mut bytes = Vec::new();
    // A connection that is reset has sent all its data.
    let _ = stream.read_to_end(&mut bytes).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(crate) fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
}

#[test]
fn both_formats_are_served_and_recorded_without_keys() {
    run(async {
        let provider = start(&json!(null)).await;
        let chat = ask(&provider, PATHS[0], &hello()).await;
        assert!(chat.contains("data: [DONE]") && chat.ends_with("0\r\n\r\n"), "{chat}");
        let anthropic = ask(&provider, PATHS[1], &hello()).await;
        assert!(anthropic.contains("event: message_stop") && anthropic.ends_with("0\r\n\r\n"), "{anthropic}");
        let requests = provider.requests();
        assert_eq!(requests.len(), 2);
        assert_eq!((requests[1].path.as_str(), requests[1].status, requests[1].turn), (PATHS[1], 200, 0));
        assert!(!format!("{requests:?}").contains("some-key"));
        provider.shutdown().await;
    });
}

#[track_caller]
fn check_refused(path: &'static str, body: &Value, status: u16, words: &str) {
    run(async {
        let provider = start(&json!(null)).await;
        let answer = ask(&provider, path, body).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")) && answer.contains(words), "{answer}");
        provider.shutdown().await;
    });
}

// R1
#[test]
fn unpaired_history_is_refused() {
    let human = json!({"role": "user", "content": "a"});
    let call = json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let asking = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    let result = json!({"role": "tool", "tool_call_id": "c", "content": "x"});
    check_refused(PATHS[0], &body(&json!([human, asking])), 400, "no result");
    check_refused(PATHS[0], &body(&json!([human, asking, human])), 400, "no result");
    check_refused(PATHS[0], &body(&json!([human, asking, result, result])), 400, "no call");
    check_refused(PATHS[0], &body(&json!([human, result])), 400, "no call");
    let uses =
        json!({"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]});
    let block = json!({"type": "tool_result", "tool_use_id": "c", "content": "x"});
    let words = json!({"type": "text", "text": "b"});
    check_refused(PATHS[1], &body(&json!([human, uses])), 400, "no result");
    check_refused(
        PATHS[1],
        &body(&json!([human, uses, {"role": "user", "content": [words, block]}])),
        400,
        "no result",
    );
    check_refused(
        PATHS[1],
        &body(&json!([human, uses, {"role": "user", "content": [block, block]}])),
        400,
        "no call",
    );
}

// R1
#[test]
fn requests_that_responses_refuses_are_refused() {
    let human = || json!({"role": "user", "content": "a"});
    let asking = || json!({"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"});
    let output = |id: &str| json!({"type": "function_call_output", "call_id": id, "output": "x"});
    let thoughts = || json!({"type": "reasoning", "summary": []});
    let check = |input: Value, status, words| {
        let body = json!({"model": "scripted-1", "stream": true, "input": input});
        check_refused("/v1/responses", &body, status, words);
    };
    check(json!([human(), thoughts(), asking(), output("c")]), 200, "response.completed");
    let words = || json!({"role": "assistant", "content": "I look."});
    check(json!([human(), asking(), words(), output("c")]), 200, "response.completed");
    check(json!([human(), asking(), words()]), 400, "no tool output found for the call c");
    check(json!("hi"), 200, "response.completed");
    check(json!([human(), asking()]), 400, "no tool output found for the call c");
    check(json!([human(), asking(), human()]), 400, "no tool output found for the call c");
    check(json!([human(), asking(), output("d")]), 400, "no tool call found");
    check(json!([human(), output("c")]), 400, "no tool call found");
    check(json!([human(), asking(), asking()]), 400, "no id of its own");
    check(json!([human(), thoughts()]), 400, "without their following item");
    check(json!([{"role": "user", "content": ""}]), 400, "empty");
    check(json!([{"role": "tool", "content": "x"}]), 400, "role");
    check(json!([]), 400, "input");
}

// R1
#[test]
fn requests_that_gemini_refuses_are_refused() {
    let path = "/v1beta/models/scripted-1:streamGenerateContent?alt=sse";
    let part = |role: &str, part: Value| json!({"role": role, "parts": [part]});
    let human = || part("user", json!({"text": "a"}));
    let asking = || part("model", json!({"functionCall": {"name": "f", "args": {}}}));
    let result = |name: &str| part("user", json!({"functionResponse": {"name": name, "response": {}}}));
    let check = |contents: Value, status, words| {
        check_refused(path, &json!({ "contents": contents }), status, words);
    };
    check(json!([human(), asking(), result("f")]), 200, "finishReason");
    check(json!([human(), asking()]), 400, "no results");
    check(json!([human(), asking(), human()]), 400, "number of function response parts is equal");
    check(json!([human(), asking(), result("g")]), 400, "not in the order of the calls");
    check(json!([human(), result("f")]), 400, "number of function response parts is equal");
    check(json!([{"role": "assistant", "parts": [{"text": "a"}]}]), 400, "neither user nor model");
    check(json!([{"role": "user", "parts": []}]), 400, "empty");
    check(json!([]), 400, "contents");
    let unknown = "/models/no-such-model:generateContent";
    check_refused(unknown, &json!({ "contents": [human()] }), 404, "NOT_FOUND");
}

#[test]
fn other_wrong_requests_are_refused() {
    for path in PATHS {
        check_refused(path, &body(&json!([])), 400, "messages");
        check_refused(path, &body(&json!([{"role": "user", "content": ""}])), 400, "empty");
        let unknown = json!({"model": "no-such-model", "max_tokens": 1, "messages": [{"role": "user", "content": "a"}]});
        check_refused(path, &unknown, 404, "no-such-model");
    }
    let unlimited = json!({"model": "m", "messages": [{"role": "user", "content": "a"}]});
    check_refused(PATHS[1], &unlimited, 400, "max_tokens");
}

#[test]
fn a_wrong_key_is_refused_and_models_are_listed() {
    run(async {
        let provider = start(&json!(null)).await;
        let address = provider.base_url().trim_start_matches("http://").to_owned();
        let post = "POST /v1/messages HTTP/1.1\r\nx-api-key: wrong-key\r\ncontent-length: 2";
        for (request, status, words) in [
            (post, 401, "authentication_error"),
            ("GET /v1/models HTTP/1.1", 200, "\"scripted-1\""),
            ("GET /v1beta/models HTTP/1.1", 200, "\"models/scripted-1\""),
        ] {
            let mut stream = TcpStream::connect(&address).await.unwrap();
            let text = format!("{request}\r\nhost: a\r\nconnection: close\r\n\r\n{{}}");
            stream.write_all(text.as_bytes()).await.unwrap();
            let mut answer = String::new();
            let _ = stream.read_to_string(&mut answer).await;
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}")) && answer.contains(words), "{answer}");
        }
        provider.shutdown().await;
    });
}

#[track_caller]
fn check_hostile(hostile: &Value, expected: impl Fn(&str) -> bool) {
    run(async {
        let provider = start(hostile).await;
        for path in PATHS {
            let answer = ask(&provider, path, &hello()).await;
            assert!(expected(&answer), "{answer}");
        }
        provider.shutdown().await;
    });
}

#[test]
fn each_hostile_switch_produces_its_fault() {
    check_hostile(&json!({"switch": "cut"}), |answer| {
        answer.contains("data: ") && !answer.ends_with("0\r\n\r\n")
    });
    check_hostile(&json!({"switch": "status", "status": 429, "retry_after": 3}), |answer| {
        answer.starts_with("HTTP/1.1 429")
            && answer.contains("retry-after: 3")
            && answer.contains("rate_limit_error")
    });
    check_hostile(&json!({"switch": "error_mid_stream"}), |answer| {
        answer.contains("overloaded_error") && !answer.contains("[DONE]") && !answer.contains("message_stop")
    });
    check_hostile(&json!({"switch": "one_byte"}), |answer| {
        answer.contains("\r\n1\r\nd\r\n1\r\na\r\n1\r\nt\r\n")
    });
    check_hostile(&json!({"switch": "html"}), |answer| {
        answer.contains("text/html") && answer.contains("<html>")
    });
    check_hostile(&json!({"switch": "empty"}), |answer| {
        answer.starts_with("HTTP/1.1 200") && !answer.contains("data:")
    });
    check_hostile(&json!({"switch": "not_json"}), |answer| answer.contains("oops"));
}

#[test]
fn a_switch_with_times_ends() {
    run(async {
        for path in PATHS {
            let provider = start(&json!({"switch": "status", "status": 503, "times": 2})).await;
            for status in [503, 503, 200, 200] {
                let answer = ask(&provider, path, &hello()).await;
                assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{answer}");
            }
            provider.shutdown().await;
        }
    });
}

#[test]
fn a_stalled_answer_begins_and_ends_only_with_the_server() {
    run(async {
        let provider = start(&json!({"switch": "stall", "after_bytes": 30})).await;
        let mut stream = connect(&provider, PATHS[0], &hello()).await;
        let mut first = vec![0; 40];
        stream.read_exact(&mut first).await.unwrap();
        provider.shutdown().await;
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest).await;
        assert!(!rest.ends_with(b"0\r\n\r\n"));
    });
}

#[test]
fn requests_in_threads_are_refused_with_the_code_that_libraries_fall_back_on() {
    run(async {
        let provider = start(&Value::Null).await;
        let mut request = hello();
        request["thread"] = json!({"type": "create"});
        let answer = ask(&provider, "/v1/messages", &request).await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
        assert!(answer.contains(r#""details":{"error_code":"thread_unsupported_request"}"#), "{answer}");
        request["thread"] = Value::Null;
        assert!(ask(&provider, "/v1/messages", &request).await.starts_with("HTTP/1.1 200"));
    });
}
