//! Input over a limit or not of this format is a typed error.

use windlass_testkit::wire_suite::{check_limits, check_second_event_is_no_json, check_shapes};
use windlass_wire_anthropic::Anthropic;

const EVENT: &str = "data: {\"type\":\"ping\"}\n\n";

// S16
#[test]
fn limits_are_typed_errors() {
    check_limits(&Anthropic::default(), &[&|count| EVENT.repeat(count)]);
}

#[test]
fn a_body_that_is_not_a_stream_is_described() {
    check_shapes(&Anthropic::default(), &[]);
}

#[test]
fn an_event_that_is_not_json_is_named_by_its_number() {
    check_second_event_is_no_json(&Anthropic::default(), &[format!("{EVENT}data: {{broken\n\n")]);
}
