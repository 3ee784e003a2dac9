//! Names of the opaque fields that hold the data of this format without a counterpart in `windlass_protocol`.
//! They are stored on a part and are sent back from there.

use serde_json::{Map, Value};
use windlass_protocol::Opaque;

use crate::names::NAME;

/// Fields of a block or a tool that this crate does not interpret: `cache_control`, `citations`, `context` …
pub(crate) const BLOCK: &str = "block";
/// Stored on a result: the list, if the result's content was a list.
pub(crate) const CONTENT: &str = "content";
/// Stored on a result if the client marked the result as an error and the result's text does not begin with a
/// status.
pub(crate) const IS_ERROR: &str = "is_error";
/// The field that marks the end of a prefix for the provider's prompt cache.
pub(crate) const CACHE: &str = "cache_control";

/// Returns the uninterpreted fields of a block.
pub(crate) fn block(opaque: Option<&Opaque>) -> Option<&Map<String, Value>> {
    opaque?.for_wire(NAME)?.get(BLOCK)?.as_object()
}

/// Wraps uninterpreted fields as opaque data. Returns `None` if `rest` is empty.
pub(crate) fn wrap_rest(rest: Map<String, Value>) -> Option<Opaque> {
    (!rest.is_empty()).then(|| {
        let fields = Map::from_iter([(BLOCK.to_owned(), Value::Object(rest))]);
        Opaque::new(NAME, Value::Object(fields))
    })
}
