//! Counts the markers for the provider's prompt cache in a request.

use serde_json::Value;
use windlass_protocol::{Message, Request};

use crate::marks;
use crate::names::NAME;

/// The maximum number of markers in a request, including the `cache_control` field of the body.
pub(crate) const MOST: usize = 4;

/// Returns the number of markers that the request itself has.
pub(crate) fn own_markers(request: &Request) -> usize {
    request.messages.iter().map(markers_in_message).fold(markers_beside(request), usize::saturating_add)
}

/// Returns the number of markers in a message.
pub(crate) fn markers_in_message(message: &Message) -> usize {
    message.parts.iter().filter_map(|part| part.for_wire(NAME)).map(markers).fold(0, usize::saturating_add)
}

/// Returns the number of markers outside the messages: in tools, in `system` and in the body's own field.
pub(crate) fn markers_beside(request: &Request) -> usize {
    let tools = request.tool_fields.values().map(|fields| &fields.value);
    let tools = tools.chain(request.options.hosted_tools.iter().filter_map(|tool| tool.native_for(NAME)));
    let in_tools = tools.map(markers).fold(0, usize::saturating_add);
    let in_body = ["system", marks::CACHE]
        .into_iter()
        .filter_map(|name| Some((name, request.options.extra.get(name)?)));
    let in_body = in_body.map(|(name, value)| if name == marks::CACHE { 1 } else { markers(value) });
    in_body.fold(in_tools, usize::saturating_add)
}

/// Counts the markers inside a value. The recursion is bounded because values come from a parser that limits
/// their depth.
fn markers(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(markers).fold(0, usize::saturating_add),
        Value::Object(fields) => {
            let inside = fields.iter().filter(|(name, _)| *name != marks::CACHE);
            let inside = inside.map(|(_, value)| markers(value)).fold(0, usize::saturating_add);
            inside.saturating_add(usize::from(fields.get(marks::CACHE).is_some_and(|mark| !mark.is_null())))
        }
        _ => 0,
    }
}
