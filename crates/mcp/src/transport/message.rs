//! JSON-RPC messages, parsed as far as the checks before the engine need.

use std::borrow::Cow;

use rmcp::model::ClientJsonRpcMessage;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::ledger::Ticket;

/// Maximum length of a request id that is sent back, in bytes.
const ID_BYTES: usize = 128;
/// Number of bytes kept of a server's error message.
const WORDS_BYTES: usize = 2_000;

/// JSON-RPC's error code for a method that is not available.
pub(crate) const NO_METHOD: i32 = -32601;

/// A message of a server. Parameters and results stay raw text.
#[derive(Debug)]
pub(crate) enum Message<'a> {
    Answer { id: Option<u64>, outcome: Result<&'a RawValue, ServerError> },
    Request { id: &'a RawValue, method: Cow<'a, str> },
    Notification { method: Cow<'a, str> },
}

/// A JSON-RPC error of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerError {
    pub(crate) code: i64,
    pub(crate) message: String,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ErrorBody<'a> {
    #[serde(default)]
    code: i64,
    #[serde(borrow, default)]
    message: Cow<'a, str>,
}

impl<'a> Message<'a> {
    /// Parses one message. Returns `None` for text that is not a JSON-RPC message.
    pub(crate) fn read(line: &'a [u8]) -> Option<Self> {
        if line.first() != Some(&b'{') {
            return None;
        }
        let envelope: Envelope<'a> = serde_json::from_slice(line).ok()?;
        match (envelope.method, envelope.id) {
            (Some(method), Some(id)) => {
                let begins_fit = |first: char| matches!(first, '"' | '-' | '0'..='9');
                let is_fit = id.get().len() <= ID_BYTES && id.get().starts_with(begins_fit);
                is_fit.then_some(Self::Request { id, method })
            }
            (Some(method), None) => Some(Self::Notification { method }),
            (None, id) => {
                let outcome = match (envelope.error, envelope.result) {
                    (Some(error), _) => Err(ServerError::read(error)),
                    (None, Some(result)) => Ok(result),
                    (None, None) => return None,
                };
                Some(Self::Answer { id: id.and_then(|id| id.get().parse().ok()), outcome })
            }
        }
    }
}

impl ServerError {
    fn read(raw: &RawValue) -> Self {
        let body = object(raw.get()).unwrap_or(ErrorBody { code: 0, message: raw.get().into() });
        let message = body.message.as_ref();
        let message = message.get(..message.floor_char_boundary(WORDS_BYTES)).unwrap_or_default().to_owned();
        Self { code: body.code, message }
    }
}

/// Parses an object. Serde would also accept an array, with its elements as members.
pub(crate) fn object<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, serde_json::Error> {
    if json.starts_with('{') {
        serde_json::from_str(json)
    } else {
        Err(serde::de::Error::custom("it is not an object"))
    }
}

/// Serializes a message as one line. The arguments of a call are inserted as the model's raw text, because
/// parsed numbers would lose digits (RULES J4).
pub(crate) fn line(message: &ClientJsonRpcMessage) -> Result<Vec<u8>, serde_json::Error> {
    let mut whole = serde_json::to_value(message)?;
    let Some(arguments) = Ticket::find(message).and_then(Ticket::arguments) else {
        return Ok(whole.to_string().into());
    };
    let params = whole.as_object_mut().and_then(|whole| whole.remove("params")).unwrap_or_else(|| json!({}));
    // White space in the raw JSON may contain line ends, which would end the message.
    let arguments = arguments.get().replace(['\n', '\r'], " ");
    let params = with_member(&params, "arguments", &arguments);
    Ok(with_member(&whole, "params", &params).into())
}

/// Returns a JSON-RPC error with this id in place of its own. Returns `None` for other texts.
pub(crate) fn with_id(text: &[u8], id: u64) -> Option<String> {
    match Message::read(text.trim_ascii())? {
        Message::Answer { outcome: Err(_), .. } => {}
        _ => return None,
    }
    let mut whole: Value = serde_json::from_slice(text).ok()?;
    whole.as_object_mut()?.insert("id".to_owned(), id.into());
    whole.as_object_mut()?.insert("jsonrpc".to_owned(), "2.0".into());
    Some(whole.to_string())
}

/// Returns the refusal of a server's request, as JSON text.
pub(crate) fn refusal(id: &RawValue, code: i32, message: &str) -> Vec<u8> {
    let refusal = json!({"jsonrpc": "2.0", "error": {"code": code, "message": message}});
    with_member(&refusal, "id", id.get()).into()
}

/// Returns an object's JSON text with one more member, whose value is raw JSON.
fn with_member(object: &Value, name: &str, raw: &str) -> String {
    let mut text = object.to_string();
    text.pop();
    let comma = if text.len() > 1 { "," } else { "" };
    format!("{text}{comma}\"{name}\":{raw}}}")
}
