//! A model that a test writes in one expression.
#![expect(clippy::panic, reason = "a failed assertion of a test is a panic")]

mod answer;
mod fault;
mod rate_limit;
mod seen_request;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use windlass_protocol::{Request, Usage};
use windlass_stream::{ChunkStream, Model, ModelError, ModelErrorKind, ModelFuture};

use self::answer::{MockAnswer, Step};
pub use self::fault::Fault;
use self::rate_limit::RateLimit;
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
    /// The number of answers that requests have taken.
    taken: usize,
    requests: Vec<Request>,
    rate_limit: Option<RateLimit>,
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

    /// Adds a fault to the present answer, which ends it. [`Fault::Refuse`] is an answer of its own.
    ///
    /// ```
    /// use std::time::Duration;
    /// use windlass_mock::{Fault, MockModel};
    ///
    /// let model = MockModel::new()
    ///     .fault(Fault::refuse(429).with_retry_after(Duration::from_secs(3)))
    ///     .text("The half of an answer.").fault(Fault::CutAfterBytes(8))
    ///     .text("The whole answer.").fault(Fault::Slow(Duration::from_millis(50)));
    /// assert_eq!(model.answers_left(), 3);
    /// ```
    pub fn fault(self, fault: Fault) -> Self {
        match fault {
            Fault::Refuse { status, retry_after } => self.add(Step::Refusal { status, retry_after }),
            fault => self.change(|answer| answer.faults.push(fault)),
        }
    }

    /// Answers at most `requests` in any window of this length, and refuses every further request with the status 429
    /// and the wait until the window has room. A refused request takes no answer. The window uses the clock of
    /// `tokio`.
    pub fn rate_limit(self, requests: usize, window: Duration) -> Self {
        self.lock().rate_limit = Some(RateLimit::new(requests, window));
        self
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

    /// Asserts that every answer was taken by a request.
    ///
    /// # Panics
    /// Panics with a list of the answers that were not taken.
    #[track_caller]
    pub fn assert_all_consumed(&self) {
        let shared = self.lock();
        let numbers = shared.taken.saturating_add(1)..;
        let left: Vec<String> = numbers
            .zip(&shared.answers)
            .map(|(number, answer)| format!("\n  answer {number}: {}", answer.describe()))
            .collect();
        let requests = shared.requests.len();
        drop(shared);
        assert!(
            left.is_empty(),
            "{} answers were not used by {requests} requests:{}",
            left.len(),
            left.concat()
        );
    }

    /// Asserts the number of requests.
    ///
    /// # Panics
    /// Panics with the last message of each request if the number differs.
    #[track_caller]
    pub fn assert_requests(&self, expected: usize) {
        let requests = self.requests();
        if requests.len() == expected {
            return;
        }
        let numbers = 0_usize..;
        let lines: Vec<String> = numbers
            .zip(&requests)
            .map(|(number, request)| format!("\n  request {number}: {}", request.describe_last()))
            .collect();
        panic!("the model received {} requests, expected {expected}:{}", requests.len(), lines.concat());
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
        if let Some(limit) = &mut shared.rate_limit {
            limit.admit(tokio::time::Instant::now())?;
        }
        if let Some(answer) = shared.answers.pop_front() {
            shared.taken = shared.taken.saturating_add(1);
            return Ok((number, answer));
        }
        let message = format!(
            "the mock model has no answer left: its {} answers were used, and this is request {}:\n{}",
            shared.taken,
            number.saturating_add(1),
            SeenRequest::new(request.clone()).describe()
        );
        Err(ModelError::new(ModelErrorKind::Configuration, message))
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
