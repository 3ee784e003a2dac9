//! A model that falls back to other models.

use std::fmt;
use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use windlass_protocol::{Prices, Refusal, Request};
use windlass_stream::{Chunk, ChunkStream, Model, ModelError, ModelErrorKind, ModelFacts, ModelFuture};
use windlass_wire::{ProviderError, ProviderErrorKind};

use crate::failure::to_status_error;
use crate::first_chunk::await_first_chunk;

/// Models in order of preference: if one fails for a reason that does not necessarily apply to another, the next
/// model gets the request.
///
/// The next model is used if a model is overloaded, rate limited after its retries, not found, unreachable,
/// silent before its first content, or out of quota. It is not used if the request itself is wrong, and never
/// after content was handed out.
///
/// The answer of a later model begins with [`Chunk::AnsweredBy`], so that a run counts it at the prices of that model.
///
/// ```
/// use std::sync::Arc;
/// use windlass_client::{Client, Fallback, FallbackEvent, Vendors};
///
/// let vendors = Vendors::builtin();
/// let client = |name: &str| Client::vendor(vendors.get(name).unwrap().clone()).build().unwrap();
/// let model = Fallback::new(Arc::new(client("groq")), "openai/gpt-oss-120b")
///     .or(Arc::new(client("cerebras")), "gpt-oss-120b")
///     .on_event(|event| {
///         if let FallbackEvent::Answer { model, .. } = event {
///             assert!(!model.is_empty());
///         }
///     });
/// assert_eq!(model.len(), 2);
/// ```
#[derive(Clone)]
pub struct Fallback {
    choices: Vec<Choice>,
    observer: Option<Observer>,
}

#[derive(Clone)]
struct Choice {
    model: Arc<dyn Model>,
    name: String,
}

type Observer = Arc<dyn Fn(&FallbackEvent<'_>) + Send + Sync>;

/// An event of a [`Fallback`].
#[derive(Debug)]
#[non_exhaustive]
pub enum FallbackEvent<'a> {
    /// A model failed and the request goes to the next one.
    Next {
        /// Index of the failed model, from 0.
        index: usize,
        /// Name of the failed model.
        model: &'a str,
        /// Error of the failed model.
        error: &'a ModelError,
    },
    /// A model answers.
    Answer {
        /// Index of the model, from 0.
        index: usize,
        /// Name of the model.
        model: &'a str,
    },
}

impl Fallback {
    /// Creates a fallback with its first model. `name` replaces the model name of each request.
    pub fn new(model: Arc<dyn Model>, name: impl Into<String>) -> Self {
        Self { choices: vec![Choice { model, name: name.into() }], observer: None }
    }

    /// Appends a model that is used if all earlier ones fail.
    pub fn or(mut self, model: Arc<dyn Model>, name: impl Into<String>) -> Self {
        self.choices.push(Choice { model, name: name.into() });
        self
    }

    /// Sets a callback that receives the model that answers, and each failure before it.
    pub fn on_event(mut self, observer: impl Fn(&FallbackEvent<'_>) + Send + Sync + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// Returns the number of models, at least 1.
    #[expect(clippy::len_without_is_empty, reason = "there is always one")]
    pub fn len(&self) -> usize {
        self.choices.len()
    }

    async fn answer(&self, request: &Request) -> Result<ChunkStream, ModelError> {
        let mut failures: Vec<String> = Vec::new();
        let last = self.choices.len().saturating_sub(1);
        for (index, choice) in self.choices.iter().enumerate() {
            let mut asked = request.clone();
            asked.model.clone_from(&choice.name);
            let answer = match choice.model.stream(&asked).await {
                Ok(chunks) => await_first_chunk(chunks, to_status_error).await,
                Err(error) => Err(error),
            };
            let error = match answer {
                Ok(chunks) => {
                    self.tell(&FallbackEvent::Answer { index, model: &choice.name });
                    return Ok(if index == 0 { chunks } else { self.name_the_model(choice, chunks) });
                }
                Err(error) => error,
            };
            if index == last || !may_another_answer(&error) {
                return Err(with_those_before(error, &failures));
            }
            self.tell(&FallbackEvent::Next { index, model: &choice.name, error: &error });
            failures.push(format!("{}: {error}", choice.name));
        }
        Err(ModelError::new(ModelErrorKind::Configuration, "no model is configured"))
    }

    /// Puts the name and the prices of the answering model before its answer.
    fn name_the_model(&self, choice: &Choice, chunks: ChunkStream) -> ChunkStream {
        let prices = |choice: &Choice| choice.model.facts(&choice.name).and_then(|facts| facts.prices);
        let named = Chunk::AnsweredBy {
            model: choice.name.clone(),
            prices: prices(choice),
            first_prices: self.choices.first().and_then(prices),
        };
        Box::pin(stream::iter([Ok(named)]).chain(chunks))
    }

    fn tell(&self, event: &FallbackEvent<'_>) {
        if let Some(observer) = &self.observer {
            observer(event);
        }
    }
}

impl Model for Fallback {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(self.answer(request))
    }

    /// Returns the refusals of the first model: a request that it refuses does not go to another model.
    fn check(&self, request: &Request) -> Vec<Refusal> {
        let Some(first) = self.choices.first() else { return Vec::new() };
        let mut asked = request.clone();
        asked.model.clone_from(&first.name);
        first.model.check(&asked)
    }

    /// Returns the facts about the first model.
    fn facts(&self, _: &str) -> Option<ModelFacts> {
        let first = self.choices.first()?;
        first.model.facts(&first.name)
    }

    fn prices(&self, _: &str) -> Option<Prices> {
        let first = self.choices.first()?;
        first.model.prices(&first.name)
    }
}

impl fmt::Debug for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.choices.iter().map(|choice| &choice.name)).finish()
    }
}

/// Returns true if another model can succeed after this failure.
fn may_another_answer(error: &ModelError) -> bool {
    let provider = error.source.as_ref().and_then(|source| source.downcast_ref::<ProviderError>());
    match (error.kind, provider.map(|error| error.kind)) {
        (_, Some(ProviderErrorKind::Quota | ProviderErrorKind::NotFound)) => true,
        (kind, _) => matches!(
            kind,
            ModelErrorKind::RateLimit
                | ModelErrorKind::Server
                | ModelErrorKind::Unreachable
                | ModelErrorKind::Idle
                | ModelErrorKind::Dropped
        ),
    }
}

fn with_those_before(mut error: ModelError, failures: &[String]) -> ModelError {
    if !failures.is_empty() {
        error.message = format!("{} (tried before: {})", error.message, failures.join("; "));
    }
    error
}
