//! What is over a limit or not of this format is a typed error.

use windlass_wire::{DecodeError, Limits, Wire};
use windlass_wire_openai_responses::OpenAiResponses;

fn decode(limits: Limits, bytes: &[u8]) -> Result<(), DecodeError> {
    let mut decoder = OpenAiResponses::default().decoder(limits);
    let mut chunks = Vec::new();
    decoder.push(bytes, &mut chunks)?;
    decoder.finish(&mut chunks)
}

const EVENT: &str = "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"Hi\"}\n\n";

// S16
#[test]
fn limits_are_typed_errors() {
    let limits = Limits { event_bytes: 10, ..Limits::default() };
    let error = decode(limits, EVENT.as_bytes()).unwrap_err();
    assert!(matches!(error, DecodeError::Limit { what: "bytes of one event", limit: 10 }), "{error:?}");
    let limits = Limits { events: 2, ..Limits::default() };
    assert!(decode(limits, EVENT.repeat(2).as_bytes()).is_ok());
    let error = decode(limits, EVENT.repeat(3).as_bytes()).unwrap_err();
    assert!(matches!(error, DecodeError::Limit { what: "events", limit: 2 }), "{error:?}");
    let limits = Limits { body_bytes: 10, ..Limits::default() };
    let body = br#"{"error":{"message":"no"}}"#;
    assert!(matches!(decode(limits, body), Err(DecodeError::Limit { limit: 10, .. })));
    assert!(matches!(
        OpenAiResponses::default().decode_whole(body, limits, &mut Vec::new()),
        Err(DecodeError::Limit { .. })
    ));
}

#[track_caller]
fn check_shape(body: &[u8], words: &str) {
    let error = decode(Limits::default(), body).unwrap_err();
    assert!(matches!(error, DecodeError::Shape { .. }), "{error:?}");
    assert!(error.to_string().contains(words), "{error}");
}

#[test]
fn a_body_that_is_no_stream_says_what_it_is() {
    check_shape(b"", "empty body");
    check_shape(b"<html><title>502 Bad Gateway</title></html>", "HTML");
    check_shape(b"upstream connect error", "upstream connect error");
    check_shape(br#"{"hello":"world"}"#, "JSON object");
    check_shape(br#"{"object":"chat.completion","choices":[]}"#, "JSON object");
    check_shape(br#"{"object":"response","output":7}"#, "invalid type");
    check_shape(b": comments only\n\n", "comments only");
}

#[test]
fn an_event_that_is_not_json_is_named_by_its_number() {
    let body = format!("{EVENT}data: {{broken\n\n");
    let error = decode(Limits::default(), body.as_bytes()).unwrap_err();
    assert!(matches!(error, DecodeError::Json { event: 2, .. }), "{error:?}");
}
