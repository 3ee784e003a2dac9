//! Custom calls, contents of Gemini in pieces, and token counts, over HTTP.

use serde_json::{Value, json};
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
        // Without the offer it is a function.
        responses["tools"] = json!([]);
        let stream = ask(&provider, "/v1/responses", &responses).await;
        assert!(!stream.contains("custom_tool_call"), "{stream}");
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
