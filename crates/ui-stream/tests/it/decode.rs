//! Tests of the decoders.

use proptest::prelude::*;
use serde_json::{Value, json};
use windlass_app::sessions::Answer;
use windlass_ui_stream::{ChatRequest, DecodeError, DecodeLimits, RunInput};

fn chat(body: &Value) -> Result<ChatRequest, DecodeError> {
    ChatRequest::decode(body.to_string().as_bytes(), &DecodeLimits::default())
}

fn run(body: &Value) -> Result<RunInput, DecodeError> {
    RunInput::decode(body.to_string().as_bytes(), &DecodeLimits::default())
}

fn chat_body() -> Value {
    let call = |id: &str, state: &str, approval: Value| json!({ "type": "dynamic-tool", "toolName": "edit", "toolCallId": id, "state": state, "approval": approval });
    json!({
        "id": "chat-1", "trigger": "submit-message",
        "messages": [
            { "id": "1", "role": "user", "parts": [{ "type": "text", "text": "edit" }] },
            { "id": "r", "role": "assistant", "metadata": { "run": "r", "seq": 9 }, "parts": [
                { "type": "step-start" },
                call("c-1", "approval-responded", json!({ "id": "q-1", "approved": false, "reason": "not this" })),
                call("c-2", "approval-responded", json!({ "id": "q-2", "approved": true })),
                call("c-3", "output-available", json!({ "id": "q-3", "approved": true })),
            ] },
        ],
    })
}

fn run_body() -> Value {
    json!({
        "threadId": "t", "runId": "2", "tools": [], "context": [],
        "state": { "windlass": { "run": "r", "seq": 12 } },
        "messages": [{ "id": "1", "role": "user", "content": [
            { "type": "text", "text": "look" },
            { "type": "image", "source": { "type": "data", "value": "AAAA", "mimeType": "image/png" } },
        ] }],
        "resume": [
            { "interruptId": "q-1", "status": "resolved", "payload": { "approved": true, "remember": true } },
            { "interruptId": "q-2", "status": "cancelled" },
            { "interruptId": "q-3", "status": "resolved", "payload": "blue" },
        ],
    })
}

#[test]
fn approvals_of_the_newest_message_are_answers() {
    let request = chat(&chat_body()).unwrap();
    let no = Answer::No { comment: Some("not this".to_owned()) };
    let yes = Answer::Once { comment: None };
    assert_eq!(request.answers, [("q-1".to_owned(), no), ("q-2".to_owned(), yes)]);
    assert_eq!(request.place, Some(("r".to_owned(), 9)));
    assert_eq!(request.text, "");
}

#[test]
fn a_new_message_has_text_files_and_text_answers() {
    let mut body = chat_body();
    let message = json!({ "id": "2", "role": "user", "parts": [
        { "type": "text", "text": "and" },
        { "type": "text", "text": "this" },
        { "type": "file", "mediaType": "image/png", "url": "data:image/png;base64,AAAA", "filename": "a.png" },
        { "type": "data-answer", "data": { "question": "q-7", "words": "blue" } },
    ] });
    body["messages"].as_array_mut().unwrap().push(message);
    let request = chat(&body).unwrap();
    assert_eq!(request.text, "and\nthis");
    assert_eq!(request.files[0].name.as_deref(), Some("a.png"));
    assert_eq!(request.answers, [("q-7".to_owned(), Answer::Words { text: "blue".to_owned() })]);
    assert_eq!(request.place, Some(("r".to_owned(), 9)));
}

#[test]
fn entries_of_resume_are_answers() {
    let mut body = run_body();
    let input = run(&body).unwrap();
    let answers: Vec<&Answer> = input.answers.iter().map(|(_, answer)| answer).collect();
    let words = Answer::Words { text: "blue".to_owned() };
    assert_eq!(answers, [&Answer::Session { comment: None }, &Answer::No { comment: None }, &words]);
    assert_eq!((input.place, input.text.as_str()), (Some(("r".to_owned(), 12)), ""));
    body["resume"] = Value::Null;
    let input = run(&body).unwrap();
    assert_eq!(input.text, "look");
    assert_eq!(input.files[0].url, "data:image/png;base64,AAAA");
}

#[test]
fn an_unclear_answer_is_an_error_and_not_an_approval() {
    for payload in
        [json!({ "approved": "true" }), json!({}), json!(1), json!(null), json!({ "approved": null })]
    {
        let mut body = run_body();
        body["resume"][0]["payload"] = payload.clone();
        assert!(matches!(run(&body), Err(DecodeError::Field { .. })), "{payload}");
    }
    for approved in [json!("true"), json!(null), json!(1)] {
        let mut body = chat_body();
        body["messages"][1]["parts"][2]["approval"]["approved"] = approved.clone();
        assert!(matches!(chat(&body), Err(DecodeError::Field { .. })), "{approved}");
    }
}

#[test]
fn a_request_beyond_a_limit_is_refused() {
    let body = run_body().to_string();
    let mut limits = DecodeLimits::default();
    limits.answers = 2;
    let error = RunInput::decode(body.as_bytes(), &limits).unwrap_err();
    assert_eq!(error.to_string(), "resume has 3 entries, the limit is 2");
    limits.bytes = 10;
    assert!(matches!(RunInput::decode(body.as_bytes(), &limits), Err(DecodeError::TooLarge { .. })));
    let mut limits = DecodeLimits::default();
    limits.messages = 1;
    let body = chat_body().to_string();
    assert!(matches!(ChatRequest::decode(body.as_bytes(), &limits), Err(DecodeError::TooMany { .. })));
    let deep = "[".repeat(100_000);
    assert!(matches!(ChatRequest::decode(deep.as_bytes(), &limits), Err(DecodeError::Json(_))));
}

/// Replaces the value at a place of the tree.
fn mutate(value: &mut Value, at: &mut usize, new: &Value) {
    if *at == 0 {
        *value = new.clone();
    }
    *at = at.wrapping_sub(1);
    match value {
        Value::Array(list) => list.iter_mut().for_each(|value| mutate(value, at, new)),
        Value::Object(fields) => fields.values_mut().for_each(|value| mutate(value, at, new)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn mutated_requests_never_panic(
        at in 0..60_usize,
        new in prop_oneof![
            Just(Value::Null), Just(json!([])), Just(json!({})), Just(json!(-1)), Just(json!("x")),
            Just(json!([1])), Just(json!(true)),
        ],
        cut in 0..2_000_usize,
    ) {
        for mut body in [chat_body(), run_body()] {
            mutate(&mut body, &mut at.clone(), &new);
            let text = body.to_string();
            for text in [text.as_bytes(), text.as_bytes().get(..cut).unwrap_or_default()] {
                let limits = DecodeLimits::default();
                // Each error has a message, and every answer has a question.
                match ChatRequest::decode(text, &limits) {
                    Ok(request) => prop_assert!(request.answers.len() <= limits.answers),
                    Err(error) => prop_assert!(!error.to_string().is_empty()),
                }
                match RunInput::decode(text, &limits) {
                    Ok(input) => prop_assert!(input.answers.len() <= limits.answers),
                    Err(error) => prop_assert!(!error.to_string().is_empty()),
                }
            }
        }
    }
}
