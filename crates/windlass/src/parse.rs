//! Parsers of streams, each usable alone: server-sent events, partial JSON, calls from chunks and from text.

pub use windlass_assemble as assemble;
pub use windlass_partial_json as partial_json;
pub use windlass_sse as sse;
pub use windlass_text_calls as text_calls;
