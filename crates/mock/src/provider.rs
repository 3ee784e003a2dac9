//! A scripted provider without IO: refusals, turns, and turns with faults.

mod gemini;
mod items;
mod media;
mod offers;
mod pairing;
mod refusal;
mod stored;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use self::refusal::{Refusal, refusal_kind};
use self::stored::StoredResponses;
use crate::render::{self, Format, Frames, Setting, StreamUsage};
use crate::script::{Hostile, Script, Switch, Turn};

/// A script with the number of requests for each turn.
#[derive(Debug)]
pub(crate) struct Provider {
    script: Script,
    asked: Mutex<HashMap<usize, u32>>,
    stored: Mutex<StoredResponses>,
}

/// One response, in the pieces in which it is sent.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    #[cfg_attr(not(feature = "server"), expect(dead_code, reason = "only a server sends headers"))]
    pub(crate) content_type: &'static str,
    pub(crate) retry_after: Option<u64>,
    pub(crate) frames: Vec<Vec<u8>>,
    pub(crate) ending: Ending,
    #[cfg_attr(not(feature = "server"), expect(dead_code, reason = "only a server has a clock"))]
    pub(crate) delay_ms: u64,
    /// The number of the turn that the request asks for.
    #[cfg_attr(not(feature = "server"), expect(dead_code, reason = "only a server records requests"))]
    pub(crate) turn: usize,
}

/// The event after the last piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// A proper end of the response.
    Proper,
    /// A broken connection.
    Cut,
    /// An endless stall.
    Silence,
}

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const PAGE: &[u8] = b"<!DOCTYPE html><html><body><h1>Gateway</h1><p>Please sign in.</p></body></html>";

impl Format {
    /// Returns the format that is served at a path.
    pub fn from_path(path: &str) -> Option<Self> {
        match path {
            "/v1/chat/completions" | "/chat/completions" => Some(Self::Chat),
            "/v1/responses" | "/responses" => Some(Self::Responses),
            "/v1/messages" | "/messages" => Some(Self::Anthropic),
            path if gemini::Address::parse(path).is_some() => Some(Self::Gemini),
            _ => None,
        }
    }
}

impl Provider {
    pub(crate) fn new(script: Script) -> Self {
        Self { script, asked: Mutex::default(), stored: Mutex::default() }
    }

    /// Answers a request with this body and key. `address` is its path with its query.
    pub(crate) fn answer(&self, format: Format, address: &str, key: Option<&str>, body: &[u8]) -> Reply {
        let mut request: Value = match serde_json::from_slice(body) {
            Ok(request) => request,
            Err(error) => {
                return Refusal::request(format!("the body is not JSON: {error}"), None).reply(format);
            }
        };
        if let Some(address) = gemini::Address::parse(address) {
            address.tell(&mut request);
        }
        let checked = refusal::check_key(format, key).and_then(|()| self.restore(format, &mut request));
        let checked = checked.and_then(|()| refusal::check(format, &request));
        let turn = assistant_messages(&request);
        match checked {
            Err(refusal) => Reply { turn, ..refusal.reply(format) },
            Ok(model) => Reply { turn, ..self.say(format, &request, model, body.len()) },
        }
    }

    /// Puts the stored conversation before the input of a request that continues an earlier response.
    fn restore(&self, format: Format, request: &mut Value) -> Result<(), Refusal> {
        let unknown = |message| {
            let parameter = Some("previous_response_id".to_owned());
            Refusal::request(message, parameter).with_code("previous_response_not_found")
        };
        if format == Format::Responses
            && let Some(items) = self.lock_responses().conversation(request).map_err(unknown)?
            && let Some(fields) = request.as_object_mut()
        {
            fields.insert("input".to_owned(), items.into());
        }
        Ok(())
    }

    /// Returns a stored response.
    #[cfg_attr(not(feature = "server"), expect(dead_code, reason = "only a server has this endpoint"))]
    pub(crate) fn find_response(&self, id: &str) -> Option<Value> {
        self.lock_responses().body(id).cloned()
    }

    /// Removes a stored response. Returns false if it is not stored.
    #[cfg_attr(not(feature = "server"), expect(dead_code, reason = "only a server has this endpoint"))]
    pub(crate) fn remove_response(&self, id: &str) -> bool {
        self.lock_responses().remove(id)
    }

    fn lock_responses(&self) -> MutexGuard<'_, StoredResponses> {
        self.stored.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, format: Format, request: &Value, model: &str, request_bytes: usize) -> Reply {
        let number = assistant_messages(request);
        let (denied, is_last) = denials(request);
        let mut turn = self.script.select_for(request).turn_after(number, &denied, is_last);
        if matches!(format, Format::Chat | Format::Responses) {
            offers::fit_calls(&mut turn, request);
        }
        let told = request.pointer("/stream_options/include_usage").and_then(Value::as_bool).unwrap_or(false);
        let stream_usage = if told { StreamUsage::Tell } else { StreamUsage::Leave };
        let response_id = self.lock_responses().new_id(number);
        let setting =
            Setting { format, number, response_id: &response_id, model, request_bytes, stream_usage };
        let is_stream = request.get("stream").and_then(Value::as_bool).unwrap_or(false);
        let asked_before = self.count(number);
        let hostile = turn.hostile.as_ref().filter(|it| it.times.is_none_or(|times| asked_before < times));
        let hostile =
            hostile.filter(|it| it.switch != Switch::RefuseParameter || has(request, it.parameter()));
        let (content_type, rendered) = if is_stream {
            (EVENTS, render::stream(&turn, setting))
        } else {
            (JSON, Frames { frames: vec![render::whole(&turn, setting)], open: 0 })
        };
        if format == Format::Responses && hostile.is_none() && request["store"] != false {
            self.lock_responses().store(request, render::responses::whole(&turn, setting), request_bytes);
        }
        match hostile {
            None => Reply { delay_ms: turn.delay_ms, ..Reply::proper(200, content_type, rendered.frames) },
            Some(hostile) => spoil(hostile, &turn, format, content_type, rendered),
        }
    }

    fn count(&self, number: usize) -> u32 {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let count = asked.entry(number).or_default();
        let before = *count;
        *count = before.saturating_add(1);
        before
    }
}

impl Reply {
    pub(crate) fn proper(status: u16, content_type: &'static str, frames: Vec<Vec<u8>>) -> Self {
        Self { status, content_type, retry_after: None, frames, ending: Ending::Proper, delay_ms: 0, turn: 0 }
    }

    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::proper(status, JSON, vec![body.to_string().into_bytes()])
    }
}

/// Returns the results of denied calls, in order, and whether the last message contains one. Every format
/// stores results as text that starts with their status.
fn denials(request: &Value) -> (Vec<String>, bool) {
    let mut texts = Vec::new();
    let conversation = ["messages", "input", "contents"].iter().find_map(|name| request.get(*name));
    let Some(messages) = conversation.and_then(Value::as_array) else { return (texts, false) };
    let mut before_last = 0;
    for message in messages {
        before_last = texts.len();
        collect_denials(message, &mut texts);
    }
    let is_last = texts.len() > before_last;
    (texts, is_last)
}

fn collect_denials(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) if text.starts_with("[denied]") => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect_denials(item, texts)),
        Value::Object(fields) => fields.values().for_each(|field| collect_denials(field, texts)),
        _ => {}
    }
}

/// Returns the number of assistant messages, which is the number of the turn.
pub(crate) fn assistant_messages(request: &Value) -> usize {
    if let Some(items) = request.get("input").and_then(Value::as_array) {
        return items::answers(items);
    }
    if let Some(contents) = request.get("contents").and_then(Value::as_array) {
        return gemini::answers(contents);
    }
    let messages = request.get("messages").and_then(Value::as_array);
    let is_assistant = |message: &&Value| message["role"] == "assistant";
    messages.into_iter().flatten().filter(is_assistant).count()
}

/// Returns whether a body has a field at this path.
fn has(request: &Value, path: &str) -> bool {
    request.pointer(&format!("/{}", path.replace('.', "/"))).is_some()
}

fn spoil(
    hostile: &Hostile,
    turn: &Turn,
    format: Format,
    content_type: &'static str,
    rendered: Frames,
) -> Reply {
    let status = hostile.status.unwrap_or(200);
    let reply = |frames| Reply { delay_ms: turn.delay_ms, ..Reply::proper(200, content_type, frames) };
    match hostile.switch {
        Switch::Cut => Reply { ending: Ending::Cut, ..reply(head(rendered.frames, hostile.after_bytes)) },
        Switch::Stall => {
            Reply { ending: Ending::Silence, ..reply(head(rendered.frames, hostile.after_bytes)) }
        }
        Switch::Status => {
            let status = hostile.status.unwrap_or(500);
            let refusal =
                Refusal::new(status, refusal_kind(status), "the script refuses this request".to_owned());
            Reply { retry_after: hostile.retry_after, ..refusal.reply(format) }
        }
        Switch::RefuseParameter => {
            let name = hostile.parameter();
            let words = format!("Unsupported parameter: '{name}' is not supported with this model.");
            Refusal::request(words, Some(name.to_owned())).reply(format)
        }
        Switch::ErrorMidStream => {
            let error =
                Refusal::new(529, "overloaded_error", "the script ends this answer".to_owned()).body(format);
            if content_type == JSON {
                return reply(vec![error.to_string().into_bytes()]);
            }
            let mut frames = frames_before_error(rendered, hostile.after_bytes);
            frames.push(render::error_event(format, &error));
            reply(frames)
        }
        Switch::OneByte => reply(rendered.frames.concat().into_iter().map(|byte| vec![byte]).collect()),
        Switch::Html => Reply::proper(status, "text/html", vec![PAGE.to_vec()]),
        Switch::Empty => reply(Vec::new()),
        Switch::NotJson if content_type == JSON => {
            Reply::proper(status, JSON, vec![b"{\"choices\": oops".to_vec()])
        }
        Switch::NotJson => Reply::proper(status, EVENTS, vec![b"data: {\"choices\": oops\n\n".to_vec()]),
    }
}

/// Returns the first bytes, but never all of them.
fn head(frames: Vec<Vec<u8>>, bytes: usize) -> Vec<Vec<u8>> {
    let total: usize = frames.iter().map(Vec::len).sum();
    let mut room = bytes.min(total.saturating_sub(1));
    let mut kept = Vec::new();
    for mut frame in frames {
        frame.truncate(room);
        if frame.is_empty() {
            break;
        }
        room = room.saturating_sub(frame.len());
        kept.push(frame);
    }
    kept
}

/// Returns whole frames up to this number of bytes: at least one, and none of those that close the response.
fn frames_before_error(rendered: Frames, bytes: usize) -> Vec<Vec<u8>> {
    let mut sent = 0_usize;
    let mut kept = Vec::new();
    for frame in rendered.frames.into_iter().take(rendered.open) {
        sent = sent.saturating_add(frame.len());
        kept.push(frame);
        if sent >= bytes {
            break;
        }
    }
    kept
}
