//! A schema that the answers of an agent must fit.

use std::sync::Arc;

use serde_json::Value;
use windlass_loop::HookPoint;
use windlass_protocol::{Arguments, Control, OutputFormat, RawJson};

use super::answer_text::AnswerText as TextWithValue;
use super::form::Form;
use crate::{Agent, AgentError, AnswerText, Hook, HookContext, HookFuture, HookVerdict, HookedCall};

/// The points of a run at which a task can end: with an answer in words, or with the completion tool.
const POINTS: [HookPoint; 2] = [HookPoint::Answer, HookPoint::Call];

/// A schema that the answer of every task must fit, as a hook of the agent.
///
/// [`Agent::run_with_schema`] is the simpler way for a run that one process starts and ends. This type is for runs that
/// are recorded and resumed: an answer that does not fit is returned to the model inside the same run, at most
/// [`answer_corrections`](crate::AgentBuilder::answer_corrections) times. Add it with
/// [`AgentBuilder::hook`](crate::AgentBuilder::hook), and pass [`output`](Self::output) to
/// [`RunOptions::with_output`](crate::RunOptions::with_output), or [`instruction`](Self::instruction) to the model if it
/// is `None`.
///
/// ```
/// use windlass_agent::AnswerSchema;
///
/// let schema = serde_json::json!({"type": "array", "items": {"type": "integer"}});
/// let schema = AnswerSchema::new(&(&schema).into())?;
/// assert_eq!(schema.read("The numbers are:\n```json\n[1, 2]\n```"), Ok(serde_json::json!([1, 2])));
/// assert!(schema.read("none").unwrap_err().contains("JSON"));
/// # Ok::<(), windlass_agent::AgentError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AnswerSchema {
    form: Arc<Form<Value>>,
    ends_with_text: bool,
}

impl AnswerSchema {
    /// Compiles a schema.
    ///
    /// # Errors
    /// Returns [`AgentError::Schema`] if the schema is invalid or exceeds a limit.
    pub fn new(schema: &RawJson) -> Result<Self, AgentError> {
        Ok(Self { form: Arc::new(Form::for_schema(schema)?), ends_with_text: true })
    }

    /// Sets whether an answer in words ends a task. If it is false, only the completion tool does, and the hook does not
    /// check other answers. The default is true.
    pub fn ends_with_text(mut self, ends_with_text: bool) -> Self {
        self.ends_with_text = ends_with_text;
        self
    }

    /// Returns the schema in words for the model.
    pub fn instruction(&self) -> String {
        self.form.instruction()
    }

    /// Returns the output format that makes the provider of an agent enforce the schema, or `None` if it cannot.
    pub fn output(&self, agent: &Agent) -> Option<OutputFormat> {
        agent.enforce(self.form.schema())
    }

    /// Reads the first value in a text that fits, like [`Agent::run_with_schema`].
    ///
    /// # Errors
    /// Returns the place and the reason of the last mismatch, in words for the model.
    pub fn read(&self, text: &str) -> Result<Value, String> {
        let mut answer = TextWithValue::new(self.form.is_wrapped());
        answer.push(text);
        self.form.read_text(&mut answer)
    }

    /// Returns the correction for the model if a text does not fit.
    fn correct<T>(&self, text: &str) -> HookVerdict<T> {
        match self.read(text) {
            Ok(_) => HookVerdict::Continue,
            Err(problem) => HookVerdict::Veto(self.form.correction(&problem)),
        }
    }
}

impl Hook for AnswerSchema {
    fn name(&self) -> &'static str {
        "answer-schema"
    }

    fn points(&self) -> &[HookPoint] {
        &POINTS
    }

    fn check_answer<'a>(
        &'a self,
        ctx: &'a HookContext,
        answer: &'a AnswerText,
    ) -> HookFuture<'a, HookVerdict<String>> {
        // Agents below a call have the hooks of their caller, but other answers.
        let is_end = ctx.agents.is_empty() && self.ends_with_text && !answer.has_calls;
        Box::pin(async move { if is_end { self.correct(&answer.text) } else { HookVerdict::Continue } })
    }

    fn check_call<'a>(
        &'a self,
        ctx: &'a HookContext,
        hooked: &'a HookedCall,
    ) -> HookFuture<'a, HookVerdict<Arguments>> {
        let is_end = ctx.agents.is_empty() && hooked.facts.hints.control == Control::Completion;
        Box::pin(async move {
            if !is_end {
                return HookVerdict::Continue;
            }
            let result = hooked.call.arguments().and_then(|arguments| arguments.get("result"));
            self.correct(result.and_then(|result| result.as_str()).unwrap_or_default())
        })
    }
}
