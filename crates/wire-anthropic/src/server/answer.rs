//! Translates chunks to operations on content blocks, for streamed and for whole answers.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use windlass_protocol::{Opaque, Payload, StopReason, Unknown, Usage};
use windlass_stream::{CallChunk, CallKey, Chunk, WholeCall};
use windlass_wire::EncodeError;

use crate::marks;
use crate::names::{BLOCK_FIELD, NAME, encode_error};
use crate::stop::stop_reason;

/// An operation on a content block.
#[derive(Debug)]
pub(crate) enum Step {
    Start { index: usize, block: Value },
    Delta { index: usize, delta: Delta },
    Stop { index: usize },
}

/// The content that is added to a block.
#[derive(Debug)]
pub(crate) enum Delta {
    Text(String),
    Thinking(String),
    Signature(String),
    Citation(Value),
    Input(String),
}

/// The content blocks of one answer.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    begun: usize,
    /// The open block of text or thinking; the next block of another type closes it.
    speaking: Option<(usize, Speech)>,
    /// The open calls.
    calls: Vec<OpenCall>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speech {
    Words,
    Thoughts,
}

#[derive(Debug)]
struct OpenCall {
    key: CallKey,
    index: usize,
    has_input: bool,
}

impl Blocks {
    /// Translates the next chunk. Chunks without content (usage, finish, errors) are ignored; the caller
    /// encodes them.
    pub(crate) fn push(&mut self, chunk: &Chunk, steps: &mut Vec<Step>) -> Result<(), EncodeError> {
        match chunk {
            Chunk::Text { text } => self.say(Speech::Words, Delta::Text(text.clone()), steps),
            Chunk::Reasoning { text } => self.say(Speech::Thoughts, Delta::Thinking(text.clone()), steps),
            Chunk::TextEnd { .. } => self.hush(steps),
            Chunk::ReasoningEnd { opaque } => self.end_thoughts(opaque.as_ref(), steps),
            Chunk::Grounding { value } if is_citation(value) => {
                self.say(Speech::Words, Delta::Citation(value.clone()), steps);
            }
            Chunk::Call(piece) => self.call(piece, steps)?,
            Chunk::Unknown(unknown) => self.unknown(unknown, steps),
            _ => {}
        }
        Ok(())
    }

    /// Closes all open blocks.
    pub(crate) fn close(&mut self, steps: &mut Vec<Step>) {
        self.hush(steps);
        steps.extend(self.calls.drain(..).map(|call| Step::Stop { index: call.index }));
    }

    fn start(&mut self, block: Value, steps: &mut Vec<Step>) -> usize {
        self.hush(steps);
        let index = self.begun;
        self.begun = self.begun.saturating_add(1);
        steps.push(Step::Start { index, block });
        index
    }

    fn hush(&mut self, steps: &mut Vec<Step>) {
        steps.extend(self.speaking.take().map(|(index, _)| Step::Stop { index }));
    }

    fn speech(&mut self, speech: Speech, steps: &mut Vec<Step>) -> usize {
        if let Some((index, _)) = self.speaking.filter(|(_, open)| *open == speech) {
            return index;
        }
        let block = match speech {
            Speech::Words => json!({ "type": "text", "text": "" }),
            Speech::Thoughts => json!({ "type": "thinking", "thinking": "", "signature": "" }),
        };
        let index = self.start(block, steps);
        self.speaking = Some((index, speech));
        index
    }

    fn say(&mut self, speech: Speech, delta: Delta, steps: &mut Vec<Step>) {
        let index = self.speech(speech, steps);
        steps.push(Step::Delta { index, delta });
    }

    fn end_thoughts(&mut self, opaque: Option<&Opaque>, steps: &mut Vec<Step>) {
        let field = |name| opaque?.for_wire(NAME)?.get(name)?.as_str();
        if let Some(data) = field("data") {
            let index = self.start(json!({ "type": "redacted_thinking", "data": data }), steps);
            steps.push(Step::Stop { index });
            return;
        }
        if let Some(signature) = field("signature") {
            self.say(Speech::Thoughts, Delta::Signature(signature.to_owned()), steps);
        }
        if self.speaking.is_some_and(|(_, open)| open == Speech::Thoughts) {
            self.hush(steps);
        }
    }

    fn call(&mut self, piece: &CallChunk, steps: &mut Vec<Step>) -> Result<(), EncodeError> {
        match piece {
            CallChunk::Start { key, id, name, opaque } => {
                let index = self.tool_use(id.as_deref(), name, opaque.as_ref(), steps);
                self.calls.push(OpenCall { key: *key, index, has_input: false });
            }
            CallChunk::Delta { key, arguments } => {
                if let Some(call) = self.calls.iter_mut().find(|call| call.key == *key) {
                    call.has_input |= !arguments.is_empty();
                    steps.push(Step::Delta { index: call.index, delta: Delta::Input(arguments.clone()) });
                }
            }
            CallChunk::End { key, arguments } => {
                let Some(at) = self.calls.iter().position(|call| call.key == *key) else { return Ok(()) };
                let call = self.calls.remove(at);
                // The complete arguments at the end count only if no delta came (RULES S6).
                if let (false, Some(text)) = (call.has_input, arguments) {
                    steps.push(Step::Delta { index: call.index, delta: Delta::Input(text.clone()) });
                }
                steps.push(Step::Stop { index: call.index });
            }
            CallChunk::Whole { id, name, body, opaque } => {
                let index = self.tool_use(id.as_deref(), name, opaque.as_ref(), steps);
                steps.push(Step::Delta { index, delta: Delta::Input(input(body)) });
                steps.push(Step::Stop { index });
            }
            _ => return Err(encode_error("a call in fragments that were not put in order")),
        }
        Ok(())
    }

    fn tool_use(
        &mut self,
        id: Option<&str>,
        name: &str,
        opaque: Option<&Opaque>,
        steps: &mut Vec<Step>,
    ) -> usize {
        let id = id.map_or_else(|| format!("toolu_{}", self.begun), str::to_owned);
        let mut block = marks::block(opaque).cloned().unwrap_or_default();
        let caller = opaque.and_then(|opaque| opaque.for_wire(NAME)?.get("caller"));
        block.extend(caller.map(|caller| ("caller".to_owned(), caller.clone())));
        block.insert("type".to_owned(), "tool_use".into());
        block.insert("id".to_owned(), id.into());
        block.insert("name".to_owned(), name.into());
        block.insert("input".to_owned(), Value::Object(Map::new()));
        self.start(Value::Object(block), steps)
    }

    fn unknown(&mut self, unknown: &Unknown, steps: &mut Vec<Step>) {
        if unknown.wire == NAME {
            let Some(Value::Object(block)) = unknown.value.get(BLOCK_FIELD) else { return };
            let mut block = block.clone();
            // Send the input of a server tool's call as a text delta, like the input of any call.
            let input = match block.get("input") {
                Some(Value::Object(input)) if !input.is_empty() => {
                    block.insert("input".to_owned(), json!({}))
                }
                _ => None,
            };
            let index = self.start(Value::Object(block), steps);
            if let Some(input) = input {
                steps.push(Step::Delta { index, delta: Delta::Input(input.to_string()) });
            }
            steps.push(Step::Stop { index });
        } else if let Some(words) = unknown.value.get("refusal").and_then(Value::as_str) {
            // Other formats have a part for a refusal; this format has only text and a stop reason.
            self.say(Speech::Words, Delta::Text(words.to_owned()), steps);
        }
    }
}

/// Returns the input of a call that came in one piece. The API has neither free-text calls nor shell
/// commands, so these are encoded as objects.
fn input(body: &WholeCall) -> String {
    match body {
        WholeCall::Arguments(text) => text.clone(),
        WholeCall::Payload(Payload::Custom { input }) => json!({ "input": input }).to_string(),
        WholeCall::Payload(Payload::LocalShell { command, working_directory, timeout_ms }) => json!({
            "command": command, "working_directory": working_directory, "timeout_ms": timeout_ms,
        })
        .to_string(),
        WholeCall::Payload(payload) => payload.text(),
    }
}

/// Returns true if the value is a citation of this API.
fn is_citation(value: &Value) -> bool {
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
    matches!(
        kind,
        "char_location"
            | "page_location"
            | "content_block_location"
            | "web_search_result_location"
            | "search_result_location"
    )
}

/// Encodes the delta as the API does, with its fields in the order of `serde_json::Map`.
impl Serialize for Delta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (name, text, kind) = match self {
            Self::Text(text) => ("text", text, "text_delta"),
            Self::Thinking(text) => ("thinking", text, "thinking_delta"),
            Self::Signature(text) => ("signature", text, "signature_delta"),
            Self::Input(text) => ("partial_json", text, "input_json_delta"),
            Self::Citation(value) => {
                return json!({ "type": "citations_delta", "citation": value }).serialize(serializer);
            }
        };
        serializer.collect_map([(name, text.as_str()), ("type", kind)])
    }
}

/// Returns whether a later stop reason of an answer counts. Calls stay calls if only the end of a text follows.
pub(crate) fn can_replace_stop(earlier: Option<&str>, reason: &StopReason) -> bool {
    earlier != Some("tool_use") || *reason != StopReason::End
}

/// Returns the stop reason of this format. `raw` is kept if it maps to the same reason.
pub(crate) fn stop_word<'a>(reason: &'a StopReason, raw: &'a str) -> &'a str {
    if !raw.is_empty() && stop_reason(raw) == *reason {
        return raw;
    }
    match reason {
        StopReason::Calls => "tool_use",
        StopReason::Length => "max_tokens",
        StopReason::ContextWindow => "model_context_window_exceeded",
        StopReason::StopSequence => "stop_sequence",
        StopReason::Pause => "pause_turn",
        StopReason::Refusal | StopReason::ContentFilter => "refusal",
        _ => "end_turn",
    }
}

/// Returns the sequence at which an answer was cut, if `raw` is one and not a word of the format.
pub(crate) fn stop_sequence(reason: &StopReason, raw: &str) -> Option<String> {
    let is_sequence = *reason == StopReason::StopSequence && !raw.is_empty() && stop_reason(raw) != *reason;
    is_sequence.then(|| raw.to_owned())
}

/// Encodes the usage. `input_tokens` excludes tokens that were read from or written to the cache.
pub(crate) fn usage(usage: &Usage) -> Value {
    let cached = usage.cache_read_tokens.saturating_add(usage.cache_write_tokens);
    let mut value = json!({
        "input_tokens": usage.input_tokens.saturating_sub(cached),
        "cache_creation_input_tokens": usage.cache_write_tokens,
        "cache_read_input_tokens": usage.cache_read_tokens,
        "output_tokens": usage.output_tokens,
    });
    if let (1.., Some(fields)) = (usage.reasoning_tokens, value.as_object_mut()) {
        let details = json!({ "thinking_tokens": usage.reasoning_tokens });
        fields.insert("output_tokens_details".to_owned(), details);
    }
    value
}
