//! What blocks of this format have that has no word in a conversation: it travels in the opaque fields of a part,
//! under these names.

use serde_json::{Map, Value};
use windlass_protocol::{Opaque, Part};

use crate::wire::NAME;

/// Further fields of a block or a tool: `cache_control`, `citations`, `context` …
pub(crate) const BLOCK: &str = "block";
/// On a result: its content, where that was a list.
pub(crate) const CONTENT: &str = "content";
/// On a result: that it is an error, where its words do not say which.
pub(crate) const IS_ERROR: &str = "is_error";
/// The field that marks the end of a prefix to keep in the provider's cache.
pub(crate) const CACHE: &str = "cache_control";

/// The further fields of a block.
pub(crate) fn block(opaque: Option<&Opaque>) -> Option<&Map<String, Value>> {
    opaque?.of(NAME)?.get(BLOCK)?.as_object()
}

/// Those fields as opaque fields; none where there are none.
pub(crate) fn kept(rest: Map<String, Value>) -> Option<Opaque> {
    (!rest.is_empty()).then(|| {
        let fields = Map::from_iter([(BLOCK.to_owned(), Value::Object(rest))]);
        Opaque::new(NAME, Value::Object(fields))
    })
}

/// The fields of a part that are of this format.
pub(crate) fn of(part: &Part) -> Option<&Value> {
    let opaque = match part {
        Part::Text(text) => text.opaque.as_ref(),
        Part::Image(image) => image.opaque.as_ref(),
        Part::File(file) => file.opaque.as_ref(),
        Part::Reasoning(reasoning) => reasoning.opaque.as_ref(),
        Part::Call(call) => call.opaque.as_ref(),
        Part::Result(result) => result.opaque.as_ref(),
        Part::Unknown(unknown) => return (unknown.wire == NAME).then_some(&unknown.value),
        _ => None,
    };
    opaque.and_then(|opaque| opaque.of(NAME))
}
