//! The contents of a request as messages.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use windlass_protocol::{
    Arguments, CallId, File, Image, Message, Opaque, Part, Reasoning, Role, Text, ToolCall, Unknown,
};
use windlass_wire::RequestError;

use crate::call::{ID, SIGNATURE};
use crate::messages::BESIDE;
use crate::reader::PART_FIELD;
use crate::results::BLOB;
use crate::server::fields::Fields;
use crate::server::raw::{RawContent, RawPart};
use crate::server::results::result;
use crate::server::tools::tool_name;
use crate::wire::NAME;

/// The messages that the contents are.
pub(crate) fn messages(contents: Vec<Value>, raw: &[RawContent<'_>]) -> Result<Vec<Message>, RequestError> {
    let mut reader = Contents::default();
    for (turn, content) in contents.into_iter().enumerate() {
        let parts = raw.get(turn).and_then(|content| content.parts.as_deref()).unwrap_or_default();
        reader.content(turn, content, parts)?;
    }
    Ok(reader.messages)
}

#[derive(Default)]
struct Contents {
    messages: Vec<Message>,
    /// The calls that wait for results: their names, the ids that the API gave them, and their ids here.
    waiting: Vec<Waiting>,
    ids: BTreeSet<CallId>,
}

struct Waiting {
    name: String,
    given: Option<String>,
    id: CallId,
}

impl Contents {
    fn content(&mut self, turn: usize, content: Value, raw: &[RawPart<'_>]) -> Result<(), RequestError> {
        let mut fields = Fields::new(format!("contents[{turn}]"), content)?;
        let role = match fields.text("role")?.as_deref() {
            None | Some("" | "user" | "function" | "tool") => Role::User,
            Some("model") => Role::Assistant,
            Some(other) => {
                let what = format!("the role {other:?} where user or model is wanted");
                return Err(RequestError::shape(fields.place("role"), what));
            }
        };
        let place = fields.place("parts");
        let (mut results, mut others) = (Vec::new(), Vec::new());
        for (position, part) in fields.list("parts")?.into_iter().enumerate() {
            let place = format!("{place}[{position}]");
            let args = raw.get(position).and_then(|part| part.call.as_ref()?.args);
            let read = Fields::new(place, part.clone())?;
            match self.part(role, (turn, position), read, part, args.map(serde_json::value::RawValue::get))? {
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
        self.messages.push(Message::new(role, others));
        Ok(())
    }

    fn part(
        &mut self,
        role: Role,
        at: (usize, usize),
        mut part: Fields,
        kept: Value,
        args: Option<&str>,
    ) -> Result<Part, RequestError> {
        let signature = part.take(SIGNATURE);
        let is_thought = part.flag("thought")? == Some(true);
        let kind = ["functionCall", "functionResponse", "inlineData", "fileData", "text"]
            .into_iter()
            .find(|kind| part.peek(kind).is_some());
        let place = kind.map(|kind| part.place(kind)).unwrap_or_default();
        let whole =
            || Part::Unknown(Unknown::new(NAME, Map::from_iter([(PART_FIELD.to_owned(), kept)]).into()));
        let Some((kind, value)) = kind.and_then(|kind| Some((kind, part.take(kind)?))) else {
            return Ok(whole());
        };
        let mut marks = Map::new();
        marks.extend(signature.map(|signature| (SIGNATURE.to_owned(), signature)));
        let rest = part.rest();
        if !rest.is_empty() {
            marks.insert(BESIDE.to_owned(), rest.into());
        }
        Ok(match (kind, role, is_thought) {
            ("functionCall", _, false) => {
                Part::Call(self.call(at, Fields::new(place, value)?, args, marks)?)
            }
            ("functionResponse", Role::User, false) => {
                let fields = Fields::new(place, value)?;
                let id = self.answered(&fields)?;
                Part::Result(result(id, fields, marks)?)
            }
            ("text", _, true) => {
                Part::Reasoning(Reasoning::new(value.as_str().unwrap_or_default(), opaque(marks)))
            }
            ("text", _, false) => {
                let text = value.as_str().ok_or_else(|| RequestError::shape(place, "a text is wanted"))?;
                Part::Text(Text::new(text).with_opaque(opaque(marks)))
            }
            // What the model drew goes back as it came, as it does from an answer.
            ("inlineData", Role::User, false) => inline(Fields::new(place, value)?, marks)?,
            ("fileData", Role::User, false) => linked(Fields::new(place, value)?, marks)?,
            _ => whole(),
        })
    }

    fn call(
        &mut self,
        (turn, position): (usize, usize),
        mut fields: Fields,
        args: Option<&str>,
        mut marks: Map<String, Value>,
    ) -> Result<ToolCall, RequestError> {
        let given = fields.text("id")?.filter(|id| !id.is_empty());
        let name = tool_name(fields.place("name"), fields.needed("name")?)?;
        let arguments = Arguments::parse(args.unwrap_or("{}"))
            .map_err(|error| RequestError::shape(fields.place("args"), error.to_string()))?;
        let made = || CallId::synthesized(u64::try_from(turn).unwrap_or(u64::MAX), position);
        // An id that names an earlier call is no id (RULES P1).
        let known = given.as_deref().and_then(|id| CallId::new(id).ok()).filter(|id| !self.ids.contains(id));
        let mut id = known.unwrap_or_else(made);
        let mut further = position;
        while self.ids.contains(&id) {
            further = further.saturating_add(1000);
            id = CallId::synthesized(u64::try_from(turn).unwrap_or(u64::MAX), further);
        }
        self.ids.insert(id.clone());
        marks.extend(given.clone().map(|id| (ID.to_owned(), id.into())));
        self.waiting.push(Waiting { name: name.as_str().to_owned(), given, id: id.clone() });
        Ok(ToolCall::function(id, name, arguments).with_opaque(opaque(marks)))
    }

    /// The call that a result answers: by its id, else by its name, else the next (RULES R3).
    fn answered(&mut self, result: &Fields) -> Result<CallId, RequestError> {
        let text = |name: &str| result.peek(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let (id, name) = (text("id"), text("name"));
        let find = |is_it: &dyn Fn(&Waiting) -> bool| self.waiting.iter().position(is_it);
        let by_id = id.and_then(|id| find(&|call| call.given.as_deref() == Some(id)));
        let by_name = || find(&|call| Some(call.name.as_str()) == name);
        let next = || (!self.waiting.is_empty()).then_some(0);
        let Some(at) = by_id.or_else(by_name).or_else(next) else {
            let what = format!("a result of {} which no call waits for", name.unwrap_or("no name"));
            return Err(RequestError::shape(result.place("name"), what));
        };
        Ok(self.waiting.remove(at).id)
    }
}

/// Fields as what travels with a part; none if there are none.
pub(crate) fn opaque(marks: Map<String, Value>) -> Option<Opaque> {
    (!marks.is_empty()).then(|| Opaque::new(NAME, Value::Object(marks)))
}

fn keep_rest(fields: Fields, mut marks: Map<String, Value>) -> Option<Opaque> {
    let rest = fields.rest();
    if !rest.is_empty() {
        marks.insert(BLOB.to_owned(), rest.into());
    }
    opaque(marks)
}

/// Bytes: a picture, or a document of any other media type.
fn inline(mut fields: Fields, marks: Map<String, Value>) -> Result<Part, RequestError> {
    let (media_type, data) = (fields.needed("mimeType")?, fields.needed("data")?);
    let opaque = keep_rest(fields, marks);
    Ok(if media_type.starts_with("image/") {
        Part::Image(Image::base64(media_type, data).with_opaque(opaque))
    } else {
        Part::File(File::base64(media_type, data).with_opaque(opaque))
    })
}

/// What lies at an address.
fn linked(mut fields: Fields, marks: Map<String, Value>) -> Result<Part, RequestError> {
    let (media_type, url) = (fields.text("mimeType")?.unwrap_or_default(), fields.needed("fileUri")?);
    let opaque = keep_rest(fields, marks);
    Ok(if media_type.starts_with("image/") {
        Part::Image(Image::url(media_type, url).with_opaque(opaque))
    } else {
        Part::File(File::url(media_type, url).with_opaque(opaque))
    })
}
