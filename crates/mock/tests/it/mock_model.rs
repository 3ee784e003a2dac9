//! The model that a test writes in one expression.

use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_core::Stream;
use serde_json::json;
use windlass_mock::{Fault, MockModel};
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

/// Reads an answer to its end, with the error that ends it.
async fn read(model: &MockModel) -> (Vec<Chunk>, Option<ModelError>) {
    let mut stream = model.stream(&request()).await.unwrap();
    let mut chunks = Vec::new();
    loop {
        match std::future::poll_fn(|context| stream.as_mut().poll_next(context)).await {
            Some(Ok(chunk)) => chunks.push(chunk),
            Some(Err(error)) => return (chunks, Some(error)),
            None => return (chunks, None),
        }
    }
}

#[tokio::test]
async fn a_refusal_has_the_kind_of_its_status_and_its_wait() {
    for (status, kind) in [
        (401, ModelErrorKind::Configuration),
        (404, ModelErrorKind::Configuration),
        (422, ModelErrorKind::Refused),
        (429, ModelErrorKind::RateLimit),
        (503, ModelErrorKind::Server),
    ] {
        let fault = Fault::refuse(status).with_retry_after(Duration::from_secs(3));
        let model = MockModel::new().text("before").fault(fault).text("after");
        assert_eq!(model.answers_left(), 3, "a refusal is an answer of its own");
        ask(&model).await.unwrap();
        let error = ask(&model).await.unwrap_err();
        assert_eq!((error.kind, error.retry_after), (kind, Some(Duration::from_secs(3))));
        assert!(error.message.contains(&status.to_string()));
        assert_eq!(text(&ask(&model).await.unwrap()), "after");
    }
}

#[tokio::test]
async fn a_cut_keeps_the_given_chunks_or_bytes() {
    let whole = "one two ß!";
    for bytes in 0..=10 {
        let model = MockModel::new().text(whole).fault(Fault::CutAfterBytes(bytes));
        let (chunks, error) = read(&model).await;
        assert_eq!(error.unwrap().kind, ModelErrorKind::Dropped);
        // The letter ß has two bytes, and a cut between them leaves neither.
        assert_eq!(text(&chunks), whole[..whole.floor_char_boundary(bytes)]);
    }
    let model = MockModel::new().text("one two").fault(Fault::CutAfterChunks(1)).text("next");
    let (chunks, error) = read(&model).await;
    assert_eq!((chunks, error.unwrap().kind), (vec![Chunk::text("one")], ModelErrorKind::Dropped));
    assert_eq!(read(&model).await.1.map(|error| error.kind), None);
    let model = MockModel::new().call("add", json!({"left": 1})).fault(Fault::CutAfterBytes(3));
    assert_eq!(calls(&read(&model).await.0), [("add".into(), r#"{"l"#.into())]);
}

#[tokio::test]
async fn malformed_data_follows_the_given_chunks() {
    let model = MockModel::new().text("one two").fault(Fault::MalformedAfterChunks(2));
    let (chunks, error) = read(&model).await;
    assert_eq!((text(&chunks).as_str(), error.unwrap().kind), ("one two", ModelErrorKind::Dropped));
}

#[tokio::test(start_paused = true)]
async fn a_stall_leaves_the_answer_open() {
    let model = MockModel::new().text("one two").fault(Fault::StallAfterChunks(1));
    let outcome = tokio::time::timeout(Duration::from_hours(1), read(&model)).await;
    assert!(outcome.is_err(), "an hour passes, and the answer has not ended");
}

#[tokio::test(start_paused = true)]
async fn slow_chunks_arrive_after_a_pause_each() {
    let model = MockModel::new().text("one two three").fault(Fault::Slow(Duration::from_secs(2)));
    let start = tokio::time::Instant::now();
    let (chunks, error) = read(&model).await;
    assert_eq!((text(&chunks).as_str(), error.is_none()), ("one two three", true));
    // Three words, the end of the text and the finish.
    assert_eq!((chunks.len(), start.elapsed()), (5, Duration::from_secs(10)));
}

#[tokio::test(start_paused = true)]
async fn a_rate_limit_refuses_until_the_window_has_room() {
    let model = MockModel::new().text("a").text("b").text("c").rate_limit(2, Duration::from_mins(1));
    ask(&model).await.unwrap();
    tokio::time::advance(Duration::from_secs(20)).await;
    ask(&model).await.unwrap();
    let error = ask(&model).await.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::RateLimit);
    assert_eq!(error.retry_after, Some(Duration::from_secs(40)));
    tokio::time::advance(Duration::from_secs(40)).await;
    assert_eq!(text(&ask(&model).await.unwrap()), "c");
    assert_eq!(model.requests().len(), 4);
}

/// Returns the message of the panic.
fn panic_of(test: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let panic = std::panic::catch_unwind(test).unwrap_err();
    panic.downcast_ref::<String>().unwrap().clone()
}

#[tokio::test]
async fn failed_assertions_show_the_cause() {
    let model = MockModel::new().text("a").text("b").text("c").call("add", json!({"left": 1}));
    let tools = ["add", "look"].map(|name| {
        let schema = r#"{"type":"object"}"#.parse().unwrap();
        windlass_protocol::ToolSpec::function(
            windlass_protocol::ToolName::new(name).unwrap(),
            "A tool.",
            schema,
        )
    });
    let mut request = request().with_system("Be brief.");
    request.tools.extend(tools);
    drop(model.stream(&request).await.unwrap());

    let seen = model.last_request();
    seen.assert_offers("add").assert_no_tool("remove").assert_user_said("task").assert_system_says("brief");
    let message = panic_of(|| drop(model.last_request().assert_offers("remove").clone()));
    assert_eq!(message, "the request does not offer the tool remove; it offers add, look");
    let message = panic_of(|| drop(model.last_request().assert_no_tool("look").clone()));
    assert_eq!(message, "the request offers the tool look, beside add, look");
    let message = panic_of(|| drop(model.last_request().assert_user_said("hello").clone()));
    assert_eq!(message, "no message of the user contains \"hello\":\nUser: the task");
    let message = panic_of(|| drop(model.last_request().assert_system_says("long").clone()));
    assert_eq!(message, "the system prompt does not contain \"long\":\nBe brief.");

    model.assert_requests(1);
    let message = panic_of(|| model.assert_requests(2));
    assert_eq!(message, "the model received 1 requests, expected 2:\n  request 0: User: the task");
    let message = panic_of(|| model.assert_all_consumed());
    let expected = "2 answers were not used by 1 requests:\n  answer 2: text \"b\"\n  \
        answer 3: text \"c\", call add {\"left\":1}";
    assert_eq!(message, expected);
    for _ in 0..2 {
        ask(&model).await.unwrap();
    }
    model.assert_all_consumed();
}
