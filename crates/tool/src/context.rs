//! What a tool is given besides its arguments.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio_util::sync::CancellationToken;
use windlass_protocol::CallId;
use windlass_redact::{RedactStream, Redactor};

use crate::{AnswerFuture, Human, NoAnswer, PathGate, Question};

type Things = HashMap<TypeId, Arc<dyn Any + Send + Sync>>;
type Sink = Arc<dyn Fn(Progress) + Send + Sync>;

/// Returns a future that is ready when the listener has caught up.
type Backpressure = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// Something that a tool tells while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// The call has its turn and begins. The toolbox tells this, not the tool.
    Started,
    /// More output, as it comes.
    Output(String),
    /// What it is doing, in a few words.
    Note(String),
    /// Something that happened to an agent that the call has given work to.
    Agent {
        /// The agents from the one that the call began down to the one that it happened to.
        agents: Vec<String>,
        /// What happened, as the JSON of an event of a run. Its own run has taken secrets out of it.
        event: Value,
    },
}

/// What a tool is given besides its arguments: which call this is, and the ways to stop, to tell and to ask.
///
/// ```
/// use windlass_protocol::CallId;
/// use windlass_tool::Context;
/// let ctx = Context::new(CallId::new("call_1")?);
/// assert!(!ctx.cancellation().is_cancelled());
/// # Ok::<(), windlass_protocol::IdError>(())
/// ```
#[derive(Clone)]
pub struct Context {
    call: CallId,
    idempotency_key: String,
    cancellation: CancellationToken,
    outputs: Option<PathBuf>,
    progress: Option<Sink>,
    backpressure: Option<Backpressure>,
    human: Option<Arc<dyn Human>>,
    things: Things,
    redactor: Redactor,
    gate: PathGate,
    /// What is told as output comes in pieces, and a secret may lie in two of them.
    told: Arc<Mutex<RedactStream>>,
}

impl Context {
    /// A context with nobody to tell and nobody to ask.
    pub fn new(call: CallId) -> Self {
        Self {
            idempotency_key: call.to_string(),
            call,
            cancellation: CancellationToken::new(),
            outputs: None,
            progress: None,
            backpressure: None,
            human: None,
            things: Things::new(),
            redactor: Redactor::default(),
            gate: PathGate::default(),
            told: Arc::new(Mutex::new(Redactor::default().stream())),
        }
    }

    /// The same context with a token that stops the call.
    pub fn with_cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// The same context with a key that stays the same when the call is tried again.
    pub fn with_idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = key.into();
        self
    }

    /// The same context with a folder for outputs that are too long for the model.
    pub fn with_outputs(mut self, folder: impl Into<PathBuf>) -> Self {
        self.outputs = Some(folder.into());
        self
    }

    /// The same context with a listener for progress.
    pub fn with_progress(mut self, listen: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(listen));
        self
    }

    /// The same context with a way to wait for the listener: [`Context::send`] awaits the future that `wait` returns.
    pub fn with_backpressure(
        mut self,
        wait: impl Fn() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync + 'static,
    ) -> Self {
        self.backpressure = Some(Arc::new(wait));
        self
    }

    /// The same context with somebody to ask.
    pub fn with_human(mut self, human: Arc<dyn Human>) -> Self {
        self.human = Some(human);
        self
    }

    /// The same context with a thing of whoever runs the call, for tools that know its type. There is one of each type.
    pub fn with_thing<T: Any + Send + Sync>(mut self, thing: T) -> Self {
        self.things.insert(TypeId::of::<T>(), Arc::new(thing));
        self
    }

    /// The same context with secrets that no output may show.
    pub fn with_redactor(mut self, redactor: Redactor) -> Self {
        self.told = Arc::new(Mutex::new(redactor.stream()));
        self.redactor = redactor;
        self
    }

    /// The same context with what policy says about paths that the call finds while it runs.
    pub fn with_path_gate(mut self, gate: PathGate) -> Self {
        self.gate = gate;
        self
    }

    /// Which call this is.
    pub fn call(&self) -> &CallId {
        &self.call
    }

    /// A key that stays the same when the call is tried again, for services that take one.
    pub fn idempotency_key(&self) -> &str {
        &self.idempotency_key
    }

    /// What whoever runs the call gave of this type, as `windlass_agent::CallingRun`: the run that the call belongs to.
    ///
    /// ```
    /// # use windlass_protocol::CallId;
    /// # use windlass_tool::Context;
    /// struct Desk(u32);
    /// let ctx = Context::new(CallId::new("call_1")?).with_thing(Desk(7));
    /// assert_eq!(ctx.thing::<Desk>().map(|desk| desk.0), Some(7));
    /// assert!(ctx.thing::<String>().is_none());
    /// # Ok::<(), windlass_protocol::IdError>(())
    /// ```
    pub fn thing<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.things.get(&TypeId::of::<T>()).and_then(|thing| thing.downcast_ref())
    }

    /// Tells when to stop.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.cancellation
    }

    /// The folder for outputs that are too long for the model, where there is one.
    pub fn outputs(&self) -> Option<&Path> {
        self.outputs.as_deref()
    }

    /// The secrets that no output may show. The toolbox takes them out of what a tool gives back. A tool that cuts its
    /// output, or writes it into a file, takes them out before: half a secret is not found.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// What policy says about paths that the call finds while it runs. A tool that walks a folder asks it about each.
    pub fn path_gate(&self) -> &PathGate {
        &self.gate
    }

    /// Passes progress to the listener, and then waits while the listener is behind.
    ///
    /// A call with many events uses this instead of [`Context::tell`]: events of agents are kept until they are read,
    /// so the sender must not run ahead of the reader.
    pub async fn send(&self, progress: Progress) {
        self.tell(progress);
        self.ready().await;
    }

    /// Waits while the listener is behind. Returns at once without a listener.
    pub async fn ready(&self) {
        if let Some(wait) = &self.backpressure {
            wait().await;
        }
    }

    /// Tells whoever listens, without secrets. What of an output may be the beginning of one is told with the next.
    ///
    /// This does not wait. The listener keeps all events of agents. It may leave out text when its reader is behind, and
    /// then says how much.
    pub fn tell(&self, progress: Progress) {
        let Some(listen) = &self.progress else { return };
        match progress {
            Progress::Output(text) => {
                let clean = self.told.lock().unwrap_or_else(PoisonError::into_inner).push(text.as_bytes());
                tell_output(listen, &clean);
            }
            Progress::Note(text) => listen(Progress::Note(self.redactor.redact(&text).into_owned())),
            Progress::Started | Progress::Agent { .. } => listen(progress),
        }
    }

    /// Tells what is held back of the output, when no more comes. The toolbox does this, not the tool.
    pub fn tell_rest(&self) {
        let Some(listen) = &self.progress else { return };
        let rest = self.told.lock().unwrap_or_else(PoisonError::into_inner).finish();
        tell_output(listen, &rest);
    }

    /// Asks the human, without secrets, or says at once that nobody is there.
    pub fn ask<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        let clean = |text: &String| self.redactor.redact(text).into_owned();
        match &self.human {
            Some(human) if self.redactor.is_empty() => human.answer(question),
            Some(human) => {
                let mut question = question.clone();
                question.text = clean(&question.text);
                question.suggestions = question.suggestions.iter().map(clean).collect();
                Box::pin(async move { human.answer(&question).await })
            }
            None => Box::pin(async { Err(NoAnswer::Absent) }),
        }
    }
}

fn tell_output(listen: &Sink, clean: &[u8]) {
    if !clean.is_empty() {
        listen(Progress::Output(String::from_utf8_lossy(clean).into_owned()));
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("call", &self.call).finish_non_exhaustive()
    }
}
