//! Forms of tools and prompts, and the completion of arguments.

use serde_json::{Value, json};

use crate::offered::{Pipe, exchange, newer, older, server};

#[tokio::test]
async fn a_tool_shows_its_own_form() {
    let call = |id, more: &Value| {
        let mut params = json!({"name": "form", "arguments": {}});
        for (key, value) in more.as_object().unwrap() {
            params[key] = value.clone();
        }
        newer(id, "tools/call", &params)
    };
    let answers =
        exchange(server(), &[call(1, &json!({})), call(2, &json!({"arguments": {"kind": "odd"}}))]).await;
    let form = &answers[&1]["result"]["inputRequests"]["question"]["params"];
    assert_eq!(form["message"], "How old?");
    assert_eq!(form["requestedSchema"]["properties"]["age"]["default"], 3, "{form}");
    // A schema that the protocol does not allow is not sent.
    assert!(answers[&2]["error"].is_object(), "{}", answers[&2]);
    // A client without forms.
    let answers = older(server(), &[("tools/call", json!({"name": "form", "arguments": {}}))]).await;
    assert_eq!(answers[1]["result"]["content"][0]["text"], "Nobody");
}

/// The response of a client to a form.
fn form_response(content: &Value) -> Value {
    json!({"action": "accept", "content": content})
}

#[tokio::test]
async fn named_forms_are_filled_in_one_after_another() {
    let call = |state: &Value, responses: Value| {
        newer(
            1,
            "tools/call",
            &json!({"name": "forms", "arguments": {}, "requestState": state, "inputResponses": responses}),
        )
    };
    let mut client = Pipe::start(server());
    let first = client.ask(&newer(1, "tools/call", &json!({"name": "forms", "arguments": {}}))).await;
    assert_eq!(first["result"]["inputRequests"]["who"]["params"]["message"], "Which name?", "{first}");
    // The reply counts for one form, although the tool repeats the name.
    let who = |name: &str| json!({"who": form_response(&json!({"name": name}))});
    let second = client.ask(&call(&first["result"]["requestState"], who("Ada"))).await;
    assert!(second["result"]["inputRequests"]["who"].is_object(), "{second}");
    let third = client.ask(&call(&second["result"]["requestState"], who("Bob"))).await;
    assert!(third["result"]["inputRequests"]["color"].is_object(), "{third}");
    let color = json!({"color": form_response(&json!({"color": "red"}))});
    let done = client.ask(&call(&third["result"]["requestState"], color)).await;
    assert_eq!(done["result"]["content"][0]["text"], "Ada Bob red ", "{done}");
    // A client can send answers with its first request if it knows the names of the forms.
    let early = json!({"who": form_response(&json!({"name": "Eve"})), "color": form_response(&json!({"color": "blue"})), "other": 1});
    let asked = client
        .ask(&newer(2, "tools/call", &json!({"name": "forms", "arguments": {}, "inputResponses": early})))
        .await;
    let last = json!({"who": form_response(&json!({"name": "Fay"})), "color": form_response(&json!({"color": "green"}))});
    let done = client.ask(&call(&asked["result"]["requestState"], last)).await;
    assert_eq!(done["result"]["content"][0]["text"], "Eve Fay green ", "{done}");
}

#[tokio::test]
async fn a_prompt_asks_its_user() {
    let mut client = Pipe::start(server());
    let asked = client.ask(&newer(1, "prompts/get", &json!({"name": "asks"}))).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let state = &asked["result"]["requestState"];
    let responses = json!({"topic": form_response(&json!({"topic": "rain"}))});
    let again = json!({"name": "asks", "requestState": state, "inputResponses": responses});
    let done = client.ask(&newer(2, "prompts/get", &again)).await;
    assert_eq!(done["result"]["messages"][0]["content"]["text"], "\"rain\"", "{done}");
    // The state of a prompt is not the state of a call, and counts once.
    let repeated = client.ask(&newer(3, "prompts/get", &again)).await;
    assert_eq!(repeated["error"]["code"], -32602, "{repeated}");
    // A client without forms.
    let answers = older(server(), &[("prompts/get", json!({"name": "asks"}))]).await;
    assert_eq!(answers[1]["error"]["message"], "a topic is needed", "{}", answers[1]);
}

#[tokio::test]
async fn suggested_values_complete_an_argument() {
    let complete = |reference: Value, argument: &str, value: &str| {
        ("completion/complete", json!({"ref": reference, "argument": {"name": argument, "value": value}}))
    };
    let review = json!({"type": "ref/prompt", "name": "review"});
    let answers = older(
        server(),
        &[
            complete(review.clone(), "tone", "c"),
            complete(review.clone(), "tone", "x"),
            complete(review, "topic", ""),
            complete(json!({"type": "ref/prompt", "name": "nothing"}), "tone", ""),
        ],
    )
    .await;
    assert!(answers[0]["result"]["capabilities"]["completions"].is_object(), "{}", answers[0]);
    let completion = &answers[1]["result"]["completion"];
    assert_eq!(*completion, json!({"values": ["calm", "cold"], "total": 2, "hasMore": false}));
    assert_eq!(answers[2]["result"]["completion"]["values"], json!([]));
    assert_eq!(answers[3]["result"]["completion"]["values"], json!([]));
    assert_eq!(answers[4]["error"]["code"], -32602);
}
