//! The messages of JSON-RPC, as far as MCP over a pipe needs them.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The longest id of a server's request that is sent back.
const ID_BYTES: usize = 128;
/// How much of a server's words about an error is kept.
const WORDS_BYTES: usize = 2_000;

/// No such method, as JSON-RPC has it.
pub(crate) const NO_METHOD: i32 = -32601;

/// A message of a server. Values inside are text still: nothing is built of them before it is wanted.
#[derive(Debug)]
pub(crate) enum Message<'a> {
    Answer { id: Option<u64>, outcome: Result<&'a RawValue, ServerError> },
    Request { id: &'a RawValue, method: Cow<'a, str>, params: Option<&'a RawValue> },
    Notification { method: Cow<'a, str> },
}

/// What a server says instead of a result.
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
    params: Option<&'a RawValue>,
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
    /// Reads one line; nothing for what is no message.
    pub(crate) fn read(line: &'a [u8]) -> Option<Self> {
        if line.first() != Some(&b'{') {
            return None;
        }
        let envelope: Envelope<'a> = serde_json::from_slice(line).ok()?;
        match (envelope.method, envelope.id) {
            (Some(method), Some(id)) => {
                let begins_fit = |first: char| matches!(first, '"' | '-' | '0'..='9');
                let is_fit = id.get().len() <= ID_BYTES && id.get().starts_with(begins_fit);
                is_fit.then_some(Self::Request { id, method, params: envelope.params })
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

/// Reads a value of a server that has to be an object: serde would take the members of an array for those of one.
pub(crate) fn object<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, serde_json::Error> {
    if json.starts_with('{') {
        serde_json::from_str(json)
    } else {
        Err(serde::de::Error::custom("it is no object"))
    }
}

/// A request as a line.
pub(crate) fn request(id: u64, method: &str, params: &RawValue) -> Vec<u8> {
    line(&json!({"jsonrpc": "2.0", "id": id, "method": method}), Some(("params", params)))
}

/// A notification as a line.
pub(crate) fn notification(method: &str, params: &Value) -> Vec<u8> {
    line(&json!({"jsonrpc": "2.0", "method": method, "params": params}), None)
}

/// An answer to a server's request as a line.
pub(crate) fn answer(id: &RawValue, result: &Value) -> Vec<u8> {
    line(&json!({"jsonrpc": "2.0", "result": result}), Some(("id", id)))
}

/// A refusal of a server's request as a line.
pub(crate) fn refusal(id: &RawValue, code: i32, message: &str) -> Vec<u8> {
    line(&json!({"jsonrpc": "2.0", "error": {"code": code, "message": message}}), Some(("id", id)))
}

/// An object with one more member that is text already.
fn line(object: &Value, member: Option<(&str, &RawValue)>) -> Vec<u8> {
    let mut text = object.to_string();
    if let Some((name, raw)) = member {
        text.pop();
        // JSON's white space may hold line ends; they would end the message.
        let raw = raw.get().replace(['\n', '\r'], " ");
        text = format!("{text},\"{name}\":{raw}}}");
    }
    text.push('\n');
    text.into_bytes()
}
