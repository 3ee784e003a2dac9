//! One function per property. Each accepts any bytes and panics with a description of the violated property.

mod approvals;
mod assemble;
mod coercion;
mod command;
mod command_work;
mod encoded_history;
mod machine;
mod partial_json;
mod path_rules;
mod redact;
mod round_trip;
mod schema_compile;
mod sse;
mod text_calls;
mod wire;
mod wire_answer;
mod wire_request;

pub use approvals::approvals;
pub use assemble::assemble;
pub use coercion::coercion;
pub use command::command;
pub use command_work::command_work;
pub use encoded_history::encoded_history;
pub use machine::machine;
pub use partial_json::{partial_json_oracle, partial_json_repair, partial_json_snapshot, partial_json_split};
pub use path_rules::path_rules;
pub use redact::redact;
pub use round_trip::round_trip;
pub use schema_compile::{schema_compile, schema_refusals};
pub use sse::sse;
pub use text_calls::{text_calls_bare, text_calls_envelopes, text_calls_markers, text_calls_tags};
pub use wire::{wire_anthropic, wire_gemini, wire_openai_chat, wire_openai_responses};
pub use wire_answer::wire_answer;
pub use wire_request::wire_request;

/// A property that must hold for any bytes.
pub type Oracle = fn(&[u8]);

const TABLE: &[(&str, Oracle)] = &[
    ("sse", sse),
    ("partial_json_oracle", partial_json_oracle),
    ("partial_json_split", partial_json_split),
    ("partial_json_snapshot", partial_json_snapshot),
    ("partial_json_repair", partial_json_repair),
    ("assemble", assemble),
    ("machine", machine),
    ("round_trip", round_trip),
    ("text_calls_tags", text_calls_tags),
    ("text_calls_envelopes", text_calls_envelopes),
    ("text_calls_markers", text_calls_markers),
    ("text_calls_bare", text_calls_bare),
    ("coercion", coercion),
    ("command", command),
    ("command_work", command_work),
    ("encoded_history", encoded_history),
    ("path_rules", path_rules),
    ("redact", redact),
    ("schema_compile", schema_compile),
    ("wire_openai_chat", wire_openai_chat),
    ("wire_anthropic", wire_anthropic),
    ("wire_openai_responses", wire_openai_responses),
    ("wire_gemini", wire_gemini),
    ("wire_request", wire_request),
    ("wire_answer", wire_answer),
    ("approvals", approvals),
];

/// The names of all properties; the fuzz targets have the same names.
pub const NAMES: [&str; TABLE.len()] = {
    let mut names = [""; TABLE.len()];
    let mut at = 0;
    while at < TABLE.len() {
        names[at] = TABLE[at].0;
        at += 1;
    }
    names
};

/// Returns the property with this name.
pub fn by_name(name: &str) -> Option<Oracle> {
    TABLE.iter().find(|(known, _)| *known == name).map(|(_, oracle)| *oracle)
}
