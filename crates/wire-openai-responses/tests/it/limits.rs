//! Input over a limit or not of this format is a typed error.

use windlass_testkit::wire_suite::{check_limits, check_second_event_is_no_json, check_shapes};
use windlass_wire_openai_responses::OpenAiResponses;

const EVENT: &str = "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"Hi\"}\n\n";

// S16
#[test]
fn limits_are_typed_errors() {
    check_limits(&OpenAiResponses::default(), &[&|count| EVENT.repeat(count)]);
}

#[test]
fn a_body_that_is_not_a_stream_is_described() {
    check_shapes(
        &OpenAiResponses::default(),
        &[
            (br#"{"object":"chat.completion","choices":[]}"#, "JSON object"),
            (br#"{"object":"response","output":7}"#, "invalid type"),
        ],
    );
}

#[test]
fn an_event_that_is_not_json_is_named_by_its_number() {
    check_second_event_is_no_json(&OpenAiResponses::default(), &[format!("{EVENT}data: {{broken\n\n")]);
}
