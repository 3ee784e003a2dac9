#![doc = include_str!("../SCRIPT.md")]

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use windlass_protocol::RawJson;

/// The provider's side of a conversation, as parsed from JSON. A
/// [`ScriptedModel`](crate::ScriptedModel) or a scripted server plays it.
///
/// ```
/// use windlass_mock::Script;
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
    /// The answers, in order. The number of assistant messages in a request selects its turn, so a retry or a
    /// resumed run gets the same answer again.
    pub turns: Vec<Turn>,
    /// The text of the answers after the last turn.
    #[serde(default = "default_fallback")]
    pub fallback: String,
    /// The text that precedes a turn which is tried again after a human denied its call; `{result}` is
    /// replaced with the call's result. If it is not set, the script ignores denials. Suitable for turns with
    /// one call.
    #[serde(default)]
    pub denied: Option<String>,
    /// The answers for other agents that use the same provider. The key is a text that occurs only in the
    /// requests of that agent, for example in its system prompt.
    #[serde(default)]
    pub parts: BTreeMap<String, Vec<Turn>>,
}

/// One answer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Turn {
    /// The parts of the answer, in order.
    pub steps: Vec<ScriptPart>,
    /// The stop reason. A reason that every provider has can be written in the spelling of any provider, and
    /// is converted to the spelling of the rendered format. Default: derived from whether the turn has calls.
    #[serde(default)]
    pub finish: Option<String>,
    /// The usage to report. Default: one token per four bytes.
    #[serde(default)]
    pub usage: Option<ScriptUsage>,
    /// The pause between two pieces, in milliseconds. A model without a server does not wait.
    #[serde(default)]
    pub delay_ms: u64,
    /// The number of characters in a delta. Default: 12.
    #[serde(default = "default_piece")]
    pub piece: usize,
    /// The fault of this turn.
    #[serde(default)]
    pub hostile: Option<Hostile>,
}

/// One part of an answer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ScriptPart {
    /// Reasoning.
    Reasoning(String),
    /// Text.
    Text(String),
    /// A call of a tool.
    Call(ScriptCall),
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ScriptCall {
    /// The name of the tool.
    pub name: String,
    /// The arguments: an object, which is sent with its text as written here, or a string, whose content is
    /// sent and need not be JSON.
    #[serde(default = "no_arguments")]
    pub arguments: RawJson,
    /// The id of the call. Default: `call_<turn>_<n>` or `toolu_<turn>_<n>`.
    #[serde(default)]
    pub id: Option<String>,
    /// True for a call with free text in place of arguments, which Chat and Responses have. A call of a tool that the
    /// request offers with free text is one, too. The text is the string in `arguments`, or its field `input`.
    #[serde(default)]
    pub custom: bool,
    /// The form of the tool in the request.
    #[serde(skip)]
    pub(crate) form: CallForm,
}

/// The form in which a request offers a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum CallForm {
    #[default]
    Plain,
    /// A function of this namespace of a Responses request.
    Namespaced(String),
    /// The search among tools that the client of a Responses request runs.
    Search,
}

/// The usage that a turn reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ScriptUsage {
    /// Number of tokens in the request.
    #[serde(default)]
    pub input: u64,
    /// Number of tokens in the answer.
    #[serde(default)]
    pub output: u64,
}

/// The fault of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Hostile {
    /// The kind of the fault.
    pub switch: Switch,
    /// The status for `status` (default: 500), and for `html` and `not_json` (default: 200).
    #[serde(default)]
    pub status: Option<u16>,
    /// The `Retry-After` header for `status`, in seconds.
    #[serde(default)]
    pub retry_after: Option<u64>,
    /// Number of bytes after which `cut`, `stall` and `error_mid_stream` happen. Default: 200.
    #[serde(default = "default_after_bytes")]
    pub after_bytes: usize,
    /// Number of requests for this turn that have the fault; later ones succeed. Default: all.
    #[serde(default)]
    pub times: Option<u32>,
    /// The parameter for `refuse_parameter`, as a path in the body: `temperature`,
    /// `generationConfig.temperature`. Default: `temperature`.
    #[serde(default)]
    pub parameter: Option<String>,
}

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Switch {
    /// The connection breaks in the middle of the answer.
    Cut,
    /// The answer starts and then stalls.
    Stall,
    /// The request is refused with a status.
    Status,
    /// A stream reports an error after a valid start and ends; a whole answer is an error object with status
    /// 200.
    ErrorMidStream,
    /// Every byte is sent separately.
    OneByte,
    /// The response is the HTML page of a proxy.
    Html,
    /// The response has status 200 and an empty body.
    Empty,
    /// An event, or the body, is not JSON.
    NotJson,
    /// A request with the parameter is refused in OpenAI's words; other requests are answered.
    RefuseParameter,
}

impl Script {
    /// Parses a script. Unknown fields are errors, so that a misspelled field is not ignored.
    ///
    /// # Errors
    /// The text is not a script; the message contains the position.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Returns the turn of a request with this number of assistant messages, or the fallback.
    pub fn turn(&self, assistant_messages: usize) -> Turn {
        match self.turns.get(assistant_messages) {
            Some(turn) => turn.clone(),
            None => Turn::new(vec![ScriptPart::Text(self.fallback.clone())]),
        }
    }
}

impl Script {
    /// Returns the script for the agent that made a request, recognised by the text of its body.
    pub(crate) fn select_for(&self, request: &Value) -> Cow<'_, Self> {
        if self.parts.is_empty() {
            return Cow::Borrowed(self);
        }
        let body = request.to_string();
        match self.parts.iter().find(|(words, _)| body.contains(words.as_str())) {
            Some((_, turns)) => Cow::Owned(Self { turns: turns.clone(), ..self.clone() }),
            None => Cow::Borrowed(self),
        }
    }

    /// Returns the turn of a request with this number of assistant messages and these results of denied
    /// calls. Repeats the turn of a denied call, preceded by a text if the last call was denied.
    pub(crate) fn turn_after(&self, assistant_messages: usize, denied: &[String], last_denied: bool) -> Turn {
        let Some(words) = &self.denied else { return self.turn(assistant_messages) };
        let mut turn = self.turn(assistant_messages.saturating_sub(denied.len()));
        if let (Some(result), true) = (denied.last(), last_denied) {
            let first_call = turn.steps.iter().position(|step| matches!(step, ScriptPart::Call(_)));
            turn.steps.drain(..first_call.unwrap_or(0));
            turn.steps.insert(0, ScriptPart::Text(words.replace("{result}", result)));
        }
        turn
    }
}

impl Hostile {
    /// Returns the parameter to refuse, `temperature` by default.
    pub(crate) fn parameter(&self) -> &str {
        self.parameter.as_deref().unwrap_or("temperature")
    }
}

impl Turn {
    /// Creates a turn of these steps, with the defaults of a script.
    pub fn new(steps: Vec<ScriptPart>) -> Self {
        Self { steps, finish: None, usage: None, delay_ms: 0, piece: default_piece(), hostile: None }
    }

    /// Returns the calls of this turn.
    pub fn calls(&self) -> impl Iterator<Item = &ScriptCall> {
        self.steps.iter().filter_map(|step| match step {
            ScriptPart::Call(call) => Some(call),
            ScriptPart::Text(_) | ScriptPart::Reasoning(_) => None,
        })
    }
}

impl ScriptCall {
    /// Creates a call with a derived id.
    pub fn new(name: impl Into<String>, arguments: RawJson) -> Self {
        Self { name: name.into(), arguments, id: None, custom: false, form: CallForm::Plain }
    }

    /// Returns the free text of a custom call.
    pub(crate) fn input_text(&self) -> String {
        match serde_json::from_str(self.arguments.as_str()) {
            Ok(Value::String(text)) => text,
            Ok(Value::Object(mut fields)) => match fields.remove("input") {
                Some(Value::String(text)) if fields.is_empty() => text,
                _ => self.arguments.as_str().to_owned(),
            },
            _ => self.arguments.as_str().to_owned(),
        }
    }

    /// Returns the text of the arguments as it is sent.
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
