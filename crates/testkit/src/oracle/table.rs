//! The table of all oracles, for fuzzing and the replay of its findings.

use super::{
    Oracle, approvals, assemble, coercion, command, command_work, encoded_history, machine, openapi,
    partial_json_oracle, partial_json_repair, partial_json_snapshot, partial_json_split, path_rules, redact,
    round_trip, schema_compile, sse, text_calls_bare, text_calls_envelopes, text_calls_markers,
    text_calls_tags, wire_answer, wire_anthropic, wire_gemini, wire_openai_chat, wire_openai_responses,
    wire_request,
};

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
    ("openapi", openapi),
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
pub fn find(name: &str) -> Option<Oracle> {
    TABLE.iter().find(|(known, _)| *known == name).map(|(_, oracle)| *oracle)
}
