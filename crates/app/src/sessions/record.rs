//! The record of a session.

use std::path::PathBuf;

use serde::de::IntoDeserializer as _;
use serde::de::value::{Error as ValueError, StrDeserializer};
use serde::{Deserialize, Serialize};

use crate::config::{Autonomy, RunSettings, ToolPreset};
use crate::feed::{RunOutcome, Tokens};

/// Bytes of a task that become the name of its session.
const NAME_BYTES: usize = 60;

/// Session: a conversation, which is an ordered list of runs on one history. It has the id of its first run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionRecord {
    /// Id of the session, which is the id of its first run.
    pub id: String,
    /// The name: the first words of the first task, until a person renames the session.
    pub name: String,
    /// The folder in which the session works.
    pub root: PathBuf,
    /// The provider of the newest run: its name or its host.
    pub provider: String,
    /// The model of the newest run.
    pub model: String,
    /// The work mode with which the newest run started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The autonomy of the newest run.
    pub autonomy: Autonomy,
    /// The tools of the newest run.
    pub preset: ToolPreset,
    /// The state.
    pub state: SessionState,
    /// Number of open questions.
    #[serde(default)]
    pub open_questions: usize,
    /// Start of the first run, in milliseconds since 1970.
    pub created_ms: u64,
    /// Time of the last change, in milliseconds since 1970.
    pub updated_ms: u64,
    /// The session from which this one was forked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<String>,
    /// The runs, the oldest first.
    pub runs: Vec<RunEntry>,
    /// True if the session was found as a run without a session. Its state is read from the run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_found: bool,
    /// The last change of the journal from which the state of a found session was read, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_ms: Option<u64>,
}

/// Run of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunEntry {
    /// Id of the run.
    pub id: String,
    /// The run that this run continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The number of the run's first event in the feed of the session.
    pub first_seq: u64,
    /// The run's tokens and cost.
    #[serde(default)]
    pub total: Tokens,
    /// Id of the newest start of the run: of the process that began it or resumed it. Runs of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
}

/// State of a session, which is the state of its newest run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SessionState {
    /// A process works on the run.
    Working,
    /// A process works on the run, and a person is asked.
    Waiting,
    /// The run waits for answers or results, and no process works on it.
    Suspended,
    /// The task is done.
    Ended,
    /// The run stopped before the task was done.
    Stopped,
    /// The run failed.
    Failed,
    /// The process that worked on the run was killed. The run can be resumed.
    Interrupted,
}

impl SessionState {
    /// Returns the name of the state, as it is serialized.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Waiting => "waiting",
            Self::Suspended => "suspended",
            Self::Ended => "ended",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }

    /// Returns the state with a name, or `None` if this version does not know it.
    pub fn from_name(name: &str) -> Option<Self> {
        let name: StrDeserializer<'_, ValueError> = name.into_deserializer();
        Self::deserialize(name).ok()
    }

    /// Returns true if, by the record, a process works on the session.
    pub fn is_active(self) -> bool {
        matches!(self, Self::Working | Self::Waiting)
    }
}

impl From<&RunOutcome> for SessionState {
    fn from(outcome: &RunOutcome) -> Self {
        match outcome {
            RunOutcome::Completed { .. } => Self::Ended,
            RunOutcome::Stopped { .. } => Self::Stopped,
            RunOutcome::Suspended { .. } => Self::Suspended,
            RunOutcome::Failed { .. } => Self::Failed,
        }
    }
}

impl SessionRecord {
    /// Creates the record of a session whose first run has these settings.
    pub(crate) fn new(run: &str, settings: &RunSettings, now_ms: u64) -> Self {
        let mut record = Self {
            id: run.to_owned(),
            name: name_of(&settings.task),
            root: settings.root.clone(),
            provider: String::new(),
            model: String::new(),
            mode: None,
            autonomy: settings.autonomy,
            preset: settings.preset,
            state: SessionState::Working,
            open_questions: 0,
            created_ms: now_ms,
            updated_ms: now_ms,
            forked_from: None,
            runs: Vec::new(),
            is_found: false,
            read_ms: None,
        };
        record.add_run(run, settings, None, 1);
        record
    }

    /// Adds a run with these settings.
    pub(crate) fn add_run(
        &mut self,
        run: &str,
        settings: &RunSettings,
        parent: Option<String>,
        first_seq: u64,
    ) {
        let provider = &settings.provider;
        // An address can contain a password.
        let name = provider.name.clone().or_else(|| provider.base_url.as_deref().map(host_of));
        self.provider = name.unwrap_or_default();
        self.model.clone_from(&provider.model);
        self.mode.clone_from(&settings.offering.mode);
        self.autonomy = settings.autonomy;
        self.preset = settings.preset;
        let total = Tokens::default();
        self.runs.push(RunEntry { id: run.to_owned(), parent, first_seq, total, start: None });
    }

    /// Notes that a process starts or resumes the newest run.
    pub(crate) fn set_start(&mut self, start: &str) {
        if let Some(run) = self.runs.last_mut() {
            run.start = Some(start.to_owned());
        }
    }

    /// Returns true if, by the record, a process works on the session or a question is open.
    pub fn is_open(&self) -> bool {
        self.state.is_active() || self.open_questions > 0
    }

    /// Returns the tokens and the cost of all runs.
    pub fn total(&self) -> Tokens {
        self.runs.iter().fold(Tokens::default(), |mut total, run| {
            total.add(&run.total);
            total
        })
    }

    /// Returns the newest run.
    pub fn newest_run(&self) -> Option<&RunEntry> {
        self.runs.last()
    }
}

/// Returns the host and the port of an address.
fn host_of(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let place = rest.split(['/', '?', '#']).next().unwrap_or_default();
    place.rsplit_once('@').map_or(place, |(_, host)| host).to_owned()
}

/// Returns the first words of a task as the name of a session.
fn name_of(task: &str) -> String {
    let line = task.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    if line.len() <= NAME_BYTES {
        return line.to_owned();
    }
    let cut = line.get(..line.floor_char_boundary(NAME_BYTES)).unwrap_or_default();
    let words = cut.rsplit_once(char::is_whitespace).map_or(cut, |(words, _)| words);
    format!("{words} …")
}

#[cfg(test)]
mod tests {
    use super::{host_of, name_of};

    #[test]
    fn the_password_of_an_address_is_left_out() {
        assert_eq!(host_of("http://me:secret@127.0.0.1:80/v1"), "127.0.0.1:80");
        assert_eq!(host_of("https://api.example?key=x"), "api.example");
        assert_eq!(host_of("me:se@cret@host"), "host");
    }

    #[test]
    fn a_name_is_the_first_words_of_the_task() {
        assert_eq!(name_of("\n  make the tests pass \nplease"), "make the tests pass");
        assert_eq!(name_of(""), "");
        let long = name_of(&"größer ".repeat(30));
        assert!(long.len() <= 66 && long.ends_with("größer …"), "{long}");
        assert!(name_of(&"x".repeat(200)).len() <= 66);
    }
}
