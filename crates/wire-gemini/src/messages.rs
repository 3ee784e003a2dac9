//! The conversation as contents of this format.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;
use serde_json::value::RawValue;
use windlass_protocol::{History, Message, Opaque, Part, Payload, Role, ToolCall};
use windlass_wire::EncodeError;

use crate::Rules;
use crate::call::{ID, SIGNATURE};
use crate::encode::{rest, unsupported};
use crate::reader::PART_FIELD;
use crate::request::{KnownPart, PartKind, Rest, WireCall, WireContent, WirePart};
use crate::results::{Pictures, Round, file, picture};
use crate::tools::history_name;
use crate::wire::NAME;

/// The field of what travels with a part that holds the part's further fields.
pub(crate) const BESIDE: &str = "beside";

/// What the documentation gives as the signature of a call that the model did not make itself.
const FOREIGN_SIGNATURE: &str = "skip_thought_signature_validator";

/// The contents of the messages of a range that holds whole rounds.
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
            // The API has no developer inside the conversation; a user's place is the lowest it can take.
            Role::User | Role::System => "user",
            _ => return Err(unsupported(format!("the role of message {position}"))),
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
                let what = format!("message {position} has nothing to say");
                return Err(EncodeError::Conversation { what });
            }
            (true, _) => {}
        }
    }
    contents.extend(round.end());
    Ok(contents)
}

/// The first call of a message must have a signature; what another model called has none (RULES P2).
fn sign_first_call(parts: &mut [WirePart<'_>]) {
    let calls = parts.iter_mut().filter_map(|part| match part {
        WirePart::Known(part) if matches!(part.kind, PartKind::FunctionCall(_)) => Some(part),
        _ => None,
    });
    if let Some(first) = calls.into_iter().next() {
        first.thought_signature.get_or_insert(FOREIGN_SIGNATURE);
    }
}

/// The parts of a message but for its results, which stand in the content of their round.
/// Which thoughts go back is the rules' to say.
fn parts(message: &Message, rules: Rules) -> Result<Vec<WirePart<'_>>, EncodeError> {
    let mut parts = Vec::with_capacity(message.parts.len());
    for part in &message.parts {
        match part {
            Part::Text(text) => {
                let signature = field(text.opaque.as_ref(), SIGNATURE);
                // Words that are none are sent only for their signature.
                if signature.is_some() || !text.text.is_empty() {
                    let words = PartKind::Text(text.text.as_str().into());
                    let rest = rest(text.opaque.as_ref(), BESIDE);
                    parts.push(WirePart::plain(words).signed(signature).with(rest));
                }
            }
            // Thoughts go back for their signature only; the API does not ask for others, and another
            // provider's mean nothing to it (RULES P2).
            Part::Reasoning(thoughts) => {
                let signature = field(thoughts.opaque.as_ref(), SIGNATURE);
                if signature.is_some() || rules == Rules::AsGiven {
                    let words = PartKind::Text(thoughts.text.as_str().into());
                    let rest = rest(thoughts.opaque.as_ref(), BESIDE);
                    parts.push(WirePart::thought(words).signed(signature).with(rest));
                }
            }
            Part::Image(image) => {
                let opaque = image.opaque.as_ref();
                let signature = field(opaque, SIGNATURE);
                parts.push(WirePart::plain(picture(image)?).signed(signature).with(rest(opaque, BESIDE)));
            }
            Part::File(document) => {
                let opaque = document.opaque.as_ref();
                let signature = field(opaque, SIGNATURE);
                parts.push(WirePart::plain(file(document)?).signed(signature).with(rest(opaque, BESIDE)));
            }
            Part::Call(call) => parts.push(wire_call(call)?),
            Part::Unknown(unknown) if unknown.wire == NAME => {
                parts.extend(unknown.value.get(PART_FIELD).map(WirePart::Raw));
            }
            Part::Result(_) | Part::Unknown(_) => {}
            _ => return Err(unsupported("a part of a newer kind")),
        }
    }
    Ok(parts)
}

fn wire_call(call: &ToolCall) -> Result<WirePart<'_>, EncodeError> {
    // A call of another provider's form, as free text or its local shell, is said as a function's (RULES P2).
    let args = match &call.payload {
        Payload::Function { arguments } => Cow::Borrowed(serde_json::from_str(arguments.as_str())?),
        other => Cow::Owned(RawValue::from_string(other.as_arguments().as_str().to_owned())?),
    };
    let wire = WireCall { id: field(call.opaque.as_ref(), ID), name: history_name(call.name.as_str()), args };
    let opaque = call.opaque.as_ref();
    let part = WirePart::plain(PartKind::FunctionCall(wire)).signed(field(opaque, SIGNATURE));
    Ok(part.with(rest(opaque, BESIDE)))
}

/// A field that this API gave with a part.
fn field<'a>(opaque: Option<&'a Opaque>, name: &str) -> Option<&'a str> {
    opaque?.of(NAME)?.get(name).and_then(Value::as_str)
}

impl<'a> WirePart<'a> {
    /// A part without anything beside its kind.
    pub(crate) fn plain(kind: PartKind<'a>) -> Self {
        Self::Known(KnownPart { thought: false, kind, thought_signature: None, rest: Rest::new() })
    }

    fn thought(kind: PartKind<'a>) -> Self {
        Self::Known(KnownPart { thought: true, kind, thought_signature: None, rest: Rest::new() })
    }

    /// The same part with what it has beside its kind.
    fn with(mut self, rest: Rest<'a>) -> Self {
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
