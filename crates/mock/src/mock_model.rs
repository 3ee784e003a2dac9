//! A model that a test writes in one expression.
#![expect(clippy::panic, reason = "a failed assertion of a test is a panic")]

mod answer;
mod seen_request;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use windlass_protocol::{Request, Usage};
use windlass_stream::{ChunkStream, Model, ModelError, ModelErrorKind, ModelFuture};

use self::answer::{MockAnswer, Step};
pub use self::seen_request::SeenRequest;

/// A model for tests, which answers what the test writes down and keeps the requests.
///
/// An answer consists of thoughts, a text and calls, in this order and each at most once. A verb that follows this
/// order adds to the present answer, and every other verb begins the next one. So `text` and then `call` are one
/// answer, and `call` and then `text` are two. [`calls`](Self::calls) puts several calls into one answer.
///
/// Each request takes the next answer, also a request that repeats a failed one. Clones share the answers and the
/// requests, so a test keeps one while the agent has the other.
///
/// ```
/// use serde_json::json;
/// use windlass_mock::MockModel;
///
/// let model = MockModel::new()
///     .text("I add.")
///     .call("add", json!({"left": 1, "right": 2}))
///     .text("It is 3.");
/// assert_eq!(model.answers_left(), 2);
/// // The agent takes a clone: Agent::builder().model(model.clone(), "mock-1"). After its run:
/// // model.request(1).tool_result("add") is the result that the model received.
/// ```
#[derive(Clone, Debug, Default)]
pub struct MockModel {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Debug, Default)]
struct Shared {
    answers: VecDeque<MockAnswer>,
    requests: Vec<Request>,
}

impl MockModel {
    /// Creates a model without answers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers with this text. It arrives word by word.
    pub fn text(self, text: impl Into<String>) -> Self {
        self.add(Step::Text(text.into()))
    }

    /// Thinks this before the text or the calls.
    pub fn thinking(self, text: impl Into<String>) -> Self {
        self.add(Step::Thinking(text.into()))
    }

    /// Calls one tool. The call ends the answer.
    pub fn call(self, tool: impl Into<String>, arguments: Value) -> Self {
        self.add(Step::Calls(vec![(tool.into(), arguments)]))
    }

    /// Calls several tools in one answer.
    pub fn calls<N: Into<String>>(self, calls: impl IntoIterator<Item = (N, Value)>) -> Self {
        let calls = calls.into_iter().map(|(tool, arguments)| (tool.into(), arguments));
        self.add(Step::Calls(calls.collect()))
    }

    /// Fails instead of an answer. A kind that [is retryable](ModelError::is_retryable) makes an agent repeat the
    /// request, and the repeated request takes the next answer.
    pub fn error(self, kind: ModelErrorKind, message: impl Into<String>) -> Self {
        self.add(Step::Error { kind, message: message.into() })
    }

    /// Breaks the connection at the end of the present answer, before its finish. An agent discards such an answer
    /// and repeats the request.
    pub fn cut(self) -> Self {
        self.change(|answer| answer.is_cut = true)
    }

    /// Waits before the first chunk of the present answer. The wait uses the clock of `tokio`, which
    /// `tokio::time::pause` controls.
    pub fn delay(self, delay: Duration) -> Self {
        self.change(|answer| answer.delay = delay)
    }

    /// Reports this usage with the present answer. The default reports no usage.
    pub fn usage(self, input_tokens: u64, output_tokens: u64) -> Self {
        self.change(|answer| answer.usage = Some(Usage { input_tokens, output_tokens, ..Usage::default() }))
    }

    /// Returns the number of answers that no request has taken.
    pub fn answers_left(&self) -> usize {
        self.lock().answers.len()
    }

    /// Returns all requests so far, in their order.
    pub fn requests(&self) -> Vec<SeenRequest> {
        self.lock().requests.iter().cloned().map(SeenRequest::new).collect()
    }

    /// Returns a request by its number from 0.
    ///
    /// # Panics
    /// Panics if the model did not receive that many requests.
    #[track_caller]
    pub fn request(&self, number: usize) -> SeenRequest {
        let requests = self.requests();
        let count = requests.len();
        let found = requests.into_iter().nth(number);
        found.unwrap_or_else(|| {
            panic!("the model received {count} requests, so request {number} does not exist")
        })
    }

    /// Returns the last request.
    ///
    /// # Panics
    /// Panics if the model did not receive a request.
    #[track_caller]
    pub fn last_request(&self) -> SeenRequest {
        self.requests().pop().unwrap_or_else(|| panic!("the model did not receive a request"))
    }

    fn add(self, step: Step) -> Self {
        let mut shared = self.lock();
        let is_new = shared.answers.back().is_none_or(|answer| !answer.takes(&step));
        if is_new {
            shared.answers.push_back(MockAnswer::default());
        }
        if let Some(answer) = shared.answers.back_mut() {
            answer.push(step);
        }
        drop(shared);
        self
    }

    fn change(self, change: impl FnOnce(&mut MockAnswer)) -> Self {
        let mut shared = self.lock();
        if shared.answers.is_empty() {
            shared.answers.push_back(MockAnswer::default());
        }
        if let Some(answer) = shared.answers.back_mut() {
            change(answer);
        }
        drop(shared);
        self
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a request, and takes the answer to it.
    fn take(&self, request: &Request) -> Result<(usize, MockAnswer), ModelError> {
        let mut shared = self.lock();
        let number = shared.requests.len();
        shared.requests.push(request.clone());
        shared.answers.pop_front().map(|answer| (number, answer)).ok_or_else(|| {
            let last =
                request.messages.iter().next_back().map(windlass_protocol::Message::text).unwrap_or_default();
            let message = format!(
                "the mock model has no answer left: this is request {}, and its last message is {last:?}",
                number.saturating_add(1)
            );
            ModelError::new(ModelErrorKind::Configuration, message)
        })
    }
}

impl Model for MockModel {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(async move {
            let (number, answer) = self.take(request)?;
            if !answer.delay.is_zero() {
                tokio::time::sleep(answer.delay).await;
            }
            match answer.to_error() {
                Some(error) => Err(error),
                None => Ok(Box::pin(answer.into_stream(number)) as ChunkStream),
            }
        })
    }
}
