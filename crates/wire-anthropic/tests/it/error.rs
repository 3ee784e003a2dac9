//! Tests that the kind of a refusal follows from the API's error messages.

use windlass_stream::{Chunk, StreamErrorKind};
use windlass_wire::{ProviderErrorKind as Kind, Wire, WireLimits};
use windlass_wire_anthropic::Anthropic;

#[track_caller]
fn check(status: u16, body: &str, kind: Kind, message: &str) {
    let error = Anthropic::default().decode_error(status, body.as_bytes());
    assert_eq!(error.kind, kind, "{error:?}");
    assert!(error.message.contains(message), "{error:?}");
}

fn body(kind: &str, message: &str) -> String {
    format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"{message}"}},"request_id":"req_1"}}"#)
}

#[test]
fn documented_types_have_kinds() {
    check(
        400,
        &body("invalid_request_error", "prompt is too long: 3 tokens > 2"),
        Kind::ContextLength,
        "too long",
    );
    check(400, &body("invalid_request_error", "Your credit balance is too low"), Kind::Quota, "balance");
    check(400, &body("invalid_request_error", "messages: at least one"), Kind::Request, "at least one");
    check(413, &body("request_too_large", "too large"), Kind::Request, "too large");
    check(401, &body("authentication_error", "invalid x-api-key"), Kind::Authentication, "x-api-key");
    check(403, &body("permission_error", "not yours"), Kind::Authentication, "not yours");
    check(404, &body("not_found_error", "model: x"), Kind::NotFound, "model: x");
    check(429, &body("rate_limit_error", "slow down"), Kind::RateLimit, "slow down");
    check(500, &body("api_error", "internal"), Kind::Server, "internal");
    check(529, &body("overloaded_error", "Overloaded"), Kind::Server, "Overloaded");
    check(418, &body("teapot_error", "short and stout"), Kind::Request, "short");
}

#[test]
fn bodies_not_from_the_provider_are_reported() {
    check(502, "<html>bad gateway</html>", Kind::Server, "HTML");
    check(404, "<html>not here</html>", Kind::NotProvider, "HTML");
    check(403, "", Kind::NotProvider, "empty body");
    check(400, "{}", Kind::NotProvider, "{}");
    check(401, r#"{"message":"from a gateway"}"#, Kind::Authentication, "from a gateway");
}

// S12
#[test]
fn a_stream_error_can_report_the_context_length() {
    let event = body("invalid_request_error", "prompt is too long: 3 tokens > 2");
    let mut chunks = Vec::new();
    let mut decoder = Anthropic::default().decoder(WireLimits::default());
    decoder.push(format!("event: error\ndata: {event}\n\n").as_bytes(), &mut chunks).unwrap();
    let is_length = |chunk: &Chunk| matches!(chunk, Chunk::Error { error } if error.kind == StreamErrorKind::ContextLength);
    assert!(chunks.iter().any(is_length), "{chunks:?}");
}
