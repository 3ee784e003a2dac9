//! The tool that takes a typed answer as its arguments.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::de::DeserializeOwned;
use windlass_protocol::{Control, Effect, Hints, Payload, ResultStatus, Risk, ToolSpec};
use windlass_tool::{Context, Output, Tool, ToolFuture};

use super::form::Form;

/// A tool whose arguments are the answer of the task. A call that fits ends the run. A call that does not fit is
/// returned to the model with the place and the reason, as long as corrections are left; the last call ends the run in
/// any case, and its reader reports the mismatch.
#[derive(Debug)]
pub(crate) struct AnswerTool<T> {
    spec: ToolSpec,
    form: Arc<Form<T>>,
    corrections: Arc<Corrections>,
}

/// The corrections of a typed answer, which its tool and its stream count together.
#[derive(Debug)]
pub(crate) struct Corrections {
    limit: u32,
    used: AtomicU32,
    /// The mismatch that the tool returned to the model, until the stream reads it.
    problem: Mutex<Option<String>>,
}

impl Corrections {
    pub(crate) fn new(limit: u32) -> Self {
        Self { limit, used: AtomicU32::new(0), problem: Mutex::default() }
    }

    /// Creates a count without a limit, for a run whose mistakes the machine counts, also after a resume.
    pub(crate) fn unlimited() -> Self {
        Self::new(u32::MAX)
    }

    /// Returns the number of corrections so far.
    pub(crate) fn count(&self) -> u32 {
        self.used.load(Ordering::Relaxed)
    }

    /// Counts a correction. Returns false if none is left.
    pub(crate) fn take(&self) -> bool {
        let next = |used: u32| (used < self.limit).then(|| used.saturating_add(1));
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
    }

    /// Returns the mismatch that the tool counted since the last call.
    pub(crate) fn take_problem(&self) -> Option<String> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn set_problem(&self, problem: &str) {
        *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem.to_owned());
    }
}

impl<T: DeserializeOwned> AnswerTool<T> {
    pub(crate) fn new(spec: ToolSpec, form: Arc<Form<T>>, corrections: Arc<Corrections>) -> Self {
        Self { spec, form, corrections }
    }

    fn accept(&self, payload: &Payload) -> Output {
        let read = match payload {
            Payload::Function { arguments } => self.form.read(arguments.as_str()).map(drop),
            _ => Err("it is not a JSON object".to_owned()),
        };
        match read {
            Ok(()) => Output::text("The answer was accepted."),
            Err(problem) if self.corrections.take() => {
                self.corrections.set_problem(&problem);
                let name = self.spec.name();
                let text = format!(
                    "The answer cannot be used: {problem}. Call {name} again with arguments that fit its schema."
                );
                Output::text(text).with_status(ResultStatus::InvalidArguments)
            }
            Err(problem) => Output::text(format!(
                "The answer cannot be used: {problem}. The task ends here, because no further correction is allowed."
            )),
        }
    }
}

impl<T: DeserializeOwned + 'static> Tool for AnswerTool<T> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    // Equal calls are counted as corrections, not as repeats.
    fn hints(&self) -> Hints {
        Hints { control: Control::Answer, risk: Risk::Low, polls: true, ..Hints::read_only() }
    }

    fn is_in_presets(&self) -> bool {
        false
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, _: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move { Ok(self.accept(payload)) })
    }
}
