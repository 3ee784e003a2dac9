//! Tests of the failures after which the client sends the request to a fallback model.

use std::sync::{Arc, Mutex};

use windlass_client::{Fallback, FallbackEvent};
use windlass_protocol::{Prices, Request};
use windlass_stream::{Chunk, Model, ModelError, ModelErrorKind, ModelFacts, ModelFuture};

use crate::canned::{Answer, Canned};
use crate::server::{END, HELLO, ask_any, request, text};

fn hello() -> Answer {
    Answer::new(200, format!("{HELLO}{END}")).header("content-type", "text/event-stream")
}

/// The outcome of one request to two models, its recipients, and the events.
async fn outcome(first: Answer) -> (Result<String, (ModelErrorKind, String)>, Vec<String>, Vec<String>) {
    let (one, two) = (Canned::new(vec![first]), Canned::new(vec![hello()]));
    let told = Arc::new(Mutex::new(Vec::new()));
    let seen = told.clone();
    let client = |canned: &Canned, vendor: &str| -> Arc<dyn Model> {
        Arc::new(canned.client(vendor).build().unwrap())
    };
    let model = Fallback::new(client(&one, "groq"), "first").or(client(&two, "together"), "second").on_event(
        move |event| {
            seen.lock().unwrap().push(match event {
                FallbackEvent::Next { index, model, .. } => format!("{index} {model} failed"),
                FallbackEvent::Answer { index, model } => format!("{index} {model} answers"),
                _ => String::new(),
            });
        },
    );
    let (chunks, error) = ask_any(&model, &request()).await;
    let said = match error {
        None => Ok(text(&chunks)),
        Some(error) => Err((error.kind, error.message)),
    };
    let mut models = one.models();
    models.extend(two.models());
    let told = told.lock().unwrap().clone();
    (said, models, told)
}

#[track_caller]
fn check_next(first: Answer, requests: usize) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let (said, models, told) = runtime.block_on(outcome(first));
    assert_eq!(said.as_deref(), Ok("Hello"));
    let mut expected = vec!["first".to_owned(); requests];
    expected.push("second".to_owned());
    assert_eq!(models, expected);
    assert_eq!(told, ["0 first failed", "1 second answers"]);
}

#[test]
fn a_fallback_is_used_for_capabilities_that_the_model_lacks() {
    check_next(Answer::new(529, r#"{"error":{"message":"overloaded","type":"overloaded_error"}}"#), 5);
    check_next(Answer::new(429, r#"{"error":{"message":"slow","type":"rate_limit_error"}}"#), 5);
    check_next(Answer::new(429, r#"{"error":{"message":"nothing left","code":"insufficient_quota"}}"#), 1);
    check_next(Answer::new(404, r#"{"error":{"message":"no such model","code":"model_not_found"}}"#), 1);
    check_next(Answer::new(200, "data: {\"error\":{\"message\":\"overloaded\",\"code\":503}}\n\n"), 5);
    check_next(Answer::new(200, ""), 1);
}

#[track_caller]
fn check_end(first: Answer, kind: ModelErrorKind) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let (said, models, told) = runtime.block_on(outcome(first));
    assert_eq!((said.unwrap_err().0, models, told), (kind, vec!["first".to_owned()], Vec::new()));
}

#[test]
fn an_invalid_request_is_not_sent_to_a_fallback() {
    check_end(
        Answer::new(400, r#"{"error":{"message":"bad","type":"invalid_request_error"}}"#),
        ModelErrorKind::Refused,
    );
    check_end(
        Answer::new(401, r#"{"error":{"message":"no","code":"invalid_api_key"}}"#),
        ModelErrorKind::Configuration,
    );
    let long = r#"{"error":{"message":"too long","code":"context_length_exceeded"}}"#;
    check_end(Answer::new(400, long), ModelErrorKind::ContextLength);
}

#[tokio::test(start_paused = true)]
async fn after_the_first_chunk_no_fallback_is_used() {
    let cut =
        Answer::new(200, format!("{HELLO}data: nonsense\n\n")).header("content-type", "text/event-stream");
    let (said, models, told) = outcome(cut).await;
    assert_eq!(said.unwrap_err().0, ModelErrorKind::Dropped);
    assert_eq!((models, told), (vec!["first".to_owned()], vec!["0 first answers".to_owned()]));
}

#[tokio::test(start_paused = true)]
async fn the_last_failure_names_the_earlier_failures() {
    let quota = || Answer::new(402, r#"{"error":{"message":"nothing left"}}"#);
    let (one, two) = (Canned::new(vec![quota()]), Canned::new(vec![quota()]));
    let model = Fallback::new(Arc::new(one.client("groq").build().unwrap()), "first")
        .or(Arc::new(two.client("together").build().unwrap()), "second");
    let error = ask_any(&model, &request()).await.1.unwrap();
    for part in ["api.together.xyz", "tried before: first: api.groq.com"] {
        assert!(error.message.contains(part), "{part} is not in {error}");
    }
    assert_eq!(format!("{model:?}"), r#"["first", "second"]"#);
}

/// A model with a price that answers, or is busy.
struct Priced {
    price: u64,
    is_busy: bool,
}

impl Model for Priced {
    fn stream<'a>(&'a self, _: &'a Request) -> ModelFuture<'a> {
        if self.is_busy {
            return Box::pin(async { Err(ModelError::new(ModelErrorKind::Server, "busy")) });
        }
        let chunks: windlass_stream::ChunkStream =
            Box::pin(futures_util::stream::iter([Ok(Chunk::text("Hello"))]));
        Box::pin(async { Ok(chunks) })
    }

    fn facts(&self, _: &str) -> Option<ModelFacts> {
        Some(ModelFacts::default().with_prices(Some(prices(self.price))))
    }
}

fn prices(input: u64) -> Prices {
    Prices { input, ..Prices::default() }
}

#[tokio::test]
async fn the_answer_of_a_later_model_begins_with_its_name_and_prices() {
    for is_busy in [true, false] {
        let model = Fallback::new(Arc::new(Priced { price: 3, is_busy }), "dear-1")
            .or(Arc::new(Priced { price: 1, is_busy: false }), "cheap-1");
        let (chunks, error) = ask_any(&model, &request()).await;
        assert!(error.is_none(), "{error:?}");
        let named = Chunk::AnsweredBy {
            model: "cheap-1".to_owned(),
            prices: Some(prices(1)),
            first_prices: Some(prices(3)),
        };
        assert_eq!(chunks.first() == Some(&named), is_busy, "{chunks:?}");
        assert_eq!(text(&chunks), "Hello");
    }
}
