//! Words of a model for a server that asks for them: off, unless the application has somebody who answers.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Deserialize;
use serde_json::{Value, json};

/// The longest question, and how many messages it may have.
const QUESTION_BYTES: usize = 64 * 1024;
const MESSAGES: usize = 64;
/// How long an answer may be, in tokens, whatever the server wants.
const TOKENS: u32 = 4_096;

/// What a server wants a model to be asked. All words in it are a stranger's: whoever answers shows them to a human first,
/// or takes care that they can do no harm and cost little.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SamplingRequest {
    /// The server that asks.
    pub server: String,
    /// What the model is to be told first.
    pub system: Option<String>,
    /// What was said, in order: whose it is (`user` or `assistant`), and the words.
    pub messages: Vec<(String, String)>,
    /// How long the answer may be, in tokens.
    pub max_tokens: u32,
}

/// What a model said.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sample {
    /// Its words.
    pub text: String,
    /// Its name.
    pub model: String,
}

/// Nobody answers; the server is told so and no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the request was refused")]
#[expect(clippy::exhaustive_structs, reason = "there is nothing in it")]
pub struct SamplingRefusal;

/// The wait for a model's words.
pub type SampleFuture<'a> = Pin<Box<dyn Future<Output = Result<Sample, SamplingRefusal>> + Send + 'a>>;

/// Somebody who asks a model for servers.
pub trait Sampler: Send + Sync {
    /// Asks and waits. Cancel-safe: dropping the future takes the question back.
    fn sample<'a>(&'a self, request: &'a SamplingRequest) -> SampleFuture<'a>;
}

/// Who answers one server, one question at a time.
#[derive(Clone, Default)]
pub(crate) struct Samples {
    sampler: Option<Arc<dyn Sampler>>,
    is_asking: Arc<AtomicBool>,
}

/// A question that is open.
struct Asking<'a>(&'a AtomicBool);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wanted {
    messages: Vec<Spoken>,
    #[serde(default)]
    system_prompt: Option<String>,
    #[serde(default)]
    max_tokens: Option<u32>,
}

#[derive(Deserialize)]
struct Spoken {
    role: String,
    content: Value,
}

impl Sample {
    /// A model's words.
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

    /// Whether a model is asked now: that is not the call's time.
    pub(crate) fn is_asking(&self) -> bool {
        self.is_asking.load(Ordering::Acquire)
    }

    /// What the server is answered; nothing where it is refused.
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

/// Words alone are passed on; who sends pictures, tools or too much is refused.
fn request(server: &str, params: Value) -> Option<SamplingRequest> {
    if params.to_string().len() > QUESTION_BYTES || params.get("tools").is_some() {
        return None;
    }
    let wanted: Wanted = serde_json::from_value(params).ok()?;
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

/// The words of one piece or of several.
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
