//! A schema that the answers of an agent must fit.

use std::sync::Arc;

use serde_json::Value;
use windlass_loop::HookPoint;
use windlass_protocol::{Arguments, Control, Message, RawJson};

use super::answer_path::AnswerPath;
use super::answer_text::AnswerText as TextWithValue;
use super::answer_tool::Corrections;
use super::form::Form;
use crate::{
    Agent, AgentError, AnswerText, Hook, HookContext, HookFuture, HookVerdict, HookedCall, RunOptions,
};

/// The points of a run at which a task can end: with an answer in words, or with the completion tool.
const POINTS: [HookPoint; 2] = [HookPoint::Answer, HookPoint::Call];

/// A schema that the answer of every task must fit, as a hook of the agent.
///
/// [`Agent::run_with_schema`] is the simpler way for a run that one process starts and ends. This type is for runs that
/// are recorded and resumed: an answer that does not fit is returned to the model inside the same run, at most
/// [`answer_corrections`](crate::AgentBuilder::answer_corrections) times in a row. Add it with
/// [`AgentBuilder::hook`](crate::AgentBuilder::hook), and pass the options of each run through [`begin`](Self::begin), or
/// [`resume`](Self::resume) in a later process. Both take the same path as a typed answer: the provider enforces the schema,
/// or a tool takes the answer, or the model gets the schema in words.
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

    /// Adds the schema to a task and to the options of its run. The agent has this schema as a hook.
    ///
    /// ```
    /// # use windlass_agent::{Agent, AgentError, AnswerSchema, Report, RunOptions};
    /// async fn start(agent: &Agent, schema: &AnswerSchema) -> Result<Report, AgentError> {
    ///     let (task, options) = schema.begin(agent, "How many lines?", RunOptions::default());
    ///     agent.run_with(task, options).await
    /// }
    /// ```
    pub fn begin(
        &self,
        agent: &Agent,
        task: impl Into<Message>,
        options: RunOptions,
    ) -> (Message, RunOptions) {
        let path = self.choose(agent);
        let words = path.instruction_beside_completion(&self.form);
        (task.into().with_part(format!("\n\n{words}").as_str()), path.apply(options))
    }

    /// Adds the schema to the options of a run that continues. Its recorded task has the words.
    pub fn resume(&self, agent: &Agent, options: RunOptions) -> RunOptions {
        self.choose(agent).apply(options)
    }

    /// Chooses the path. The machine counts the answers that do not fit, and the tool itself sets no limit.
    fn choose(&self, agent: &Agent) -> AnswerPath {
        AnswerPath::choose(agent, &self.form, &Arc::new(Corrections::unlimited()))
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
