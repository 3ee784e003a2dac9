//! Encodes the conversation as contents of this format.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;
use serde_json::value::RawValue;
use windlass_protocol::{History, Message, Opaque, Part, Payload, Role, ToolCall};
use windlass_wire::EncodeError;

use crate::Rules;
use crate::call::{ID, SIGNATURE};
use crate::media::media_refusal;
use crate::names::{NAME, encode_error, rest};
use crate::reader::PART_FIELD;
use crate::request::{KnownPart, PartKind, Rest, WireCall, WireContent, WirePart};
use crate::results::{Pictures, Round, file, picture};
use crate::tools::history_name;

/// The opaque field of a part that holds the part's uninterpreted fields.
pub(crate) const BESIDE: &str = "beside";

/// The documented signature for a call that another model made.
const FOREIGN_SIGNATURE: &str = "skip_thought_signature_validator";

/// Encodes a range of messages. The range holds whole rounds: an answer with all results of its calls.
pub(crate) fn wire_contents(
    rules: Rules,
    since_three: bool,
    all: &History,
    range: Range<usize>,
) -> Result<Vec<WireContent<'_>>, EncodeError> {
    let pictures = if since_three || rules == Rules::AsGiven { Pictures::Inside } else { Pictures::Beside };
    let mut contents = Vec::with_capacity(range.len());
    let mut round = Round::default();
    for (position, message) in all.iter().enumerate().take(range.end).skip(range.start) {
        round.take(message, pictures)?;
        let role = match message.role {
            Role::Tool => {
                for part in parts(message, rules)? {
                    round.take_beside(part);
                }
                continue;
            }
            Role::Assistant => "model",
            // The API does not have a developer role inside the conversation; `user` is the role with the
            // least authority.
            Role::User | Role::System => "user",
            _ => return Err(encode_error(format!("the role of message {position}"))),
        };
        contents.extend(round.end());
        let mut parts = parts(message, rules)?;
        if role == "model" {
            round.begin(message);
            if since_three {
                sign_first_call(&mut parts);
            }
        }
        let has_results = message.parts.iter().any(|part| matches!(part, Part::Result(_)));
        match (parts.is_empty(), role) {
            (false, _) => contents.push(WireContent { role, parts }),
            (true, "user") if !has_results => {
                let what = format!("message {position} is empty");
                return Err(EncodeError::Conversation { what });
            }
            (true, _) => {}
        }
    }
    contents.extend(round.end());
    Ok(contents)
}

/// Adds a signature to the first call of a message if it has none. The API requires one there, and another
/// model's calls do not have any (RULES P2).
fn sign_first_call(parts: &mut [WirePart<'_>]) {
    let calls = parts.iter_mut().filter_map(|part| match part {
        WirePart::Known(part) if matches!(part.kind, PartKind::FunctionCall(_)) => Some(part),
        _ => None,
    });
    if let Some(first) = calls.into_iter().next() {
        first.thought_signature.get_or_insert(FOREIGN_SIGNATURE);
    }
}

/// Encodes the parts of a message except its results, which belong to the content of their round. `rules`
/// decides which reasoning is sent back.
fn parts(message: &Message, rules: Rules) -> Result<Vec<WirePart<'_>>, EncodeError> {
    let mut parts = Vec::with_capacity(message.parts.len());
    for part in &message.parts {
        if let Some((_, what)) = media_refusal(part) {
            return Err(encode_error(what));
        }
        match part {
            Part::Text(text) => {
                let signature = field(text.opaque.as_ref(), SIGNATURE);
                // Empty text is sent only if it carries a signature.
                if signature.is_some() || !text.text.is_empty() {
                    let words = PartKind::Text(text.text.as_str().into());
                    let rest = rest(text.opaque.as_ref(), BESIDE);
                    parts.push(WirePart::plain(words).signed(signature).with_rest(rest));
                }
            }
            // Reasoning is sent back only to return its signature. The API does not require other reasoning,
            // and another provider's has no meaning for it (RULES P2).
            Part::Reasoning(thoughts) => {
                let signature = field(thoughts.opaque.as_ref(), SIGNATURE);
                if signature.is_some() || rules == Rules::AsGiven {
                    let words = PartKind::Text(thoughts.text.as_str().into());
                    let rest = rest(thoughts.opaque.as_ref(), BESIDE);
                    parts.push(WirePart::thought(words).signed(signature).with_rest(rest));
                }
            }
            Part::Image(image) => {
                let opaque = image.opaque.as_ref();
                let signature = field(opaque, SIGNATURE);
                parts
                    .push(WirePart::plain(picture(image)?).signed(signature).with_rest(rest(opaque, BESIDE)));
            }
            Part::File(document) => {
                let opaque = document.opaque.as_ref();
                let signature = field(opaque, SIGNATURE);
                parts
                    .push(WirePart::plain(file(document)?).signed(signature).with_rest(rest(opaque, BESIDE)));
            }
            Part::Call(call) => parts.push(wire_call(call)?),
            Part::Unknown(unknown) if unknown.wire == NAME => {
                parts.extend(unknown.value.get(PART_FIELD).map(WirePart::Raw));
            }
            Part::Result(_) | Part::Unknown(_) => {}
            _ => return Err(encode_error("a part of a newer kind")),
        }
    }
    Ok(parts)
}

fn wire_call(call: &ToolCall) -> Result<WirePart<'_>, EncodeError> {
    // A call of another provider's form (free text, local shell) is encoded as a function call (RULES P2).
    let args = match &call.payload {
        Payload::Function { arguments } => Cow::Borrowed(serde_json::from_str(arguments.as_str())?),
        other => Cow::Owned(RawValue::from_string(other.as_arguments().as_str().to_owned())?),
    };
    let wire = WireCall { id: field(call.opaque.as_ref(), ID), name: history_name(call.name.as_str()), args };
    let opaque = call.opaque.as_ref();
    let part = WirePart::plain(PartKind::FunctionCall(wire)).signed(field(opaque, SIGNATURE));
    Ok(part.with_rest(rest(opaque, BESIDE)))
}

/// Returns an opaque field of this API.
fn field<'a>(opaque: Option<&'a Opaque>, name: &str) -> Option<&'a str> {
    opaque?.for_wire(NAME)?.get(name).and_then(Value::as_str)
}

impl<'a> WirePart<'a> {
    /// Creates a part with only its kind.
    pub(crate) fn plain(kind: PartKind<'a>) -> Self {
        Self::Known(KnownPart { thought: false, kind, thought_signature: None, rest: Rest::new() })
    }

    fn thought(kind: PartKind<'a>) -> Self {
        Self::Known(KnownPart { thought: true, kind, thought_signature: None, rest: Rest::new() })
    }

    /// Sets the part's uninterpreted fields.
    fn with_rest(mut self, rest: Rest<'a>) -> Self {
        if let Self::Known(part) = &mut self {
            part.rest = rest;
        }
        self
    }

    fn signed(mut self, signature: Option<&'a str>) -> Self {
        if let Self::Known(part) = &mut self {
            part.thought_signature = signature;
        }
        self
    }
}
