//! Checks a server's messages before the engine reads them: skips invalid ones and replies to no request,
//! refuses requests that are not offered, and routes raw results to their callers.

use std::sync::Arc;

use rmcp::model::{
    ErrorCode, ErrorData, NumberOrString, ProgressNotificationParam, ServerJsonRpcMessage, ServerResult,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::ledger::{AnswerReceiver, Ledger};
use super::message::{self, Message, NO_METHOD, ServerError};
use crate::failure::Failure;

/// Number of bytes kept of a progress message.
const WORD_BYTES: usize = 500;

/// The check of one server's messages.
#[derive(Clone)]
pub(crate) struct Intake(pub(crate) Arc<Ledger>);

#[derive(Deserialize)]
struct ProgressParams {
    params: ProgressNotificationParam,
}

/// The outcome of a checked message.
pub(crate) enum PassedMessage {
    /// A message for the engine.
    Engine(Box<ServerJsonRpcMessage>),
    /// A refusal, as JSON text to send to the server.
    Refuse(Vec<u8>),
}

impl Intake {
    /// Checks one message. Returns `None` if the message was skipped or needs no further handling.
    pub(crate) fn check(&self, text: &[u8]) -> Option<PassedMessage> {
        match Message::read(text) {
            None => {
                self.0.lock_skip_counts().lines += 1;
                None
            }
            Some(Message::Answer { id, outcome }) => self.check_answer(id, outcome, text),
            Some(Message::Request { id, method }) => Some(self.check_request(id, method.as_ref(), text)),
            Some(Message::Notification { method }) => {
                match method.as_ref() {
                    "notifications/tools/list_changed" => self.0.lists_changed(),
                    // Progress bypasses the engine, so that it cannot arrive after the answer.
                    "notifications/progress" => self.progress(text),
                    _ => {}
                }
                engine(text)
            }
        }
    }

    fn check_answer(
        &self,
        id: Option<u64>,
        outcome: Result<&RawValue, ServerError>,
        text: &[u8],
    ) -> Option<PassedMessage> {
        let ledger = &self.0;
        let reply = || outcome.clone().map(ToOwned::to_owned).map_err(Failure::Server);
        match ledger.answer(id, reply) {
            AnswerReceiver::Nobody => return None,
            AnswerReceiver::Caller => return id.and_then(empty_result),
            AnswerReceiver::Engine => {}
        }
        if let (Some(id), Ok(result)) = (id, &outcome)
            && ledger.is_stateless()
            && is_empty(result)
        {
            return unknown_method(id);
        }
        if outcome.is_ok() {
            ledger.record_greeting();
        }
        outcome.ok().and_then(complete_introduction).map_or_else(
            || engine(text),
            |result| {
                let whole = json!({"jsonrpc": "2.0", "id": id, "result": result});
                engine(whole.to_string().as_bytes())
            },
        )
    }

    /// Passes a request of the server to the engine, or refuses it.
    fn check_request(&self, id: &RawValue, method: &str, text: &[u8]) -> PassedMessage {
        let refusal = if self.0.is_stateless() {
            // Since 2026-07-28 servers cannot send requests.
            "servers cannot send requests in this protocol version"
        } else if !self.0.is_greeted() && method != "ping" {
            // Before the handshake the engine reads only pings, and would leave other requests unanswered.
            "not before initialize"
        } else if let Some(passed) = engine(text) {
            return passed;
        } else {
            "this client does not support this request"
        };
        self.0.lock_skip_counts().refused += 1;
        PassedMessage::Refuse(message::refusal(id, NO_METHOD, refusal))
    }

    fn progress(&self, text: &[u8]) {
        if let Ok(ProgressParams { params }) = serde_json::from_slice(text) {
            self.0.progress(&params.progress_token.0, word(&params));
        }
    }

    /// Handles a message that was too long to buffer: fails its request, if its id was found.
    pub(crate) fn take_long(&self, id: Option<u64>, bytes: u64, head: &[u8]) -> Option<PassedMessage> {
        self.0.lock_skip_counts().too_long += 1;
        id?;
        let head = || String::from_utf8_lossy(head).into_owned();
        match self.0.answer(id, || Err(Failure::TooLong { read: Some((bytes, head())) })) {
            AnswerReceiver::Nobody => None,
            AnswerReceiver::Engine | AnswerReceiver::Caller => id.and_then(empty_result),
        }
    }
}

/// Returns a progress notification as a short text.
fn word(progress: &ProgressNotificationParam) -> String {
    let mut word = progress.progress.to_string();
    if let Some(total) = progress.total {
        word = format!("{word} of {total}");
    }
    if let Some(message) = &progress.message {
        let head = message.get(..message.floor_char_boundary(WORD_BYTES)).unwrap_or_default();
        word = format!("{word}: {}", windlass_hitl::display_safe(head));
    }
    word
}

/// Returns an empty result for the engine; the caller has the raw result already.
fn empty_result(id: u64) -> Option<PassedMessage> {
    let id = NumberOrString::Number(i64::try_from(id).ok()?);
    let message = ServerJsonRpcMessage::response(ServerResult::empty(()), id);
    Some(PassedMessage::Engine(Box::new(message)))
}

/// Returns whether a result has no members. Some older servers answer each method that they do not know with
/// such a result.
fn is_empty(result: &RawValue) -> bool {
    let members = message::object::<Map<String, Value>>(result.get());
    members.is_ok_and(|members| members.is_empty())
}

/// Returns the error of an unknown method for the engine.
fn unknown_method(id: u64) -> Option<PassedMessage> {
    let id = NumberOrString::Number(i64::try_from(id).ok()?);
    let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "the server answered with an empty result", None);
    Some(PassedMessage::Engine(Box::new(ServerJsonRpcMessage::error(error, Some(id)))))
}

fn engine(text: &[u8]) -> Option<PassedMessage> {
    serde_json::from_slice(text).ok().map(|message| PassedMessage::Engine(Box::new(message)))
}

/// Maximum number of versions that are read from a `server/discover` result.
const VERSIONS: usize = 32;

/// Returns a server's `initialize` or `server/discover` result with the members that the engine requires and
/// small servers omit.
fn complete_introduction(raw: &RawValue) -> Option<Value> {
    let mut result: Map<String, Value> = message::object(raw.get()).ok()?;
    if result.get("resultType").is_some_and(|kind| kind != "complete") {
        // The engine reads only results with this member.
        result.remove("supportedVersions");
        return Some(result.into());
    }
    if let Some(versions) = result.get_mut("supportedVersions").and_then(Value::as_array_mut) {
        versions.truncate(VERSIONS);
        if result.get("ttlMs").and_then(Value::as_u64).is_none() {
            result.insert("ttlMs".to_owned(), 0.into());
        }
        for (member, value) in [
            ("resultType", "complete".into()),
            ("capabilities", json!({})),
            // The engine could share a public result with other users.
            ("cacheScope", "private".into()),
        ] {
            result.entry(member).or_insert(value);
        }
        return Some(result.into());
    }
    result.get("protocolVersion")?;
    result.entry("capabilities").or_insert_with(|| json!({}));
    let server = result.entry("serverInfo").or_insert_with(|| json!({}));
    for member in ["name", "version"] {
        if let Some(server) = server.as_object_mut() {
            server.entry(member).or_insert_with(|| "".into());
        }
    }
    Some(result.into())
}
