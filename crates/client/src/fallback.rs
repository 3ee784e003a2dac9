//! Other models where one has no answer.

use std::fmt;
use std::sync::Arc;

use windlass_model::{ChunkStream, Model, ModelError, ModelErrorKind, ModelFuture};
use windlass_protocol::{Refusal, Request};
use windlass_wire::{ProviderError, ProviderErrorKind};

use crate::begin::begun;
use crate::failure::refused_in_stream;

/// Models in the order in which they are asked: the next one where another may have what this one lacks.
///
/// That is so where a model is overloaded, rate limited after its retries, not found, not reached, silent before its
/// first word, or has nothing left to spend. It is not so where the request itself is wrong, and never once a word of an
/// answer was handed out.
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

/// What a [`Fallback`] tells.
#[derive(Debug)]
#[non_exhaustive]
pub enum FallbackEvent<'a> {
    /// A model had no answer, and the next one is asked.
    Next {
        /// Which one, from 0.
        index: usize,
        /// Its name.
        model: &'a str,
        /// Why.
        error: &'a ModelError,
    },
    /// A model answers.
    Answer {
        /// Which one, from 0.
        index: usize,
        /// Its name.
        model: &'a str,
    },
}

impl Fallback {
    /// Asks this model first. The name takes the place of that in a request.
    pub fn new(model: Arc<dyn Model>, name: impl Into<String>) -> Self {
        Self { choices: vec![Choice { model, name: name.into() }], observer: None }
    }

    /// Asks this model where those before have no answer.
    pub fn or(mut self, model: Arc<dyn Model>, name: impl Into<String>) -> Self {
        self.choices.push(Choice { model, name: name.into() });
        self
    }

    /// Who is told which model answers, and why one before did not.
    pub fn on_event(mut self, observer: impl Fn(&FallbackEvent<'_>) + Send + Sync + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// How many models there are: at least one.
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
                Ok(chunks) => begun(chunks, refused_in_stream).await,
                Err(error) => Err(error),
            };
            let error = match answer {
                Ok(chunks) => {
                    self.tell(&FallbackEvent::Answer { index, model: &choice.name });
                    return Ok(chunks);
                }
                Err(error) => error,
            };
            if index == last || !may_another_answer(&error) {
                return Err(with_those_before(error, &failures));
            }
            self.tell(&FallbackEvent::Next { index, model: &choice.name, error: &error });
            failures.push(format!("{}: {error}", choice.name));
        }
        Err(ModelError::new(ModelErrorKind::Configuration, "there is no model to ask"))
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

    /// What the first model would refuse: a request that is wrong for it is not sent on to another.
    fn check(&self, request: &Request) -> Vec<Refusal> {
        let Some(first) = self.choices.first() else { return Vec::new() };
        let mut asked = request.clone();
        asked.model.clone_from(&first.name);
        first.model.check(&asked)
    }
}

impl fmt::Debug for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.choices.iter().map(|choice| &choice.name)).finish()
    }
}

/// Whether a failure is one that another model may not share.
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
        error.message = format!("{} (asked before: {})", error.message, failures.join("; "));
    }
    error
}
