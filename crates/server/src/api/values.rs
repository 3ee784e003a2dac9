//! The values of the API's requests and responses.

pub(crate) mod answers;
pub(crate) mod files;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_app::Autonomy;
use windlass_app::feed::Tokens;
use windlass_app::runs::MessageTime;
use windlass_app::sessions::{ForkPoint, SessionRecord};

/// Settings of a run that differ from those of the server or of the session.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Changes {
    /// The provider's name of the model.
    pub(crate) model: Option<String>,
    /// Name of the provider.
    pub(crate) provider: Option<String>,
    /// The work mode.
    pub(crate) mode: Option<String>,
    /// The autonomy: `ask`, `read-only`, `auto-edit` or `headless`.
    #[schemars(with = "Option<String>")]
    pub(crate) autonomy: Option<Autonomy>,
}

/// A task of a new session, or the next task of a session.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTask {
    /// The task in words.
    pub(crate) task: String,
    /// Pictures and files of the task.
    #[serde(default)]
    pub(crate) files: Vec<NewFile>,
    /// Settings that differ.
    #[serde(default)]
    pub(crate) settings: Changes,
}

/// A file in a request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewFile {
    /// The name, which the model sees.
    pub(crate) name: String,
    /// The content in base64. The media type follows from it.
    pub(crate) data: String,
}

/// A new session with the beginning of another one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewFork {
    /// The task in words.
    pub(crate) task: String,
    /// Pictures and files of the task.
    #[serde(default)]
    pub(crate) files: Vec<NewFile>,
    /// The point at which the conversations part.
    #[serde(default)]
    pub(crate) at: Point,
    /// Settings that differ.
    #[serde(default)]
    pub(crate) settings: Changes,
}

/// A point of a conversation.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Point {
    /// After the whole conversation.
    #[default]
    End,
    /// After the turn with this number of the newest run.
    AfterTurn(u32),
    /// Before the answer that contains this call.
    BeforeCall(String),
}

impl Point {
    pub(crate) fn point(self) -> ForkPoint {
        match self {
            Self::End => ForkPoint::End,
            Self::AfterTurn(turn) => ForkPoint::AfterTurn(turn),
            Self::BeforeCall(call) => ForkPoint::BeforeCall(call),
        }
    }
}

/// A name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewName {
    /// The name.
    pub(crate) name: String,
}

/// A message to a run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewMessage {
    /// The text.
    pub(crate) text: String,
    /// Pictures and files.
    #[serde(default)]
    pub(crate) files: Vec<NewFile>,
    /// The time at which the model gets the message. Default: after the turn.
    #[serde(default)]
    pub(crate) when: Option<When>,
    /// True means the same as `after_task` in `when`.
    #[serde(default)]
    pub(crate) after_task: bool,
}

/// The time at which the model gets a message.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum When {
    /// The running calls are stopped, and the model gets the message with their results.
    Now,
    /// With the next request, after the results of the running calls.
    AfterTurn,
    /// After the task, as the next task.
    AfterTask,
}

impl NewMessage {
    pub(crate) fn time(&self) -> MessageTime {
        match (self.when, self.after_task) {
            (Some(When::Now), _) => MessageTime::Now,
            (Some(When::AfterTask), _) | (None, true) => MessageTime::AfterTask,
            (Some(When::AfterTurn), _) | (None, false) => MessageTime::AfterTurn,
        }
    }
}

/// The token of a device.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Login {
    /// The token.
    pub(crate) token: String,
}

/// The device of a client.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Identity {
    /// Id of the device.
    pub(crate) device: String,
    /// Name of the device.
    pub(crate) name: String,
    /// The value of the header `x-windlass-csrf`, which each change by a browser needs.
    pub(crate) csrf: Option<String>,
}

/// A registered device.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DeviceValue {
    /// Id of the device.
    pub(crate) id: String,
    /// Name of the device.
    pub(crate) name: String,
    /// Time at which it was added, in milliseconds since 1970.
    pub(crate) added_ms: u64,
    /// True if the request came from this device.
    pub(crate) is_own: bool,
}

/// A session.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SessionValue {
    /// Id of the session.
    pub(crate) id: String,
    /// Its name.
    pub(crate) name: String,
    /// The folder in which it works.
    pub(crate) root: String,
    /// Name or address of the provider.
    pub(crate) provider: String,
    /// The model of the newest run.
    pub(crate) model: String,
    /// The work mode.
    pub(crate) mode: Option<String>,
    /// The autonomy.
    #[schemars(with = "String")]
    pub(crate) autonomy: Autonomy,
    /// `working`, `waiting`, `suspended`, `ended`, `stopped`, `failed` or `interrupted`.
    pub(crate) state: &'static str,
    /// Number of open questions.
    pub(crate) open_questions: usize,
    /// True if the run works in the process of this server.
    pub(crate) is_here: bool,
    /// Time of the start in milliseconds since 1970.
    pub(crate) created_ms: u64,
    /// Time of the last change in milliseconds since 1970.
    pub(crate) updated_ms: u64,
    /// Id of the session from which it was forked.
    pub(crate) forked_from: Option<String>,
    /// Ids of the runs, the oldest first.
    pub(crate) runs: Vec<String>,
    /// Tokens and cost of all runs.
    pub(crate) total: Tokens,
}

impl SessionValue {
    pub(crate) fn new(record: SessionRecord, is_here: bool) -> Self {
        let total = record.total();
        Self {
            root: record.root.display().to_string(),
            state: record.state.as_str(),
            open_questions: record.open_questions,
            runs: record.runs.into_iter().map(|run| run.id).collect(),
            id: record.id,
            name: record.name,
            provider: record.provider,
            model: record.model,
            mode: record.mode,
            autonomy: record.autonomy,
            is_here,
            created_ms: record.created_ms,
            updated_ms: record.updated_ms,
            forked_from: record.forked_from,
            total,
        }
    }
}

/// The run that a request started.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StartedRun {
    /// Id of the session.
    pub(crate) session: String,
    /// Id of the run.
    pub(crate) run: String,
}

/// The compaction of a conversation.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Compaction {
    /// Id of the run that compacts the conversation; missing if a working run does it before its next request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<String>,
}

/// Name of a model that the server can use.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ModelValue {
    /// Name of the provider.
    pub(crate) provider: String,
    /// The provider's name of the model.
    pub(crate) model: String,
    /// True for the model of new sessions.
    pub(crate) is_default: bool,
}

/// The settings of new sessions.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DefaultsValue {
    /// Name or address of the provider.
    pub(crate) provider: String,
    /// The provider's name of the model.
    pub(crate) model: String,
    /// The work mode.
    pub(crate) mode: Option<String>,
    /// The autonomy.
    #[schemars(with = "String")]
    pub(crate) autonomy: Autonomy,
}

/// State of the server.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Health {
    /// `ok`.
    pub(crate) status: &'static str,
    /// Version of the program.
    pub(crate) version: &'static str,
    /// Version of the feed.
    pub(crate) feed: u32,
}
