//! Encodes the conversation as items of this format.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use serde_json::Value;
use windlass_protocol::{
    History, Message, Opaque, Part, Payload, Reasoning, Role, Text, ToolCall, ToolResult, Unknown,
};
use windlass_wire::EncodeError;

use crate::item::ITEM_FIELD;
use crate::media::media_refusal;
use crate::names::{NAME, encode_error, is_legal_char, is_legal_name, rest};
use crate::request::{KnownItem, KnownPart, Rest, WireContent, WireItem, WireMessage, WirePart};
use crate::result::{Form, file, picture, wire_id};
use crate::words::{
    MESSAGE_FIELDS, content, encode_message, is_joined, is_thoughts, mark, output_text, part_fields, plain,
    refusal,
};
use crate::{OpenAiResponsesOptions, Storage};

const CALL_FIELDS: [&str; 4] = ["id", "namespace", "caller", ITEM_FIELD];

/// Encodes a range of messages. The range holds whole rounds: an answer with all results of its calls.
pub(crate) fn input<'a>(
    options: &OpenAiResponsesOptions,
    all: &'a History,
    range: Range<usize>,
) -> Result<Vec<WireItem<'a>>, EncodeError> {
    let items = Vec::with_capacity(range.len());
    let OpenAiResponsesOptions { storage, history, .. } = *options;
    let mut input = Input { storage, history, items, answer: 0, forms: HashMap::new(), beside: Vec::new() };
    for (position, message) in all.iter().enumerate().take(range.end).skip(range.start) {
        input.message(position, message)?;
    }
    input.end_round();
    Ok(input.items)
}

struct Input<'a> {
    storage: Storage,
    history: crate::SentHistory,
    items: Vec<WireItem<'a>>,
    /// The index of the first item of the last answer.
    answer: usize,
    /// The form of the result that each call requires, by call id.
    forms: HashMap<&'a str, Form<'a>>,
    /// Images that results cannot hold. They wait for the end of the round, because results have to be
    /// contiguous.
    beside: Vec<WirePart<'a>>,
}

impl<'a> Input<'a> {
    fn message(&mut self, position: usize, message: &'a Message) -> Result<(), EncodeError> {
        for part in &message.parts {
            if let Part::Result(result) = part {
                self.result(result)?;
            }
        }
        match message.role {
            Role::Tool => {
                let parts = self.encode_parts(message)?;
                self.beside.extend(parts);
            }
            Role::Assistant => {
                self.end_round();
                self.assistant(message)?;
            }
            Role::System | Role::User => {
                self.end_round();
                let (before, parts) = (self.items.len(), self.encode_parts(message)?);
                let has_result = message.parts.iter().any(|part| matches!(part, Part::Result(_)));
                if parts.is_empty() && !has_result && self.items.len() == before {
                    let what = format!("message {position} is empty");
                    return Err(EncodeError::Conversation { what });
                }
                self.items.extend(content(parts).map(|content| encode_message(message, content)));
            }
            _ => return Err(encode_error(format!("the role of message {position}"))),
        }
        Ok(())
    }

    /// Returns the parts of a user or developer message. Parts that are items of their own are pushed before
    /// it.
    fn encode_parts(&mut self, message: &'a Message) -> Result<Vec<WirePart<'a>>, EncodeError> {
        let mut parts = Vec::new();
        for part in &message.parts {
            if let Some(what) = media_refusal(message.role, part) {
                return Err(encode_error(what));
            }
            match part {
                Part::Text(text) if text.text.is_empty() => {}
                Part::Text(text) => {
                    let rest = part_fields(text.opaque.as_ref());
                    parts.push(WirePart::Known(KnownPart::InputText {
                        text: text.text.as_str().into(),
                        rest,
                    }));
                }
                Part::Image(image) => parts.push(WirePart::Known(picture(image)?)),
                Part::File(document) => parts.push(WirePart::Known(file(document)?)),
                Part::Unknown(unknown) => match own_item(unknown) {
                    Some(item) => self.items.push(WireItem::Raw(item)),
                    None => parts.extend(own_part(unknown).map(WirePart::Raw)),
                },
                Part::Result(_) | Part::Reasoning(_) => {}
                _ => return Err(encode_error("a call in a message that is not the assistant's")),
            }
        }
        Ok(parts)
    }

    fn result(&mut self, result: &'a ToolResult) -> Result<(), EncodeError> {
        let form = self.forms.get(result.call.as_str()).copied().unwrap_or(Form::Function { caller: None });
        if let Some(item) = raw_result(result) {
            self.items.push(WireItem::Raw(item));
            return Ok(());
        }
        self.items.push(form.answer(result)?);
        if !form.holds_pictures() && result.images().next().is_some() {
            let text = format!("The result of {} has these images:", result.call);
            self.beside.push(WirePart::Known(KnownPart::InputText { text: text.into(), rest: Rest::new() }));
            for image in result.images() {
                self.beside.push(WirePart::Known(picture(image)?));
            }
        }
        Ok(())
    }

    /// Appends the images that results could not hold as a user message after all results (RULES R8).
    fn end_round(&mut self) {
        let beside = std::mem::take(&mut self.beside);
        self.items.extend(content(beside).map(|content| plain("user", content)));
    }

    fn assistant(&mut self, message: &'a Message) -> Result<(), EncodeError> {
        self.answer = self.items.len();
        for part in &message.parts {
            if let Some(what) = media_refusal(message.role, part) {
                return Err(encode_error(what));
            }
            match part {
                Part::Text(text) => self.words(text),
                Part::Reasoning(reasoning) => self.items.extend(self.thoughts(reasoning).map(WireItem::Raw)),
                Part::Call(call) => self.call(call),
                Part::Unknown(unknown) => match own_item(unknown) {
                    Some(item) => self.items.push(WireItem::Raw(item)),
                    None => self.items.extend(refusal(unknown)),
                },
                _ => return Err(encode_error("a result in an assistant message")),
            }
        }
        // The API refuses reasoning without a following item, which an answer that was cut can leave.
        while self.history == crate::SentHistory::Fitted
            && self.items.len() > self.answer
            && self.items.last().is_some_and(is_thoughts)
        {
            self.items.pop();
        }
        Ok(())
    }

    fn words(&mut self, text: &'a Text) {
        if text.text.is_empty() {
            return;
        }
        let opaque = text.opaque.as_ref();
        let (id, phase) = (self.id(opaque), mark(opaque, "phase"));
        let part = output_text(text);
        if is_joined(opaque)
            && self.items.len() > self.answer
            && let Some(WireItem::Message(message)) = self.items.last_mut()
        {
            return message.content.join(part);
        }
        // A message with an id is the output's own form, in which all fields are required.
        let is_plain = id.is_none()
            && matches!(&part, KnownPart::OutputText { annotations: [], rest, .. } if rest.is_empty());
        let content = if is_plain {
            WireContent::Text(Cow::Borrowed(&text.text))
        } else {
            WireContent::Parts(vec![WirePart::Known(part)])
        };
        let status = mark(opaque, "status").or(id.map(|_| "completed"));
        let (kind, rest) = (id.map(|_| "message"), rest(opaque, &MESSAGE_FIELDS));
        let message = WireMessage { kind, id, role: "assistant", status, phase, content, rest };
        self.items.push(WireItem::Message(message));
    }

    /// Returns a reasoning item to send back. Without state at the server, only an item with encrypted or
    /// readable content is sent, because the server cannot restore the rest. Another provider's reasoning has
    /// no meaning for it (RULES P2).
    fn thoughts(&self, reasoning: &'a Reasoning) -> Option<&'a Value> {
        let item = reasoning.opaque.as_ref()?.for_wire(NAME)?.get(ITEM_FIELD)?;
        let holds = |name| match item.get(name) {
            Some(Value::String(text)) => !text.is_empty(),
            Some(Value::Array(parts)) => !parts.is_empty(),
            _ => false,
        };
        let is_readable = holds("encrypted_content") || holds("content");
        (is_readable || self.storage == Storage::On || self.history == crate::SentHistory::AsGiven)
            .then_some(item)
    }

    fn call(&mut self, call: &'a ToolCall) {
        if let Some((item, form)) = raw_call(call) {
            self.forms.insert(call.id.as_str(), form);
            return self.items.push(WireItem::Raw(item));
        }
        let opaque = call.opaque.as_ref();
        let (id, namespace) = (self.id(opaque), mark(opaque, "namespace"));
        let caller = opaque.and_then(|opaque| opaque.for_wire(NAME)?.get("caller"));
        let rest = rest(opaque, &CALL_FIELDS);
        let (call_id, name) = (wire_id(call.id.as_str()), history_name(call.name.as_str()));
        let (item, form) = match &call.payload {
            Payload::Custom { input } => (
                KnownItem::CustomToolCall { id, call_id, namespace, name, input, caller, rest },
                Form::Custom { caller },
            ),
            payload => (
                KnownItem::FunctionCall {
                    id,
                    call_id,
                    namespace,
                    name,
                    arguments: arguments(payload),
                    caller,
                    rest,
                },
                Form::Function { caller },
            ),
        };
        self.forms.insert(call.id.as_str(), form);
        self.items.push(WireItem::Known(item));
    }

    /// Returns the item id, if the server stores items and can look it up.
    fn id(&self, opaque: Option<&'a Opaque>) -> Option<&'a str> {
        let is_known = self.storage == Storage::On || self.history == crate::SentHistory::AsGiven;
        if is_known { mark(opaque, "id") } else { None }
    }
}

/// Returns a call's original item and the form of its result, if the item's id is still the id of the call.
fn raw_call(call: &ToolCall) -> Option<(&Value, Form<'_>)> {
    let item = call.opaque.as_ref()?.for_wire(NAME)?.get(ITEM_FIELD)?;
    let id = ["call_id", "id"].iter().find_map(|name| item.get(*name)?.as_str().filter(|id| !id.is_empty()));
    (id == Some(call.id.as_str())).then_some((item, Form::from_item(item)?))
}

/// Returns the original item of a result that has a form of its own.
fn raw_result(result: &ToolResult) -> Option<&Value> {
    result.opaque.as_ref()?.for_wire(NAME)?.get(ITEM_FIELD)
}

/// Returns the arguments of a call. A call of another provider's form is encoded as a function call.
fn arguments(payload: &Payload) -> Cow<'_, str> {
    match payload {
        Payload::Function { arguments } | Payload::Mcp { arguments, .. } => Cow::Borrowed(arguments.as_str()),
        other => Cow::Owned(other.as_arguments().as_str().to_owned()),
    }
}

fn own_item(unknown: &Unknown) -> Option<&Value> {
    if unknown.wire == NAME { unknown.value.get(ITEM_FIELD) } else { None }
}

/// Returns a part of a user message in this API's own form, for example a file by its id.
fn own_part(unknown: &Unknown) -> Option<&Value> {
    let kind = unknown.value.get("type").and_then(Value::as_str)?;
    (unknown.wire == NAME && kind.starts_with("input_")).then_some(&unknown.value)
}

/// Replaces the characters of a call's name that the provider refuses by `_`, so that a name that a model
/// invented cannot block the conversation.
fn history_name(name: &str) -> Cow<'_, str> {
    if is_legal_name(name) {
        return Cow::Borrowed(name);
    }
    let legal = |character| if is_legal_char(character) { character } else { '_' };
    Cow::Owned(name.chars().take(64).map(legal).collect())
}
