//! What a scripted provider says, turn by turn, as JSON.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use windlass_protocol::RawJson;

/// A provider's side of a conversation.
///
/// ```
/// use windlass_testkit::script::Script;
/// let script = Script::parse(r#"{
///     "turns": [
///         {"steps": [{"text": "I look."}, {"call": {"name": "read_file", "arguments": {"path": "a.txt"}}}]},
///         {"steps": [{"text": "It is empty."}], "piece": 4}
///     ],
///     "fallback": "Nothing more."
/// }"#)?;
/// assert_eq!(script.turn(0).steps.len(), 2);
/// assert_eq!(script.turn(9).steps.len(), 1);
/// assert!(Script::parse(r#"{"turns": [], "fall_back": "a typing error"}"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Script {
    /// What is said, in order. The turn of a request is the number of assistant messages in it, so that a
    /// retry or a resumed run meets the same words again.
    pub turns: Vec<Turn>,
    /// What is said when the turns are over.
    #[serde(default = "default_fallback")]
    pub fallback: String,
    /// What is said, before the same turn is tried again, when a human has denied its call; `{result}` stands for the
    /// call's result. Without it the script goes on as if nothing was denied. For turns of one call.
    #[serde(default)]
    pub denied: Option<String>,
    /// What other agents say that run on the same provider: by words that stand in their requests and in no other's, as
    /// those of a system prompt.
    #[serde(default)]
    pub parts: BTreeMap<String, Vec<Turn>>,
}

/// One answer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Turn {
    /// The answer's parts, in order.
    pub steps: Vec<Step>,
    /// The reason for the stop, in either provider's word; words that both have are translated. Without it,
    /// it follows from whether there are calls.
    #[serde(default)]
    pub finish: Option<String>,
    /// The tokens to report. Without it, a quarter of the bytes.
    #[serde(default)]
    pub usage: Option<ScriptUsage>,
    /// The pause between two pieces, in milliseconds. A model without a server does not wait.
    #[serde(default)]
    pub delay_ms: u64,
    /// How many characters a delta has.
    #[serde(default = "default_piece")]
    pub piece: usize,
    /// How this turn goes wrong.
    #[serde(default)]
    pub hostile: Option<Hostile>,
}

/// One part of an answer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Step {
    /// Thoughts.
    Reasoning(String),
    /// Words.
    Text(String),
    /// A call of a tool.
    Call(ScriptCall),
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ScriptCall {
    /// The tool's name.
    pub name: String,
    /// The arguments: an object, whose text is sent as it is written here, or a string, whose content is sent
    /// and need not be JSON.
    #[serde(default = "no_arguments")]
    pub arguments: RawJson,
    /// The call's id. Without it, `call_<turn>_<n>` or `toolu_<turn>_<n>`.
    #[serde(default)]
    pub id: Option<String>,
}

/// The tokens that a turn reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ScriptUsage {
    /// Tokens of the request.
    #[serde(default)]
    pub input: u64,
    /// Tokens of the answer.
    #[serde(default)]
    pub output: u64,
}

/// How a turn goes wrong.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Hostile {
    /// What happens.
    pub switch: Switch,
    /// The status of `status` (500 if not given), `html` and `not_json` (200 if not given).
    #[serde(default)]
    pub status: Option<u16>,
    /// The `Retry-After` header of `status`, in seconds.
    #[serde(default)]
    pub retry_after: Option<u64>,
    /// After how many bytes `cut`, `stall` and `error_mid_stream` happen.
    #[serde(default = "default_after_bytes")]
    pub after_bytes: usize,
    /// It happens to so many requests of this turn, and then no more. Without it, always.
    #[serde(default)]
    pub times: Option<u32>,
    /// The parameter of `refuse_parameter`, by its path in the body: `temperature`, `generationConfig.temperature`. Without it,
    /// `temperature`.
    #[serde(default)]
    pub parameter: Option<String>,
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Switch {
    /// The connection breaks in mid-answer.
    Cut,
    /// The answer begins, and then nothing comes.
    Stall,
    /// The request is refused with a status.
    Status,
    /// A stream that began well reports an error and ends; a whole answer is an error object with status 200.
    ErrorMidStream,
    /// Every byte comes alone.
    OneByte,
    /// A proxy's page instead of an answer.
    Html,
    /// Status 200 and no bytes.
    Empty,
    /// An event, or a body, that is not JSON.
    NotJson,
    /// A request that has the parameter is refused, in the words that OpenAI has for it; others are answered.
    RefuseParameter,
}

impl Script {
    /// Reads a script. Unknown fields are errors, so that a typing error is not a silent pass.
    ///
    /// # Errors
    /// If the text is not a script; the message says where.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The turn of a request with so many assistant messages, or the fallback.
    pub fn turn(&self, assistant_messages: usize) -> Turn {
        match self.turns.get(assistant_messages) {
            Some(turn) => turn.clone(),
            None => Turn {
                steps: vec![Step::Text(self.fallback.clone())],
                finish: None,
                usage: None,
                delay_ms: 0,
                piece: default_piece(),
                hostile: None,
            },
        }
    }
}

impl Script {
    /// The script of whoever made a request, by the words of its body.
    pub(crate) fn played_to(&self, request: &Value) -> Cow<'_, Self> {
        if self.parts.is_empty() {
            return Cow::Borrowed(self);
        }
        let body = request.to_string();
        match self.parts.iter().find(|(words, _)| body.contains(words.as_str())) {
            Some((_, turns)) => Cow::Owned(Self { turns: turns.clone(), ..self.clone() }),
            None => Cow::Borrowed(self),
        }
    }

    /// The turn of a request with so many assistant messages and these results of denied calls. The turn of a denied
    /// call is tried again, with words about it where the last call was denied.
    pub(crate) fn turn_after(&self, assistant_messages: usize, denied: &[String], last_denied: bool) -> Turn {
        let Some(words) = &self.denied else { return self.turn(assistant_messages) };
        let mut turn = self.turn(assistant_messages.saturating_sub(denied.len()));
        if let (Some(result), true) = (denied.last(), last_denied) {
            let first_call = turn.steps.iter().position(|step| matches!(step, Step::Call(_)));
            turn.steps.drain(..first_call.unwrap_or(0));
            turn.steps.insert(0, Step::Text(words.replace("{result}", result)));
        }
        turn
    }
}

impl Hostile {
    /// The parameter that is refused; without one it is the temperature.
    pub(crate) fn parameter(&self) -> &str {
        self.parameter.as_deref().unwrap_or("temperature")
    }
}

impl Turn {
    /// The calls of this turn.
    pub fn calls(&self) -> impl Iterator<Item = &ScriptCall> {
        self.steps.iter().filter_map(|step| match step {
            Step::Call(call) => Some(call),
            Step::Text(_) | Step::Reasoning(_) => None,
        })
    }
}

impl ScriptCall {
    /// The text of the arguments as it is sent.
    pub fn arguments_text(&self) -> String {
        serde_json::from_str(self.arguments.as_str()).unwrap_or_else(|_| self.arguments.as_str().to_owned())
    }
}

fn default_fallback() -> String {
    "The script is over.".to_owned()
}

fn default_piece() -> usize {
    12
}

fn default_after_bytes() -> usize {
    200
}

fn no_arguments() -> RawJson {
    RawJson::from(&serde_json::json!({}))
}
