//! Recognises events that carry one text and nothing else. Most events of a stream are of this kind.

use std::borrow::Cow;
use windlass_wire::LenientStr;

use crate::event::Event;
use crate::item::Field;
use crate::reasoning::Thought;

/// The place of an event's only text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The slot of the open item that the text belongs to.
    pub(crate) slot: u64,
    pub(crate) field: Field,
    /// The index of the item's part.
    pub(crate) index: u64,
}

/// The extent of an event's text: a fragment or the complete text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Piece,
    Whole,
}

/// Returns the field and the extent of the text in events of this type.
pub(crate) fn text_of(kind: &str) -> Option<(Field, Extent)> {
    let (name, extent) = match kind.strip_prefix("response.")?.rsplit_once('.')? {
        (name, "delta") => (name, Extent::Piece),
        (name, "done") => (name, Extent::Whole),
        _ => return None,
    };
    let field = match name {
        "output_text" => Field::Text,
        "refusal" => Field::Refusal,
        "reasoning_summary_text" => Field::Thought(Thought::Summary),
        "reasoning_text" => Field::Thought(Thought::Content),
        "function_call_arguments" => Field::Arguments,
        "custom_tool_call_input" => Field::Input,
        _ => return None,
    };
    Some((field, extent))
}

/// Returns true for progress events. Their content is repeated at the end of the item.
pub(crate) fn is_progress(kind: &str) -> bool {
    let Some((name, _)) = kind.strip_prefix("response.").and_then(|rest| rest.split_once('.')) else {
        return matches!(kind, "response.queued" | "response.in_progress" | "keepalive" | "ping");
    };
    matches!(
        name,
        "content_part"
            | "reasoning_summary_part"
            | "reasoning_part"
            | "web_search_call"
            | "file_search_call"
            | "code_interpreter_call"
            | "code_interpreter_call_code"
            | "image_generation_call"
            | "mcp_call"
            | "mcp_call_arguments"
            | "mcp_list_tools"
            | "shell_call_command"
            | "shell_call_output_content"
            | "apply_patch_call_operation_diff"
    )
}

/// Returns the text of a delta event. Returns `None` if the text is not borrowed from the event, or if the
/// event has another field that this crate reads, except the fields that locate the text in the answer.
pub(crate) fn borrow_text<'a>(event: &Event<'a>) -> Option<&'a str> {
    let Event {
        kind: _,
        item_id: _,
        output_index: _,
        content_index: _,
        summary_index: _,
        delta: LenientStr(Cow::Borrowed(text)),
        text: LenientStr(whole),
        refusal: LenientStr(refusal),
        input: LenientStr(input),
        arguments: None,
        annotation: None,
        part: None,
        item: None,
        response: None,
        error: None,
    } = event
    else {
        return None;
    };
    (whole.is_empty() && refusal.is_empty() && input.is_empty()).then_some(text)
}
