//! Recognises events that carry one text and nothing else. Most events of a stream are of this kind.

use std::borrow::Cow;

use crate::event::{Call, Delta, Event, Function};
use crate::lenient::{ArgumentText, Content, OptionalStr};

/// The place of an event's only text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The text of the answer.
    Content,
    /// The arguments of a call, in an event without id and name.
    Arguments {
        /// The call's index, if the event has one.
        index: Option<u64>,
    },
}

impl Shape {
    /// Returns the shape of an event and its text, if the text is borrowed from the event and no other field
    /// that this crate reads is set.
    pub(crate) fn of<'a>(event: &Event<'a>) -> Option<(Self, &'a str)> {
        if event.usage.is_some() || event.x_groq.is_some() || event.error.is_some() {
            return None;
        }
        let [choice] = event.choices.as_deref()? else { return None };
        let is_first = choice.index.0 == 0;
        if !is_first || choice.message.is_some() || choice.finish_reason.0.is_some() || choice.error.is_some()
        {
            return None;
        }
        Self::of_delta(choice.delta.as_ref()?)
    }

    fn of_delta<'a>(delta: &Delta<'a>) -> Option<(Self, &'a str)> {
        let Delta {
            content,
            refusal,
            reasoning_content,
            reasoning,
            reasoning_details,
            tool_calls,
            function_call,
            annotations,
        } = delta;
        let has_thoughts =
            reasoning_content.0.is_some() || reasoning.0.is_some() || reasoning_details.is_some();
        if has_thoughts || refusal.0.is_some() || function_call.is_some() || annotations.is_some() {
            return None;
        }
        match (content, tool_calls.as_deref().unwrap_or_default()) {
            (Content::Text(Cow::Borrowed(text)), []) => Some((Self::Content, text)),
            (
                Content::Absent,
                [
                    Some(Call {
                        index,
                        id: OptionalStr(None),
                        function: Some(function),
                        custom: None,
                        extra_content: None,
                    }),
                ],
            ) => {
                let Function { name: OptionalStr(None), arguments: ArgumentText(Some(Cow::Borrowed(text))) } =
                    function
                else {
                    return None;
                };
                Some((Self::Arguments { index: index.0 }, text))
            }
            _ => None,
        }
    }
}
