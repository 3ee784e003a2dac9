//! Requests in several rounds (2026-07-28): a result can require input, and the client repeats the request
//! with the answers. A round carries the questions that servers of older versions send as requests of their
//! own.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rmcp::model::ClientRequest;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use windlass_hitl::display_safe;

use super::connection::{Connection, Wait};
use crate::failure::Failure;
use crate::protocol_fault::ProtocolFault;
use crate::transport::ledger::{CallBody, Reply};
use crate::transport::message::object;

/// Maximum number of rounds of input for one request.
const ROUNDS: usize = 8;
/// Maximum number of questions of one round.
const QUESTIONS: usize = 8;
/// Maximum length of the state that a server receives back, in bytes.
const STATE_BYTES: usize = 256 * 1024;
/// Maximum length of a question with its key, in bytes. Each kind of question has its own, smaller limit.
const QUESTION_BYTES: usize = 128 * 1024;
/// Number of bytes of an unknown type or method that are kept for the error.
const WORD_BYTES: usize = 64;

/// The type of results that end a request, and of those that require input.
const COMPLETE: &str = "complete";
const INPUT_REQUIRED: &str = "input_required";

/// The answers of a round, for the repeated request.
#[derive(Debug, Default)]
pub(crate) struct RoundInput {
    /// The answers by the server's keys, or `None` in the first round and after a round without questions.
    pub(crate) responses: Option<BTreeMap<String, Value>>,
    /// The server's state, sent back unchanged.
    pub(crate) state: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResultHead<'a> {
    #[serde(borrow, default)]
    result_type: Option<Cow<'a, str>>,
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input_requests: Option<&'a RawValue>,
    #[serde(default)]
    request_state: Option<String>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow, default, rename = "io.modelcontextprotocol/serverInfo")]
    server: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ServerName {
    name: String,
}

#[derive(Deserialize)]
struct InputRequest {
    method: String,
    #[serde(default)]
    params: Value,
}

/// The questions of a round.
#[derive(Debug)]
struct WantedInput {
    questions: Vec<(String, String, Value)>,
    state: Option<String>,
}

impl Connection {
    /// Sends a request that the server answers without further input.
    pub(crate) async fn request(&self, request: impl Into<ClientRequest>, wait: Wait<'_>) -> Reply {
        let reply = self.exchange(request, CallBody::default(), wait).await?;
        match self.read_result(&reply).map_err(Failure::Fault)? {
            None => Ok(reply),
            Some(_) => Err(Failure::Fault(ProtocolFault::UnexpectedInput)),
        }
    }

    /// Sends a request, and repeats it with the answers while the server requires input. The time in which a
    /// human or a model answers has no limit here; the number of rounds has.
    pub(crate) async fn request_in_rounds(
        &self,
        build: impl Fn(RoundInput) -> ClientRequest,
        body: &CallBody,
        wait: Wait<'_>,
    ) -> Reply {
        let mut input = RoundInput::default();
        for _ in 0..=ROUNDS {
            let reply = self.exchange(build(input), body.clone(), wait).await?;
            let Some(wanted) = self.read_result(&reply).map_err(Failure::Fault)? else { return Ok(reply) };
            input = tokio::select! {
                input = self.answer(wanted) => input.map_err(Failure::Fault)?,
                () = wait.stop.cancelled() => return Err(Failure::Cancelled),
                () = self.ledger().end_token().cancelled() => return Err(Failure::Gone),
            };
        }
        Err(Failure::Fault(ProtocolFault::Rounds(ROUNDS)))
    }

    /// Returns the questions of a result, or `None` if the result is complete. Older versions have complete
    /// results only.
    fn read_result(&self, raw: &RawValue) -> Result<Option<WantedInput>, ProtocolFault> {
        if !self.ledger().is_stateless() {
            return Ok(None);
        }
        // The reader of the result reports a result that is not an object.
        let Ok(head) = object::<ResultHead<'_>>(raw.get()) else { return Ok(None) };
        if let Some(meta) = head.meta {
            self.check_identity(meta)?;
        }
        match head.result_type.as_deref() {
            None | Some(COMPLETE) => Ok(None),
            Some(INPUT_REQUIRED) => WantedInput::read(&head).map(Some),
            Some(other) => Err(ProtocolFault::UnknownResult(word(other))),
        }
    }

    /// Checks that the server has the name of its `server/discover` result. The version is not compared, because a
    /// deployment can change it.
    fn check_identity(&self, meta: &RawValue) -> Result<(), ProtocolFault> {
        let named = object::<Meta<'_>>(meta.get()).ok().and_then(|meta| meta.server);
        let named = named.and_then(|server| object::<ServerName>(server.get()).ok());
        let known = self.server().and_then(|server| server.server_info.clone());
        match (named, known) {
            (Some(named), Some(known)) if named.name != known.name => Err(ProtocolFault::Identity),
            _ => Ok(()),
        }
    }

    /// Answers the questions one after the other. A second request waits until the first is answered, because
    /// a server can ask one question at a time.
    async fn answer(&self, wanted: WantedInput) -> Result<RoundInput, ProtocolFault> {
        let _turn = self.turn().lock().await;
        let mut responses = BTreeMap::new();
        for (key, method, params) in wanted.questions {
            let answer = self.handler().answer_input(&method, params).await;
            let answer = answer.ok_or_else(|| ProtocolFault::InputRefused(word(&method)))?;
            responses.insert(key, answer);
        }
        Ok(RoundInput { responses: (!responses.is_empty()).then_some(responses), state: wanted.state })
    }
}

impl WantedInput {
    fn read(head: &ResultHead<'_>) -> Result<Self, ProtocolFault> {
        if head.request_state.as_ref().is_some_and(|state| state.len() > STATE_BYTES) {
            return Err(ProtocolFault::InputLimit("the length of its state"));
        }
        let raw = head.input_requests.map_or("{}", RawValue::get);
        let wanted: BTreeMap<String, &RawValue> =
            object(raw).map_err(|_| ProtocolFault::UnknownResult(INPUT_REQUIRED.to_owned()))?;
        if wanted.len() > QUESTIONS {
            return Err(ProtocolFault::InputLimit("the number of questions"));
        }
        if wanted.is_empty() && head.request_state.is_none() {
            return Err(ProtocolFault::UnknownResult(INPUT_REQUIRED.to_owned()));
        }
        let mut questions = Vec::with_capacity(wanted.len());
        for (key, raw) in wanted {
            if key.len().saturating_add(raw.get().len()) > QUESTION_BYTES {
                return Err(ProtocolFault::InputLimit("the length of a question"));
            }
            let request: InputRequest = object(raw.get())
                .map_err(|_| ProtocolFault::InputRefused("an unreadable question".to_owned()))?;
            questions.push((key, request.method, request.params));
        }
        Ok(Self { questions, state: head.request_state.clone() })
    }
}

fn word(text: &str) -> String {
    display_safe(text.get(..text.floor_char_boundary(WORD_BYTES)).unwrap_or_default())
}
