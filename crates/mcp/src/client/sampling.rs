//! Sampling: requests of a server for a model's answer. They are refused unless the application sets a
//! `Sampler`.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Deserialize;
use serde_json::{Value, json};

/// Maximum length of a request's parameters in bytes, and maximum number of its messages.
const QUESTION_BYTES: usize = 64 * 1024;
const MESSAGES: usize = 64;
/// Maximum length of an answer in tokens, even if the server requests more.
const TOKENS: u32 = 4_096;

/// A request of a server for a model's answer. All texts are untrusted: a [`Sampler`] should display them to
/// a human first, or make sure that they can do no harm and cost little.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SamplingRequest {
    /// The id of the server.
    pub server: String,
    /// The system prompt.
    pub system: Option<String>,
    /// The messages in order: role (`user` or `assistant`) and text.
    pub messages: Vec<(String, String)>,
    /// Maximum length of the answer in tokens.
    pub max_tokens: u32,
}

/// A model's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sample {
    /// The text.
    pub text: String,
    /// The model's name.
    pub model: String,
}

/// The refusal of a sampling request. The server gets no reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the request was refused")]
#[expect(clippy::exhaustive_structs, reason = "it is empty")]
pub struct SamplingRefusal;

/// The future of a model's answer.
pub type SampleFuture<'a> = Pin<Box<dyn Future<Output = Result<Sample, SamplingRefusal>> + Send + 'a>>;

/// Access to a model for servers.
pub trait Sampler: Send + Sync {
    /// Requests an answer from a model. Cancel-safe: dropping the future cancels the request.
    fn sample<'a>(&'a self, request: &'a SamplingRequest) -> SampleFuture<'a>;
}

/// The sampling handler of one server, with one open request at a time.
#[derive(Clone, Default)]
pub(crate) struct Samples {
    sampler: Option<Arc<dyn Sampler>>,
    is_asking: Arc<AtomicBool>,
}

/// An open request. Dropping it allows the next one.
struct Asking<'a>(&'a AtomicBool);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SamplingParams {
    messages: Vec<SamplingMessage>,
    #[serde(default)]
    system_prompt: Option<String>,
    #[serde(default)]
    max_tokens: Option<u32>,
}

#[derive(Deserialize)]
struct SamplingMessage {
    role: String,
    content: Value,
}

impl Sample {
    /// Creates an answer.
    pub fn new(text: impl Into<String>, model: impl Into<String>) -> Self {
        Self { text: text.into(), model: model.into() }
    }
}

impl Samples {
    pub(crate) fn new(sampler: Option<Arc<dyn Sampler>>) -> Self {
        Self { sampler, is_asking: Arc::default() }
    }

    pub(crate) fn are_allowed(&self) -> bool {
        self.sampler.is_some()
    }

    /// Returns whether the server waits for a model's answer. This time does not count against a call's
    /// timeout.
    pub(crate) fn is_asking(&self) -> bool {
        self.is_asking.load(Ordering::Acquire)
    }

    /// Returns the response to the server, or `None` if the request is refused.
    pub(crate) async fn answer(&self, server: &str, params: Value) -> Option<Value> {
        let sampler = self.sampler.as_ref()?;
        let request = request(server, params)?;
        if self.is_asking.swap(true, Ordering::AcqRel) {
            return None;
        }
        let _asking = Asking(&self.is_asking);
        let sample = sampler.sample(&request).await.ok()?;
        Some(
            json!({"role": "assistant", "content": {"type": "text", "text": sample.text}, "model": sample.model,
            "stopReason": "endTurn"}),
        )
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// Parses a request. Only text is supported: pictures, tools and requests over the limits are refused.
fn request(server: &str, params: Value) -> Option<SamplingRequest> {
    if params.to_string().len() > QUESTION_BYTES || params.get("tools").is_some() {
        return None;
    }
    let wanted: SamplingParams = serde_json::from_value(params).ok()?;
    if wanted.messages.is_empty() || wanted.messages.len() > MESSAGES {
        return None;
    }
    let messages = wanted.messages.into_iter().map(|spoken| {
        let is_known = matches!(spoken.role.as_str(), "user" | "assistant");
        let words = words(&spoken.content)?;
        is_known.then_some((spoken.role, words))
    });
    Some(SamplingRequest {
        server: server.to_owned(),
        system: wanted.system_prompt,
        messages: messages.collect::<Option<Vec<_>>>()?,
        max_tokens: wanted.max_tokens.unwrap_or(TOKENS).min(TOKENS),
    })
}

/// Returns the text of one content item or of an array of them, or `None` if an item is not text.
fn words(content: &Value) -> Option<String> {
    let one = |piece: &Value| {
        let is_text = piece.get("type")?.as_str()? == "text";
        is_text.then(|| piece.get("text")?.as_str().map(str::to_owned))?
    };
    match content.as_array() {
        Some(pieces) => pieces.iter().map(one).collect::<Option<Vec<_>>>().map(|texts| texts.join("\n")),
        None => one(content),
    }
}
