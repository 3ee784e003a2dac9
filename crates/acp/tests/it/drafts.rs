//! Sessions without a prompt, which several agents open one after the other.

use serde_json::json;

use crate::place::Place;

const WRITES: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "a.txt", "content": "one\n"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "Written."}}}]}]}"#;

#[tokio::test(flavor = "multi_thread")]
async fn settings_before_the_first_prompt_reach_another_agent() {
    // acpx starts an agent for each of its commands.
    let place = Place::new(WRITES).await;
    let mut first = place.connect();
    let session = first.open(&place.project).await;
    for (option, value) in [("thought_level", "high"), ("mode", "auto-edit")] {
        let set = json!({"sessionId": session, "configId": option, "value": value});
        let answer = first.call("session/set_config_option", set).await;
        assert!(answer["result"]["configOptions"].is_array(), "{answer}");
    }
    first.close().await;

    let mut second = place.connect();
    let load = json!({"sessionId": session, "cwd": place.project, "mcpServers": []});
    let loaded = second.call("session/load", load.clone()).await;
    assert_eq!(loaded["result"]["modes"]["currentModeId"], "auto-edit", "{loaded}");
    let options = loaded["result"]["configOptions"].as_array().unwrap();
    let effort = options.iter().find(|option| option["id"] == "thought_level").unwrap();
    assert_eq!(effort["currentValue"], "high", "{loaded}");
    // A draft is not a conversation.
    let listed = second.call("session/list", json!({})).await;
    assert_eq!(listed["result"]["sessions"], json!([]));
    let id = second.prompt(&session, "write a.txt").await;
    assert_eq!(second.response(id).await["result"]["stopReason"], "end_turn");
    let request = place.requests().remove(0);
    assert!(request.contains("high"), "the request lacks the amount of reasoning: {request}");
    let listed = second.call("session/list", json!({})).await;
    assert_eq!(listed["result"]["sessions"][0]["sessionId"], session.as_str(), "{listed}");

    // A deleted session is not loaded from its draft.
    let other = second.open(&place.project).await;
    second.call("session/delete", json!({"sessionId": other})).await;
    let mut third = place.connect();
    let load = json!({"sessionId": other, "cwd": place.project, "mcpServers": []});
    assert!(third.call("session/load", load).await["error"].is_object());
    third.close().await;
    second.close().await;
    place.shutdown().await;
}
