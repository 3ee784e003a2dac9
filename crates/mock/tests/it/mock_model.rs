//! The model that a test writes in one expression.

use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_core::Stream;
use serde_json::json;
use windlass_mock::MockModel;
use windlass_protocol::{Message, Request, StopReason, Usage};
use windlass_stream::{CallChunk, Chunk, Model, ModelError, ModelErrorKind};

fn request() -> Request {
    Request::new("mock-1", vec![Message::user("the task")])
}

/// Returns the chunks of the next answer.
async fn ask(model: &MockModel) -> Result<Vec<Chunk>, ModelError> {
    let mut stream = model.stream(&request()).await?;
    let mut chunks = Vec::new();
    let mut context = Context::from_waker(Waker::noop());
    while let Poll::Ready(Some(chunk)) = Stream::poll_next(pin!(&mut stream).as_mut(), &mut context) {
        chunks.push(chunk?);
    }
    Ok(chunks)
}

fn text(chunks: &[Chunk]) -> String {
    chunks
        .iter()
        .filter_map(|chunk| if let Chunk::Text { text } = chunk { Some(text.as_str()) } else { None })
        .collect()
}

fn calls(chunks: &[Chunk]) -> Vec<(String, String)> {
    let mut calls: Vec<(String, String)> = Vec::new();
    for chunk in chunks {
        match chunk {
            Chunk::Call(CallChunk::Start { name, .. }) => calls.push((name.clone(), String::new())),
            Chunk::Call(CallChunk::Delta { arguments, .. }) => {
                calls.last_mut().unwrap().1.push_str(arguments);
            }
            _ => {}
        }
    }
    calls
}

#[tokio::test]
async fn thoughts_text_and_calls_in_order_are_one_answer() {
    let model = MockModel::new()
        .thinking("hm")
        .text("I add and look.")
        .calls([("add", json!({"left": 1})), ("look", json!({}))])
        .text("Done.");
    assert_eq!(model.answers_left(), 2);
    let first = ask(&model).await.unwrap();
    assert!(matches!(&first[0], Chunk::Reasoning { text } if text == "hm"));
    assert_eq!(text(&first), "I add and look.");
    assert_eq!(calls(&first), [("add".into(), r#"{"left":1}"#.into()), ("look".into(), "{}".into())]);
    assert!(matches!(first.last(), Some(Chunk::Finish { reason: StopReason::Calls, .. })));
    let second = ask(&model).await.unwrap();
    assert_eq!(text(&second), "Done.");
    assert!(matches!(second.last(), Some(Chunk::Finish { reason: StopReason::End, .. })));
    assert_eq!(model.answers_left(), 0);
}

#[test]
fn a_verb_that_breaks_the_order_begins_the_next_answer() {
    assert_eq!(MockModel::new().text("a").text("b").answers_left(), 2);
    assert_eq!(MockModel::new().call("a", json!({})).call("b", json!({})).answers_left(), 2);
    assert_eq!(MockModel::new().text("a").thinking("b").answers_left(), 2);
    assert_eq!(MockModel::new().text("a").cut().call("b", json!({})).answers_left(), 2);
    assert_eq!(MockModel::new().text("a").error(ModelErrorKind::Server, "b").text("c").answers_left(), 3);
}

#[tokio::test]
async fn text_keeps_its_spaces_and_letters() {
    for words in ["", " ", "a", "  two  spaces ", "ß ü\n🎈 x"] {
        assert_eq!(text(&ask(&MockModel::new().text(words)).await.unwrap()), words);
    }
}

#[tokio::test]
async fn a_cut_answer_has_no_finish_and_usage_is_reported() {
    let model = MockModel::new().text("half").usage(7, 2).cut();
    let chunks = ask(&model).await.unwrap();
    assert!(!chunks.iter().any(|chunk| matches!(chunk, Chunk::Finish { .. })));
    let usage = Usage { input_tokens: 7, output_tokens: 2, ..Usage::default() };
    assert!(chunks.contains(&Chunk::Usage { usage }));
}

#[tokio::test]
async fn an_error_is_returned_and_the_next_request_takes_the_next_answer() {
    let model = MockModel::new().error(ModelErrorKind::RateLimit, "too fast").text("ok");
    let error = ask(&model).await.unwrap_err();
    assert_eq!((error.kind, error.message.as_str()), (ModelErrorKind::RateLimit, "too fast"));
    assert_eq!(text(&ask(&model).await.unwrap()), "ok");
}

#[tokio::test]
async fn a_request_without_an_answer_fails_with_its_number_and_message() {
    let model = MockModel::new().text("only one");
    ask(&model).await.unwrap();
    let error = ask(&model).await.unwrap_err().message;
    assert!(error.contains("request 2") && error.contains("the task"), "{error}");
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_delay_uses_the_clock_of_tokio() {
    let model = MockModel::new().text("late").delay(Duration::from_hours(1));
    let start = tokio::time::Instant::now();
    ask(&model).await.unwrap();
    assert_eq!(start.elapsed(), Duration::from_hours(1));
}

#[tokio::test]
async fn a_missing_result_shows_the_request() {
    let model = MockModel::new().text("a");
    ask(&model).await.unwrap();
    let seen = model.last_request();
    let panic = std::panic::catch_unwind(|| seen.tool_result("add")).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("add") && message.contains("the task"), "{message}");
}
