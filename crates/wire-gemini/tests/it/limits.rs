//! Input over a limit or not of this format is a typed error.

use windlass_testkit::wire_suite::{check_limits, check_second_event_is_no_json, check_shapes};
use windlass_wire_gemini::Gemini;

const EVENT: &str = "data: {\"candidates\":[]}\n\n";
const ELEMENT: &str = "{\"candidates\":[]},";

// S16
#[test]
fn limits_are_typed_errors() {
    check_limits(
        &Gemini::default(),
        &[&|count| EVENT.repeat(count), &|count| format!("[{}", ELEMENT.repeat(count))],
    );
}

#[test]
fn a_body_that_is_not_a_stream_is_described() {
    check_shapes(
        &Gemini::default(),
        &[(b"[]", "empty body"), (b"[1]", "not an object"), (b"[\"words\"]", "not an object")],
    );
}

#[test]
fn an_event_that_is_not_json_is_named_by_its_number() {
    check_second_event_is_no_json(
        &Gemini::default(),
        &[format!("{EVENT}data: {{broken\n\n"), format!("[{ELEMENT}{{broken}}]")],
    );
}
