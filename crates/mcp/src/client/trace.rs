//! The trace of the application's requests.

use std::sync::Arc;

/// A function that returns the W3C `traceparent` of the current request, if it has a trace. It is called in
/// the task of the request.
pub type TraceSource = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// Returns whether a text is a `traceparent` of the W3C: version, trace id, parent id and flags in lower-case
/// hexadecimal digits.
pub(crate) fn is_trace_parent(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let is_hex = |part: &str| part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let is_zero = |part: &str| part.bytes().all(|byte| byte == b'0');
    match parts.as_slice() {
        [version, trace, parent, flags] => {
            [version.len(), trace.len(), parent.len(), flags.len()] == [2, 32, 16, 2]
                && parts.iter().all(|part| is_hex(part))
                && *version != "ff"
                && !is_zero(trace)
                && !is_zero(parent)
        }
        _ => false,
    }
}
