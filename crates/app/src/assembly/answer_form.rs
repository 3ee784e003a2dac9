//! The schema of a run's answer: its check by a hook, and its form for the model.

use serde_json::Value;
use windlass_agent::{Agent, AnswerSchema, Hook, RunOptions};
use windlass_protocol::Message;

use crate::config::RunSettings;
use crate::error::{AppError, Context as _, ErrorKind, Result};

/// Number of answers in a row that are returned to the model. It has tools, so its first answers are often prose.
pub(crate) const CORRECTIONS: u32 = 3;

/// The schema of the answer of a run.
#[derive(Clone, Debug)]
pub struct AnswerForm(AnswerSchema);

impl AnswerForm {
    /// Compiles the schema in the settings of a run. Returns `None` if they have none.
    ///
    /// # Errors
    ///
    /// Fails if the schema cannot be used.
    pub fn new(settings: &RunSettings) -> Result<Option<Self>> {
        let Some(schema) = &settings.answer_schema else { return Ok(None) };
        let schema = AnswerSchema::new(schema).context("the schema of the answer cannot be used")?;
        Ok(Some(Self(schema.ends_with_text(!settings.until_done))))
    }

    /// Reads the value in the answer of a run.
    ///
    /// # Errors
    ///
    /// Fails if no value in the text fits the schema.
    pub fn read(&self, text: &str) -> Result<Value> {
        self.0.read(text).map_err(|problem| {
            AppError::new(ErrorKind::Invalid, format!("the answer does not fit the schema: {problem}"))
        })
    }

    /// Returns the hook that returns other answers to the model.
    pub(crate) fn hook(&self) -> impl Hook + 'static {
        self.0.clone()
    }

    /// Adds the schema to a new run.
    pub(crate) fn begin(
        form: Option<&Self>,
        agent: &Agent,
        task: Message,
        run: RunOptions,
    ) -> (Message, RunOptions) {
        match form {
            Some(Self(schema)) => schema.begin(agent, task, run),
            None => (task, run),
        }
    }

    /// Adds the schema to a run that continues.
    pub(crate) fn resume(form: Option<&Self>, agent: &Agent, run: RunOptions) -> RunOptions {
        match form {
            Some(Self(schema)) => schema.resume(agent, run),
            None => run,
        }
    }
}
