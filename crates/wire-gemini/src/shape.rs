//! Recognises events that carry one text and nothing else. Most events of a stream are of this kind.

use std::borrow::Cow;
use windlass_wire::LenientStr;

use crate::event::{Candidate, Content, Event, Part};

/// The kind of an event's only text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Words,
    Thoughts,
}

impl Shape {
    /// Returns the shape of an event and its text, if the text is borrowed from the event and no other field
    /// that this crate reads is set. Token counts may be set: the template compares them, so an event that
    /// differs only in its text has the same counts.
    pub(crate) fn of<'a>(event: &Event<'a>) -> Option<(Self, &'a str)> {
        let Event { candidates, prompt_feedback: None, usage_metadata: _, error: None } = event else {
            return None;
        };
        let [
            Candidate {
                index: None | Some(0),
                content: Some(Content { parts }),
                finish_reason,
                grounding_metadata: None,
                citation_metadata: None,
                url_context_metadata: None,
            },
        ] = candidates.as_deref()?
        else {
            return None;
        };
        let [part] = parts.as_deref()? else { return None };
        if !finish_reason.0.is_empty() {
            return None;
        }
        let part: Part<'a> = serde_json::from_str(part.get()).ok()?;
        let Part {
            text: Some(LenientStr(Cow::Borrowed(text))),
            thought,
            thought_signature,
            function_call: None,
        } = part
        else {
            return None;
        };
        if text.is_empty() || !thought_signature.0.is_empty() {
            return None;
        }
        Some((if thought == Some(true) { Self::Thoughts } else { Self::Words }, text))
    }
}
