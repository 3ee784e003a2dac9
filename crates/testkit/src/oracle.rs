//! One function per property. Each accepts any bytes and panics with a description of the violated property.

#[cfg(feature = "hitl")]
mod approvals;
#[cfg(feature = "assemble")]
mod assemble;
#[cfg(feature = "text-calls")]
mod coercion;
#[cfg(feature = "command")]
mod command;
#[cfg(feature = "command")]
mod command_work;
#[cfg(feature = "formats")]
mod encoded_history;
#[cfg(feature = "loop")]
mod machine;
#[cfg(feature = "openapi")]
mod openapi;
#[cfg(feature = "partial-json")]
mod partial_json;
#[cfg(feature = "hitl")]
mod path_rules;
#[cfg(feature = "redact")]
mod redact;
#[cfg(feature = "formats")]
mod round_trip;
#[cfg(feature = "schema")]
mod schema_compile;
#[cfg(feature = "sse")]
mod sse;
#[cfg(feature = "full")]
mod table;
#[cfg(feature = "text-calls")]
mod text_calls;
#[cfg(feature = "wire")]
mod wire;
#[cfg(feature = "formats")]
mod wire_answer;
#[cfg(feature = "formats")]
mod wire_formats;
#[cfg(feature = "formats")]
mod wire_request;

#[cfg(feature = "hitl")]
pub use approvals::approvals;
#[cfg(feature = "assemble")]
pub use assemble::assemble;
#[cfg(feature = "text-calls")]
pub use coercion::coercion;
#[cfg(feature = "command")]
pub use command::command;
#[cfg(feature = "command")]
pub use command_work::command_work;
#[cfg(feature = "formats")]
pub use encoded_history::encoded_history;
#[cfg(feature = "loop")]
pub use machine::machine;
#[cfg(feature = "openapi")]
pub use openapi::openapi;
#[cfg(feature = "partial-json")]
pub use partial_json::{partial_json_oracle, partial_json_repair, partial_json_snapshot, partial_json_split};
#[cfg(feature = "hitl")]
pub use path_rules::path_rules;
#[cfg(feature = "redact")]
pub use redact::redact;
#[cfg(feature = "formats")]
pub use round_trip::round_trip;
#[cfg(feature = "schema")]
pub use schema_compile::{schema_compile, schema_refusals};
#[cfg(feature = "sse")]
pub use sse::sse;
#[cfg(feature = "full")]
pub use table::{NamedOracle, find, names};
#[cfg(feature = "text-calls")]
pub use text_calls::{text_calls_bare, text_calls_envelopes, text_calls_markers, text_calls_tags};
#[cfg(feature = "wire")]
pub use wire::wire;
#[cfg(feature = "formats")]
pub use wire_answer::wire_answer;
#[cfg(feature = "formats")]
pub use wire_formats::wire_format;
#[cfg(feature = "formats")]
pub use wire_request::wire_request;

/// A property that must hold for any bytes.
pub type Oracle = fn(&[u8]);
