//! Answers of a type, or of a schema that is known only at run time.

mod answer_path;
mod answer_schema;
mod answer_text;
mod answer_tool;
mod event;
mod form;
mod stream;

use serde::de::DeserializeOwned;
use serde_json::Value;
use windlass_protocol::{Message, RawJson};
use windlass_tool_args::schemars::JsonSchema;

use self::form::Form;
use self::stream::SessionRef;
use crate::{Agent, AgentError, Report, Session};

pub use self::answer_schema::AnswerSchema;
pub use self::event::TypedEvent;
pub use self::stream::TypedStream;

/// The answer of a run as a value of a type.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TypedReport<T> {
    /// The answer.
    pub answer: T,
    /// The report of the run. Its usage includes corrections.
    pub report: Report,
}

impl Agent {
    /// Runs a task whose answer is a value of a type: a struct, a union, a list or a plain value.
    ///
    /// If the provider can enforce a schema, the request contains it. Otherwise a model with native tool calls answers by
    /// a call of a tool whose arguments are the answer, and another model gets the schema in words. An answer that does
    /// not fit is returned to the model with the place and the reason, at most
    /// [`answer_corrections`](crate::AgentBuilder::answer_corrections) times.
    ///
    /// ```
    /// # use windlass_agent::{Agent, AgentError};
    /// # use windlass_tool_args::{schemars, serde};
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct City {
    ///     name: String,
    ///     /// The number of people.
    ///     people: u64,
    /// }
    ///
    /// async fn largest(agent: &Agent) -> Result<City, AgentError> {
    ///     Ok(agent.run_as::<City>("Which city of Japan is the largest?").await?.answer)
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns [`AgentError::Answer`] if the last answer does not fit either, and errors like [`run`](Self::run) and
    /// [`Report::into_text`].
    pub async fn run_as<T: DeserializeOwned + JsonSchema + 'static>(
        &self,
        task: impl Into<Message>,
    ) -> Result<TypedReport<T>, AgentError> {
        self.stream_as(task).report().await
    }

    /// Like [`run_as`](Self::run_as), but returns the events of the run, and the answer as far as it has arrived.
    /// Dropping the stream cancels the run.
    pub fn stream_as<T: DeserializeOwned + JsonSchema + 'static>(
        &self,
        task: impl Into<Message>,
    ) -> TypedStream<'static, T> {
        TypedStream::new(SessionRef::Owned(Box::new(self.session())), Form::for_type(), task.into())
    }

    /// Runs a task whose answer is a JSON value that fits a schema, for schemas that are known only at run time. The
    /// model gets the schema and its corrections like in [`run_as`](Self::run_as).
    ///
    /// ```
    /// # use windlass_agent::{Agent, AgentError};
    /// async fn lines(agent: &Agent) -> Result<u64, AgentError> {
    ///     let schema = serde_json::json!({"type": "integer", "minimum": 0});
    ///     let report = agent.run_with_schema("How many lines?", &(&schema).into()).await?;
    ///     Ok(report.answer.as_u64().unwrap_or_default())
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns [`AgentError::Schema`] if the schema cannot be used, and errors like [`run_as`](Self::run_as).
    pub async fn run_with_schema(
        &self,
        task: impl Into<Message>,
        schema: &RawJson,
    ) -> Result<TypedReport<Value>, AgentError> {
        self.stream_with_schema(task, schema)?.report().await
    }

    /// Like [`run_with_schema`](Self::run_with_schema), but returns the events of the run, and the answer as far as it
    /// has arrived. Dropping the stream cancels the run.
    ///
    /// # Errors
    /// Returns [`AgentError::Schema`] if the schema cannot be used.
    pub fn stream_with_schema(
        &self,
        task: impl Into<Message>,
        schema: &RawJson,
    ) -> Result<TypedStream<'static, Value>, AgentError> {
        let form = Form::for_schema(schema)?;
        Ok(TypedStream::new(SessionRef::Owned(Box::new(self.session())), form, task.into()))
    }
}

impl Session {
    /// Like [`Agent::run_as`], but in this session. The session remembers the corrections.
    ///
    /// # Errors
    /// Like [`Agent::run_as`].
    pub async fn send_as<T: DeserializeOwned + JsonSchema + 'static>(
        &mut self,
        task: impl Into<Message>,
    ) -> Result<TypedReport<T>, AgentError> {
        self.stream_as(task).report().await
    }

    /// Like [`Agent::stream_as`], but in this session.
    pub fn stream_as<T: DeserializeOwned + JsonSchema + 'static>(
        &mut self,
        task: impl Into<Message>,
    ) -> TypedStream<'_, T> {
        TypedStream::new(SessionRef::Borrowed(self), Form::for_type(), task.into())
    }

    /// Like [`Agent::run_with_schema`], but in this session. The session remembers the corrections.
    ///
    /// # Errors
    /// Like [`Agent::run_with_schema`].
    pub async fn send_with_schema(
        &mut self,
        task: impl Into<Message>,
        schema: &RawJson,
    ) -> Result<TypedReport<Value>, AgentError> {
        self.stream_with_schema(task, schema)?.report().await
    }

    /// Like [`Agent::stream_with_schema`], but in this session.
    ///
    /// # Errors
    /// Like [`Agent::stream_with_schema`].
    pub fn stream_with_schema(
        &mut self,
        task: impl Into<Message>,
        schema: &RawJson,
    ) -> Result<TypedStream<'_, Value>, AgentError> {
        let form = Form::for_schema(schema)?;
        Ok(TypedStream::new(SessionRef::Borrowed(self), form, task.into()))
    }
}
