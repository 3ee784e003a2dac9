//! Decodes the contents of a request as messages.

use std::collections::BTreeSet;

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use windlass_protocol::{
    Arguments, CallId, File, Image, Message, Opaque, Part, Reasoning, Role, Text, ToolCall, Unknown,
};
use windlass_wire::{Fields, RequestError};

use crate::call::{ID, SIGNATURE};
use crate::messages::BESIDE;
use crate::names::NAME;
use crate::reader::PART_FIELD;
use crate::results::BLOB;
use crate::server::fields::{fields, list, object, value};
use crate::server::results::result;
use crate::server::tools::tool_name;
use crate::server::waiting::WaitingCalls;

/// Decodes the contents.
pub(crate) fn messages(contents: Vec<(String, &RawValue)>) -> Result<Vec<Message>, RequestError> {
    let mut reader = Contents::default();
    for (turn, (place, raw)) in contents.into_iter().enumerate() {
        reader.content(turn, fields(place, raw)?)?;
    }
    Ok(reader.messages)
}

#[derive(Default)]
struct Contents {
    messages: Vec<Message>,
    /// The calls that wait for results, with their names, the client's ids and our ids.
    waiting: WaitingCalls,
    ids: BTreeSet<CallId>,
}

impl Contents {
    fn content(&mut self, turn: usize, mut fields: Fields<'_>) -> Result<(), RequestError> {
        let role = match fields.text("role")?.as_deref() {
            None | Some("" | "user" | "function" | "tool") => Role::User,
            Some("model") => Role::Assistant,
            Some(other) => {
                let what = format!("the role {other:?} where user or model is expected");
                return Err(fields.wrong("role", what));
            }
        };
        let (mut results, mut others) = (Vec::new(), Vec::new());
        for (position, (place, raw)) in list(&mut fields, "parts")?.into_iter().enumerate() {
            match self.part(role, (turn, position), &place, raw)? {
                result @ Part::Result(_) => results.push(result),
                other => others.push(other),
            }
        }
        if !results.is_empty() {
            self.messages.push(Message::new(Role::Tool, results));
            if others.is_empty() {
                return Ok(());
            }
        }
        self.push(role, others);
        Ok(())
    }

    /// Appends a message. Adjacent contents of the model are one answer: the chats of Google's libraries send each
    /// chunk of a streamed answer as a content, so parallel calls arrive in two contents with the results after both.
    fn push(&mut self, role: Role, parts: Vec<Part>) {
        match self.messages.last_mut() {
            Some(last) if role == Role::Assistant && last.role == role => last.parts.extend(parts),
            _ => self.messages.push(Message::new(role, parts)),
        }
    }

    fn part(
        &mut self,
        role: Role,
        at: (usize, usize),
        place: &str,
        raw: &RawValue,
    ) -> Result<Part, RequestError> {
        let mut part = fields(place, raw)?;
        let whole = || {
            let kept = Map::from_iter([(PART_FIELD.to_owned(), value(place, raw)?)]);
            Ok(Part::Unknown(Unknown::new(NAME, kept.into())))
        };
        let is_thought = part.flag("thought")? == Some(true);
        let kinds = ["functionCall", "functionResponse", "inlineData", "fileData", "text"];
        let kind = match kinds.into_iter().find(|kind| part.has(kind)) {
            // Keep an image of the model whole, as the decoder of an answer does.
            Some("inlineData" | "fileData" | "functionResponse") if role == Role::Assistant => None,
            Some(kind) if is_thought && kind != "text" => None,
            kind => kind,
        };
        let Some(kind) = kind else { return whole() };
        let text = if kind == "text" { part.text(kind)? } else { None };
        let inner = if kind == "text" { None } else { object(&mut part, kind)? };
        let mut marks = Map::new();
        marks.extend(part.value(SIGNATURE)?.map(|signature| (SIGNATURE.to_owned(), signature)));
        let rest = part.rest();
        if !rest.is_empty() {
            marks.insert(BESIDE.to_owned(), rest.into());
        }
        let Some(inner) = inner else {
            let text = text.unwrap_or_default();
            return Ok(if is_thought {
                Part::Reasoning(Reasoning::new(text, opaque(marks)))
            } else {
                Part::Text(Text::new(text).with_opaque(opaque(marks)))
            });
        };
        match kind {
            "functionCall" => Ok(Part::Call(self.call(at, inner, marks)?)),
            "functionResponse" => {
                let id = self.find_answered(&inner)?;
                Ok(Part::Result(result(id, inner, marks)?))
            }
            "inlineData" => inline(inner, marks),
            _ => decode_link(inner, marks),
        }
    }

    fn call(
        &mut self,
        (turn, position): (usize, usize),
        mut fields: Fields<'_>,
        mut marks: Map<String, Value>,
    ) -> Result<ToolCall, RequestError> {
        let given = fields.text("id")?.filter(|id| !id.is_empty());
        let name = tool_name(fields.place("name"), fields.take_required_text("name")?)?;
        let args = fields.raw("args").map_or("{}", RawValue::get);
        let arguments = Arguments::parse(args).map_err(|error| fields.wrong("args", error.to_string()))?;
        let made = || CallId::synthesize(u64::try_from(turn).unwrap_or(u64::MAX), position);
        // An id of an earlier call does not identify this one (RULES P1).
        let known = given.as_deref().and_then(|id| CallId::new(id).ok()).filter(|id| !self.ids.contains(id));
        let mut id = known.unwrap_or_else(made);
        let mut further = position;
        while self.ids.contains(&id) {
            further = further.saturating_add(1000);
            id = CallId::synthesize(u64::try_from(turn).unwrap_or(u64::MAX), further);
        }
        self.ids.insert(id.clone());
        marks.extend(given.clone().map(|id| (ID.to_owned(), id.into())));
        self.waiting.push(name.as_str(), given, id.clone());
        Ok(ToolCall::function(id, name, arguments).with_opaque(opaque(marks)))
    }

    /// Returns the call that a result answers: by its id, else by its name, else the next one (RULES R3).
    fn find_answered(&mut self, result: &Fields<'_>) -> Result<CallId, RequestError> {
        let text = |name: &str| serde_json::from_str::<String>(result.peek(name)?.get()).ok();
        let (id, name) = (text("id").filter(|id| !id.is_empty()), text("name"));
        self.waiting.take(id.as_deref(), name.as_deref()).ok_or_else(|| {
            let what =
                format!("a result of {} which no call waits for", name.as_deref().unwrap_or("no name"));
            result.wrong("name", what)
        })
    }
}

/// Wraps fields as opaque data. Returns `None` if `marks` is empty.
pub(crate) fn opaque(marks: Map<String, Value>) -> Option<Opaque> {
    (!marks.is_empty()).then(|| Opaque::new(NAME, Value::Object(marks)))
}

fn keep_rest(fields: Fields<'_>, mut marks: Map<String, Value>) -> Option<Opaque> {
    let rest = fields.rest();
    if !rest.is_empty() {
        marks.insert(BLOB.to_owned(), rest.into());
    }
    opaque(marks)
}

/// Decodes bytes: an image, or a document of any other media type.
fn inline(mut fields: Fields<'_>, marks: Map<String, Value>) -> Result<Part, RequestError> {
    let (media_type, data) = (fields.take_required_text("mimeType")?, fields.take_required_text("data")?);
    let opaque = keep_rest(fields, marks);
    Ok(if media_type.starts_with("image/") {
        Part::Image(Image::base64(media_type, data).with_opaque(opaque))
    } else {
        Part::File(File::base64(media_type, data).with_opaque(opaque))
    })
}

/// Decodes a reference to a file by its URI.
fn decode_link(mut fields: Fields<'_>, marks: Map<String, Value>) -> Result<Part, RequestError> {
    let (media_type, url) =
        (fields.text("mimeType")?.unwrap_or_default(), fields.take_required_text("fileUri")?);
    let opaque = keep_rest(fields, marks);
    Ok(if media_type.starts_with("image/") {
        Part::Image(Image::url(media_type, url).with_opaque(opaque))
    } else {
        Part::File(File::url(media_type, url).with_opaque(opaque))
    })
}
