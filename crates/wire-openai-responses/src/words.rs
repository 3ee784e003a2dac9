//! Encodes text messages and the opaque fields that are stored with them.

use std::borrow::Cow;

use serde_json::Value;
use windlass_protocol::{Message, Opaque, Part, Role, Text, Unknown};

use crate::names::{NAME, rest};
use crate::request::{KnownPart, Rest, WireContent, WireItem, WireMessage, WirePart};
use crate::spoken::REFUSAL_FIELD;

/// The opaque fields of a message's part that are not fields of the message itself. `PART` holds the part's
/// fields beside its text; `JOINED` marks a part that belongs to the same item as the previous one.
pub(crate) const PART: &str = "part";
pub(crate) const JOINED: &str = "joined";

/// The fields of a message that are encoded one by one.
pub(crate) const MESSAGE_FIELDS: [&str; 6] = ["id", "role", "status", "phase", PART, JOINED];
impl<'a> WireContent<'a> {
    /// Appends a part to a message of the assistant.
    pub(crate) fn join(&mut self, part: KnownPart<'a>) {
        if let Self::Text(Cow::Borrowed(text)) = self {
            let first = KnownPart::OutputText { text, annotations: &[], rest: Rest::new() };
            *self = Self::Parts(vec![WirePart::Known(first)]);
        }
        if let Self::Parts(parts) = self {
            parts.push(WirePart::Known(part));
        }
    }
}

/// Encodes a message of the user or the developer, with the opaque fields of its first text.
pub(crate) fn encode_message<'a>(message: &'a Message, content: WireContent<'a>) -> WireItem<'a> {
    let first = message.parts.iter().find_map(|part| match part {
        Part::Text(text) => Some(text.opaque.as_ref()),
        _ => None,
    });
    let opaque = first.flatten();
    let role = match (message.role, mark(opaque, "role")) {
        (Role::System, Some("system")) => "system",
        (Role::System, _) => "developer",
        _ => "user",
    };
    let (id, status, phase) = (mark(opaque, "id"), mark(opaque, "status"), mark(opaque, "phase"));
    let (kind, rest) = (id.map(|_| "message"), rest(opaque, &MESSAGE_FIELDS));
    WireItem::Message(WireMessage { kind, id, role, status, phase, content, rest })
}

pub(crate) fn is_joined(opaque: Option<&Opaque>) -> bool {
    opaque.and_then(|opaque| opaque.for_wire(NAME)?.get(JOINED)) == Some(&Value::Bool(true))
}

/// Returns the fields of a part other than its text.
pub(crate) fn part_fields(opaque: Option<&Opaque>) -> Rest<'_> {
    let fields = opaque.and_then(|opaque| opaque.for_wire(NAME)?.get(PART)?.as_object());
    fields.into_iter().flatten().map(|(name, value)| (name.as_str(), value)).collect()
}

pub(crate) fn output_text(text: &Text) -> KnownPart<'_> {
    let mut rest = part_fields(text.opaque.as_ref());
    let annotations = rest.remove("annotations").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    KnownPart::OutputText { text: &text.text, annotations, rest }
}

pub(crate) fn mark<'a>(opaque: Option<&'a Opaque>, name: &str) -> Option<&'a str> {
    opaque?.for_wire(NAME)?.get(name)?.as_str()
}

pub(crate) fn refusal(unknown: &Unknown) -> Option<WireItem<'_>> {
    let refusal =
        if unknown.wire == NAME { unknown.value.get(REFUSAL_FIELD)?.as_str()? } else { return None };
    let part = WirePart::Known(KnownPart::Refusal { refusal });
    Some(plain("assistant", WireContent::Parts(vec![part])))
}

pub(crate) fn is_thoughts(item: &WireItem<'_>) -> bool {
    matches!(item, WireItem::Raw(value) if value.get("type").is_some_and(|kind| kind == "reasoning"))
}

pub(crate) fn plain<'a>(role: &'static str, content: WireContent<'a>) -> WireItem<'a> {
    let rest = Rest::new();
    WireItem::Message(WireMessage { kind: None, id: None, role, status: None, phase: None, content, rest })
}

/// Sends a single text as a string, which every server accepts, and anything else as a list.
pub(crate) fn content(mut parts: Vec<WirePart<'_>>) -> Option<WireContent<'_>> {
    match parts.pop()? {
        WirePart::Known(KnownPart::InputText { text, rest }) if parts.is_empty() && rest.is_empty() => {
            Some(WireContent::Text(text))
        }
        last => {
            parts.push(last);
            Some(WireContent::Parts(parts))
        }
    }
}
