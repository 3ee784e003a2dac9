//! A script for a provider: what it answers, turn by turn, and how it misbehaves.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a scripted provider answers. The turn is chosen by the number of assistant messages in the request, so
/// a request that is sent again, also by another process, gets the same answer.
///
/// ```
/// use windlass_testkit::script::Script;
/// let script = Script::parse(r#"{"turns": [
///     {"steps": [{"text": "I look."}, {"call": {"name": "read_file", "arguments": {"path": "a"}}}], "piece": 5},
///     {"steps": [{"text": "done"}], "hostile": {"switch": "status", "status": 429, "retry_after": 1, "times": 1}}
/// ]}"#)?;
/// assert_eq!(script.turns.len(), 2);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Script {
    /// The answers, in order.
    pub turns: Vec<Turn>,
    /// What is said when the script is over.
    #[serde(default = "over")]
    pub fallback: String,
}

/// One answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Turn {
    /// What the answer holds, in order.
    pub steps: Vec<Step>,
    /// The provider's word for why it stopped; by default what fits the steps.
    pub finish: Option<String>,
    /// The tokens that are told.
    pub usage: Tokens,
    /// How many characters one delta has; by default 24.
    pub piece: Option<usize>,
    /// The pause before each delta, in milliseconds.
    pub delay_ms: u64,
    /// How the provider misbehaves.
    pub hostile: Option<Hostile>,
}

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Step {
    /// Words.
    Text(String),
    /// Thoughts.
    Reasoning(String),
    /// A call.
    Call(ScriptedCall),
}

/// A call of the script.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ScriptedCall {
    /// The tool.
    pub name: String,
    /// The arguments: JSON, or a text that is sent as it is, valid or not.
    #[serde(default)]
    pub arguments: Value,
    /// The id; by default one that is made of turn and place.
    #[serde(default)]
    pub id: Option<String>,
}

/// Tokens of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Tokens {
    /// Of the request.
    pub input: u64,
    /// Of the answer.
    pub output: u64,
}

/// How a provider misbehaves in a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Hostile {
    /// In which way.
    pub switch: Switch,
    /// For `cut` and `stall`: after how many bytes of the body.
    #[serde(default)]
    pub after_bytes: usize,
    /// For `status`: which.
    #[serde(default)]
    pub status: Option<u16>,
    /// For `status`: the wait that is asked for, in seconds.
    #[serde(default)]
    pub retry_after: Option<u64>,
    /// For the first so many requests of the turn only; for all of them by default.
    #[serde(default)]
    pub times: Option<u32>,
}

/// A way to misbehave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Switch {
    /// The connection closes in mid-answer.
    Cut,
    /// Nothing more comes, and the connection stays open.
    Stall,
    /// A status that is not 200, in the provider's error form.
    Status,
    /// An error event in the middle of the stream.
    ErrorMidStream,
    /// One byte at a time.
    OneByte,
    /// An HTML page with status 200.
    Html,
    /// Status 200 and no bytes.
    Empty,
    /// Status 200 and a body that is not JSON.
    NotJson,
}

fn over() -> String {
    "The script is over.".to_owned()
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// If it is not JSON, or has a key that no script has.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The answer of a turn, from 0.
    pub(crate) fn turn(&self, number: usize) -> Turn {
        self.turns
            .get(number)
            .cloned()
            .unwrap_or_else(|| Turn { steps: vec![Step::Text(self.fallback.clone())], ..Turn::default() })
    }
}

impl Turn {
    pub(crate) fn has_calls(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Call(_)))
    }

    /// A text in the deltas of the turn.
    pub(crate) fn deltas(&self, text: &str) -> Vec<String> {
        let characters: Vec<char> = text.chars().collect();
        characters.chunks(self.piece.unwrap_or(24).max(1)).map(|piece| piece.iter().collect()).collect()
    }
}

impl ScriptedCall {
    /// The text of the arguments as a model would write it.
    pub(crate) fn text(&self) -> String {
        match &self.arguments {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        }
    }
}
