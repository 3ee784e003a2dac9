//! The table of all oracles, for fuzzing and the replay of its findings.

use windlass_vendors::WireFormat;

use super::{
    Oracle, approvals, assemble, coercion, command, command_work, encoded_history, machine, openapi,
    partial_json_oracle, partial_json_repair, partial_json_snapshot, partial_json_split, path_rules, redact,
    round_trip, schema_compile, sse, text_calls_bare, text_calls_envelopes, text_calls_markers,
    text_calls_tags, wire_answer, wire_format, wire_request,
};

/// The properties, without those of the decoders: each wire format has one.
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
    ("wire_request", wire_request),
    ("wire_answer", wire_answer),
    ("approvals", approvals),
];

/// A property, which panics for an input that violates it.
pub type NamedOracle = Box<dyn Fn(&[u8])>;

/// Returns the names of all properties; the fuzz targets have the same names.
pub fn names() -> Vec<String> {
    let formats = WireFormat::all().iter().map(name_of);
    TABLE.iter().map(|(name, _)| (*name).to_owned()).chain(formats).collect()
}

/// Returns the property with this name.
pub fn find(name: &str) -> Option<NamedOracle> {
    if let Some((_, oracle)) = TABLE.iter().find(|(known, _)| *known == name) {
        return Some(Box::new(*oracle));
    }
    let format = WireFormat::all().iter().find(|format| name_of(format) == name)?;
    Some(Box::new(move |bytes: &[u8]| wire_format(format.name(), bytes)))
}

/// Returns the name of the property of a wire format's decoder.
fn name_of(format: &WireFormat) -> String {
    format!("wire_{}", format.name().replace('-', "_"))
}
