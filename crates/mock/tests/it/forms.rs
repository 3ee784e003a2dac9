//! Custom calls, contents of Gemini in pieces, and token counts, over HTTP.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use windlass_mock::ScriptedProvider;

use crate::server::{ask, run};

async fn provider() -> ScriptedProvider {
    let call = json!({"call": {"name": "patch", "arguments": "*** Begin"}});
    let look = json!({"call": {"name": "look", "arguments": {"at": 1}}});
    let turns = json!([{"steps": [call, look]}, {"steps": [{"text": "second"}]}]);
    let script = windlass_mock::Script::parse(&json!({ "turns": turns }).to_string()).unwrap();
    ScriptedProvider::start(script, 0).await.unwrap()
}

/// The JSON body of an answer that has a length.
fn body(answer: &str) -> Value {
    let start = answer.find("\r\n\r\n").unwrap();
    let rest = &answer[start..];
    serde_json::from_str(&rest[rest.find('{').unwrap()..=rest.rfind('}').unwrap()]).unwrap()
}

#[test]
fn a_tool_with_free_text_is_called_with_free_text() {
    run(async {
        let provider = provider().await;
        let chat = json!({"model": "m", "messages": [{"role": "user", "content": "x"}],
            "tools": [{"type": "custom", "custom": {"name": "patch"}}]});
        let calls =
            body(&ask(&provider, "/v1/chat/completions", &chat).await)["choices"][0]["message"]["tool_calls"]
                .clone();
        assert_eq!(calls[0]["custom"], json!({"name": "patch", "input": "*** Begin"}));
        assert_eq!((&calls[0]["type"], &calls[1]["type"]), (&json!("custom"), &json!("function")));
        let mut responses =
            json!({"model": "m", "input": "x", "tools": [{"type": "custom", "name": "patch"}]});
        let output = body(&ask(&provider, "/v1/responses", &responses).await)["output"].clone();
        assert_eq!(
            (&output[0]["type"], &output[0]["input"]),
            (&json!("custom_tool_call"), &json!("*** Begin"))
        );
        assert_eq!(output[1]["type"], "function_call");
        responses["stream"] = true.into();
        let stream = ask(&provider, "/v1/responses", &responses).await;
        for event in ["custom_tool_call_input.delta", "custom_tool_call_input.done"] {
            assert!(stream.contains(&format!("event: response.{event}")), "{stream}");
        }
        // If the tool is not offered as a custom tool, the call is a function call.
        responses["tools"] = json!([]);
        let stream = ask(&provider, "/v1/responses", &responses).await;
        assert!(!stream.contains("custom_tool_call"), "{stream}");
    });
}

#[test]
fn a_call_has_the_form_in_which_its_tool_is_offered() {
    run(async {
        let namespace =
            json!({"type": "namespace", "name": "files", "tools": [{"type": "custom", "name": "patch"}]});
        let turns = json!([{"steps": [
            {"call": {"name": "files__patch", "arguments": "*** Begin"}},
            {"call": {"name": "tool_search", "arguments": {"query": "q"}}}]}]);
        let script = windlass_mock::Script::parse(&json!({ "turns": turns }).to_string()).unwrap();
        let namespaces = ScriptedProvider::start(script, 0).await.unwrap();
        let search = json!({"type": "tool_search", "execution": "client"});
        let offer = json!({"type": "additional_tools", "role": "developer", "tools": [namespace, search]});
        let mut request = json!({"model": "m", "input": [offer, {"role": "user", "content": "x"}]});
        let output = body(&ask(&namespaces, "/v1/responses", &request).await)["output"].clone();
        assert_eq!((&output[0]["namespace"], &output[0]["name"]), (&json!("files"), &json!("patch")));
        assert_eq!(
            (&output[0]["type"], &output[0]["input"]),
            (&json!("custom_tool_call"), &json!("*** Begin"))
        );
        assert_eq!(
            (&output[1]["type"], &output[1]["arguments"]),
            (&json!("tool_search_call"), &json!({"query": "q"}))
        );
        request["stream"] = true.into();
        let stream = ask(&namespaces, "/v1/responses", &request).await;
        assert!(stream.contains(r#""namespace":"files""#), "{stream}");
        assert!(!stream.contains("function_call_arguments"), "{stream}");
    });
}

#[test]
fn adjacent_contents_of_the_model_are_one_turn() {
    run(async {
        let provider = provider().await;
        let call =
            |name: &str| json!({"role": "model", "parts": [{"functionCall": {"name": name, "args": {}}}]});
        let result = |name: &str| json!({"functionResponse": {"name": name, "response": {"ok": 1}}});
        let user = json!({"role": "user", "parts": [{"text": "x"}]});
        let results = json!({"role": "user", "parts": [result("patch"), result("look")]});
        let path = "/v1beta/models/m:generateContent";
        let pieces = json!({"contents": [user, call("patch"), call("look"), results]});
        let answer = ask(&provider, path, &pieces).await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("second"), "{answer}");
        for broken in
            [json!([user, call("patch"), call("look")]), json!([user, call("patch"), user, results])]
        {
            let answer = ask(&provider, path, &json!({ "contents": broken })).await;
            assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
        }
    });
}

#[test]
fn tokens_are_counted_in_each_format() {
    run(async {
        let provider = provider().await;
        let request = json!({"model": "m", "messages": []});
        let tokens = request.to_string().len().div_ceil(4);
        for (path, field) in [
            ("/v1/messages/count_tokens", "input_tokens"),
            ("/v1/responses/input_tokens", "input_tokens"),
            ("/v1beta/models/m:countTokens", "totalTokens"),
        ] {
            assert_eq!(body(&ask(&provider, path, &request).await)[field], tokens, "{path}");
        }
    });
}

/// Sends a request without a body, and returns the answer.
async fn request(provider: &ScriptedProvider, method: &str, path: &str) -> String {
    let address = provider.base_url().trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let head = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[test]
fn a_stored_response_is_continued_read_and_deleted() {
    run(async {
        let provider = provider().await;
        let path = "/v1/responses";
        let first = body(&ask(&provider, path, &json!({"model": "m", "input": "x"})).await);
        let results: Vec<Value> = first["output"]
            .as_array()
            .unwrap()
            .iter()
            .map(|call| json!({"type": "function_call_output", "call_id": call["call_id"], "output": "ok"}))
            .collect();
        let next = json!({"model": "m", "previous_response_id": first["id"], "input": results});
        let second = body(&ask(&provider, path, &next).await);
        assert_eq!(second["output"][0]["content"][0]["text"], "second");
        assert_eq!(provider.requests()[1].turn, 1);
        // The calls of the first response wait for results.
        let unanswered = json!({"model": "m", "previous_response_id": first["id"], "input": "go on"});
        let refused = ask(&provider, path, &unanswered).await;
        assert!(refused.contains("no tool output found"), "{refused}");
        // Another conversation has another id.
        let other = body(&ask(&provider, path, &json!({"model": "m", "input": "y"})).await);
        assert_ne!(other["id"], first["id"]);
        let place = format!("{path}/{}", second["id"].as_str().unwrap());
        assert_eq!(body(&request(&provider, "GET", &place).await)["id"], second["id"]);
        assert_eq!(body(&request(&provider, "DELETE", &place).await)["deleted"], true);
        assert!(request(&provider, "GET", &place).await.starts_with("HTTP/1.1 404"));
        let gone = json!({"model": "m", "previous_response_id": second["id"], "input": "z"});
        let refused = ask(&provider, path, &gone).await;
        assert!(refused.starts_with("HTTP/1.1 400"), "{refused}");
        assert!(refused.contains("previous_response_not_found"), "{refused}");
    });
}

#[test]
fn an_unstored_response_id_is_not_found() {
    run(async {
        let provider = provider().await;
        let unstored = json!({"model": "m", "input": "x", "store": false});
        let first = body(&ask(&provider, "/v1/responses", &unstored).await);
        let next = json!({"model": "m", "previous_response_id": first["id"], "input": "y"});
        let refused = ask(&provider, "/v1/responses", &next).await;
        assert!(refused.contains("previous_response_not_found"), "{refused}");
    });
}

// Google refuses results as contents of their own, which some libraries send.
#[test]
fn results_of_gemini_are_in_one_content() {
    run(async {
        let provider = provider().await;
        let call = |name: &str| json!({"functionCall": {"name": name, "args": {}}});
        let result = |name: &str| {
            json!({"role": "user", "parts": [
            {"functionResponse": {"name": name, "response": {"ok": 1}}}]})
        };
        let contents = json!([{"role": "user", "parts": [{"text": "x"}]},
            {"role": "model", "parts": [call("patch"), call("look")]}, result("patch"), result("look")]);
        let path = "/v1beta/models/m:generateContent";
        let refused = ask(&provider, path, &json!({ "contents": contents })).await;
        assert!(refused.contains("number of function response parts is equal"), "{refused}");
    });
}
