//! The context of a running call: cancellation, progress, questions and other services for the tool.

#[cfg(not(feature = "redact"))]
mod identity;
#[cfg(feature = "redact")]
mod redaction;

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;
use windlass_protocol::CallId;

use crate::{AnswerFuture, CancellationToken, Human, NoAnswer, PathGate, Question};

#[cfg(not(feature = "redact"))]
use identity::Redaction;
#[cfg(feature = "redact")]
use redaction::Redaction;

type Things = HashMap<TypeId, Arc<dyn Any + Send + Sync>>;
type Sink = Arc<dyn Fn(Progress) + Send + Sync>;

/// Returns a future that is ready when the listener has caught up.
type Backpressure = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// A progress event that a tool emits while it runs.
///
/// A tool emits an event with [`Context::tell`], or with [`Context::send`], which waits for a slow listener. Interfaces show
/// the events; the model receives the [`Output`](crate::Output) only. Secrets are removed on the way.
///
/// ```
/// use std::sync::mpsc::channel;
/// use windlass_protocol::CallId;
/// use windlass_tool::{Context, Progress};
///
/// let (sender, events) = channel();
/// let ctx = Context::new(CallId::new("call_1")?).with_progress(move |event| drop(sender.send(event)));
/// ctx.tell(Progress::Note("page 1 of 3".to_owned()));
/// assert_eq!(events.recv()?, Progress::Note("page 1 of 3".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// The call begins to run. The toolbox emits this event, not the tool.
    Started,
    /// The next piece of output.
    Output(String),
    /// A short description of the current activity.
    Note(String),
    /// An event of a sub-agent that the call has started.
    Agent {
        /// The path of agents, from the agent that the call started down to the agent that emitted the event.
        agents: Vec<String>,
        /// The event of the agent's run as JSON. That run has already redacted its secrets.
        event: Value,
    },
}

/// The context in which a tool runs a call: the call's id, a cancellation token, and callbacks for progress
/// and for questions to a human.
///
/// The caller builds a context per call; every part except the id is optional. Without a listener, progress
/// is discarded; without a human, questions fail with [`NoAnswer::Absent`].
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
    redaction: Redaction,
    gate: PathGate,
}

impl Context {
    /// Creates a context without listener and human. The idempotency key is the call id until it is set.
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
            redaction: Redaction::default(),
            gate: PathGate::default(),
        }
    }

    /// Sets the token that cancels the call.
    pub fn with_cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// Sets the idempotency key: a key that is identical in each retry of the call.
    pub fn with_idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = key.into();
        self
    }

    /// Sets the folder for outputs that are too long for the model.
    pub fn with_outputs(mut self, folder: impl Into<PathBuf>) -> Self {
        self.outputs = Some(folder.into());
        self
    }

    /// Sets the listener for progress events.
    pub fn with_progress(mut self, listen: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(listen));
        self
    }

    /// Sets the backpressure of the listener: [`Context::send`] awaits the future that `wait` returns.
    pub fn with_backpressure(
        mut self,
        wait: impl Fn() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync + 'static,
    ) -> Self {
        self.backpressure = Some(Arc::new(wait));
        self
    }

    /// Sets the human who answers the tool's questions.
    pub fn with_human(mut self, human: Arc<dyn Human>) -> Self {
        self.human = Some(human);
        self
    }

    /// Adds a value that tools can look up by its type with [`Context::thing`]. It replaces an earlier value
    /// of the same type.
    pub fn with_thing<T: Any + Send + Sync>(mut self, thing: T) -> Self {
        self.things.insert(TypeId::of::<T>(), Arc::new(thing));
        self
    }

    /// Sets policy's decision about paths that the call discovers while it runs.
    pub fn with_path_gate(mut self, gate: PathGate) -> Self {
        self.gate = gate;
        self
    }

    /// Returns the id of the call.
    pub fn call(&self) -> &CallId {
        &self.call
    }

    /// Returns a key that is identical in each retry of the call, for services that accept an idempotency
    /// key.
    pub fn idempotency_key(&self) -> &str {
        &self.idempotency_key
    }

    /// Returns the value of type `T` that the caller added with [`Context::with_thing`], such as
    /// `windlass_agent::CallingRun`, the run that the call belongs to.
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

    /// Returns the token that cancels the call.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.cancellation
    }

    /// Returns the folder for outputs that are too long for the model, if the caller set one.
    pub fn outputs(&self) -> Option<&Path> {
        self.outputs.as_deref()
    }

    /// Returns policy's decision about paths that the call discovers while it runs. A tool that walks a
    /// folder checks each path with it.
    pub fn path_gate(&self) -> &PathGate {
        &self.gate
    }

    /// Emits progress, then waits while the listener is behind.
    ///
    /// Use this instead of [`Context::tell`] for many events: events of agents are queued until they are
    /// read, so a sender without backpressure would grow the queue without bound.
    pub async fn send(&self, progress: Progress) {
        self.tell(progress);
        self.ready().await;
    }

    /// Waits while the listener is behind. Returns immediately if no backpressure is set.
    pub async fn ready(&self) {
        if let Some(wait) = &self.backpressure {
            wait().await;
        }
    }

    /// Emits progress with secrets redacted. An end of the output that could be the beginning of a secret is
    /// held back and sent with the next output.
    ///
    /// This method does not wait. The listener keeps all events of agents. It may drop text when its reader
    /// is behind, and then reports how much it dropped.
    pub fn tell(&self, progress: Progress) {
        let Some(listen) = &self.progress else { return };
        match progress {
            Progress::Output(text) => {
                tell_output(listen, self.redaction.push_output(&text));
            }
            Progress::Note(text) => listen(Progress::Note(self.redaction.redact(&text))),
            Progress::Started | Progress::Agent { .. } => listen(progress),
        }
    }

    /// Emits the output that was held back, once the call has ended. The toolbox calls this, not the tool.
    pub fn tell_rest(&self) {
        let Some(listen) = &self.progress else { return };
        tell_output(listen, self.redaction.finish_output());
    }

    /// Asks the human, with secrets redacted from the question. Returns [`NoAnswer::Absent`] if no human is
    /// set.
    pub fn ask<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        match &self.human {
            Some(human) if self.redaction.is_empty() => human.answer(question),
            Some(human) => {
                let mut question = question.clone();
                question.text = self.redaction.redact(&question.text);
                let suggestions = question.suggestions.into_iter();
                question.suggestions = suggestions.map(|text| self.redaction.redact(&text)).collect();
                Box::pin(async move { human.answer(&question).await })
            }
            None => Box::pin(async { Err(NoAnswer::Absent) }),
        }
    }
}

fn tell_output(listen: &Sink, clean: String) {
    if !clean.is_empty() {
        listen(Progress::Output(clean));
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("call", &self.call).finish_non_exhaustive()
    }
}
