//! Answers of a type.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use windlass_loop::Used;
use windlass_protocol::{
    Arguments, Message, OutputFormat, OutputSchema, Payload, RawJson, Request, ToolProtocol, Usage,
};
use windlass_tool_args::schemars::{self, JsonSchema};
use windlass_tool_args::{read_arguments, schema_of};

use crate::{Agent, AgentError, Report, RunOptions, Session};

/// The name of the schema, which some providers require.
const NAME: &str = "answer";

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
    /// If the provider can enforce a schema, the request contains it; otherwise the task ends with the schema in words.
    /// An answer that does not fit is returned to the model with the place and the reason, at most
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
    pub async fn run_as<T: DeserializeOwned + JsonSchema>(
        &self,
        task: impl Into<Message>,
    ) -> Result<TypedReport<T>, AgentError> {
        self.session().send_as(task).await
    }

    /// Returns the output format that makes the provider enforce the schema, or `None` if it cannot, or if calls take
    /// its place.
    fn enforce(&self, schema: &RawJson) -> Option<OutputFormat> {
        let parts = self.parts();
        let is_native = parts.config.protocols.first().is_none_or(|first| *first == ToolProtocol::Native);
        if !is_native || !parts.may_take_schema() {
            return None;
        }
        let output = OutputFormat::Schema(OutputSchema::new(NAME, schema.clone()));
        let config = parts.begin().config(&parts.config);
        let tools = config.tools.iter().map(|tool| tool.spec.clone()).collect();
        let request = Request::new(config.model.as_str(), vec![Message::user("JSON")]);
        let request = request.with_tools(tools).with_output(output.clone());
        let refusals = parts.model.check(&request);
        (!refusals.iter().any(|refusal| refusal.place.starts_with("output"))).then_some(output)
    }
}

impl Session {
    /// Like [`Agent::run_as`], but in this session. The session remembers the corrections.
    ///
    /// # Errors
    /// Like [`Agent::run_as`].
    pub async fn send_as<T: DeserializeOwned + JsonSchema>(
        &mut self,
        task: impl Into<Message>,
    ) -> Result<TypedReport<T>, AgentError> {
        let form = Form::for_type::<T>();
        let output = self.agent.enforce(&form.schema);
        let mut task = task.into();
        if output.is_none() {
            task = task.with_part(format!("\n\n{}", form.instruction()).as_str());
        }
        let (mut usage, mut used) = (Usage::default(), Used::default());
        let mut corrections = self.agent.parts().corrections;
        loop {
            let options = RunOptions::default().with_output(output.clone().unwrap_or_default());
            let mut report = self.stream_with(task, options).report().await?.check()?;
            usage.add(&report.usage);
            used = used.plus(report.used);
            let text = report.clone().into_text()?;
            match form.read(&text) {
                Ok(answer) => {
                    (report.usage, report.used) = (usage, used);
                    return Ok(TypedReport { answer, report });
                }
                Err(problem) if corrections == 0 => return Err(AgentError::Answer { problem, text }),
                Err(problem) => task = Message::user(form.correction(&problem)),
            }
            corrections = corrections.saturating_sub(1);
        }
    }
}

/// The JSON form of a type: its schema, and whether a member holds a value that is not an object.
struct Form {
    schema: RawJson,
    is_wrapped: bool,
}

/// An object around a value that is not an object, because providers enforce only schemas of objects.
#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
struct AnswerObject<T> {
    /// The answer.
    answer: T,
}

impl Form {
    fn for_type<T: JsonSchema>() -> Self {
        let schema = schema_of::<T>();
        let is_object = serde_json::from_str::<serde_json::Value>(schema.as_str())
            .is_ok_and(|schema| schema.get("type").and_then(|kind| kind.as_str()) == Some("object"));
        if is_object {
            Self { schema, is_wrapped: false }
        } else {
            Self { schema: schema_of::<AnswerObject<T>>(), is_wrapped: true }
        }
    }

    fn instruction(&self) -> String {
        format!(
            "Answer with one JSON object and nothing else. It has this JSON Schema: {}",
            self.schema.as_str()
        )
    }

    fn correction(&self, problem: &str) -> String {
        format!("Your answer cannot be used: {problem}. {}", self.instruction())
    }

    fn read<T: DeserializeOwned>(&self, text: &str) -> Result<T, String> {
        let arguments = Arguments::parse(find_object(text))
            .map_err(|error| format!("it is not a JSON object: {error}"))?;
        let payload = Payload::Function { arguments };
        let read = if self.is_wrapped {
            read_arguments::<AnswerObject<T>>(&payload).map(|wrapped| wrapped.answer)
        } else {
            read_arguments(&payload)
        };
        read.map_err(|error| error.to_string())
    }
}

/// Returns the part of a text from its first brace to its last one: models put an object into a fence, or words around
/// it.
fn find_object(text: &str) -> &str {
    match (text.find('{'), text.rfind('}')) {
        (Some(start), Some(end)) if start < end => text.get(start..=end).unwrap_or(text),
        _ => text,
    }
}
