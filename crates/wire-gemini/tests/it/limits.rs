//! What is over a limit or not of this format is a typed error.

use windlass_wire::{DecodeError, Limits, Wire};
use windlass_wire_gemini::Gemini;

fn decode(limits: Limits, bytes: &[u8]) -> Result<(), DecodeError> {
    let mut decoder = Gemini::default().decoder(limits);
    let mut chunks = Vec::new();
    decoder.push(bytes, &mut chunks)?;
    decoder.finish(&mut chunks)
}

const EVENT: &str = "data: {\"candidates\":[]}\n\n";
const ELEMENT: &str = "{\"candidates\":[]},";

// S16
#[test]
fn limits_are_typed_errors() {
    let limits = Limits { event_bytes: 10, ..Limits::default() };
    for body in [EVENT.to_owned(), format!("[{ELEMENT}")] {
        let error = decode(limits, body.as_bytes()).unwrap_err();
        assert!(matches!(error, DecodeError::Limit { what: "bytes of one event", limit: 10 }), "{error:?}");
    }
    let limits = Limits { events: 2, ..Limits::default() };
    assert!(decode(limits, EVENT.repeat(2).as_bytes()).is_ok());
    assert!(decode(limits, format!("[{}", ELEMENT.repeat(2)).as_bytes()).is_ok());
    for body in [EVENT.repeat(3), format!("[{}", ELEMENT.repeat(3))] {
        let error = decode(limits, body.as_bytes()).unwrap_err();
        assert!(matches!(error, DecodeError::Limit { what: "events", limit: 2 }), "{error:?}");
    }
    let limits = Limits { body_bytes: 10, ..Limits::default() };
    let body = br#"{"error":{"message":"no"}}"#;
    assert!(matches!(decode(limits, body), Err(DecodeError::Limit { limit: 10, .. })));
    assert!(matches!(
        Gemini::default().decode_whole(body, limits, &mut Vec::new()),
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
    check_shape(b"[]", "empty body");
    check_shape(b"[1]", "no object");
    check_shape(b"[\"words\"]", "no object");
    check_shape(b"<html><title>502 Bad Gateway</title></html>", "HTML");
    check_shape(b"upstream connect error", "upstream connect error");
    check_shape(br#"{"hello":"world"}"#, "JSON object");
    check_shape(b": comments only\n\n", "comments only");
}

#[test]
fn an_event_that_is_not_json_is_named_by_its_number() {
    for body in [format!("{EVENT}data: {{broken\n\n"), format!("[{ELEMENT}{{broken}}]")] {
        let error = decode(Limits::default(), body.as_bytes()).unwrap_err();
        assert!(matches!(error, DecodeError::Json { event: 2, .. }), "{error:?}");
    }
}
