//! Tests that the kind of a refusal follows from the API's error messages.

use windlass_stream::{Chunk, StreamErrorKind};
use windlass_wire::{ProviderErrorKind as Kind, Wire, WireLimits};
use windlass_wire_gemini::Gemini;

#[track_caller]
fn check(status: u16, body: &str, kind: Kind, message: &str) {
    let error = Gemini::default().decode_error(status, body.as_bytes());
    assert_eq!(error.kind, kind, "{error:?}");
    assert!(error.message.contains(message), "{error:?}");
}

fn body(code: u16, status: &str, message: &str, details: &str) -> String {
    format!(
        r#"{{"error":{{"code":{code},"message":"{message}","status":"{status}","details":[{details}]}}}}"#
    )
}

#[track_caller]
fn check_status(code: u16, status: &str, message: &str, kind: Kind) {
    check(code, &body(code, status, message, ""), kind, message);
}

#[test]
fn documented_statuses_have_kinds() {
    check_status(400, "INVALID_ARGUMENT", "Please use a valid role: user, model.", Kind::Request);
    check_status(
        400,
        "INVALID_ARGUMENT",
        "The input token count (3) exceeds the maximum number of tokens allowed (2).",
        Kind::ContextLength,
    );
    check_status(400, "FAILED_PRECONDITION", "User location is not supported", Kind::Request);
    check_status(401, "UNAUTHENTICATED", "no credentials", Kind::Authentication);
    check_status(403, "PERMISSION_DENIED", "not yours", Kind::Authentication);
    check_status(404, "NOT_FOUND", "models/x is not found", Kind::NotFound);
    check_status(429, "RESOURCE_EXHAUSTED", "slow down", Kind::RateLimit);
    check_status(500, "INTERNAL", "internal", Kind::Server);
    check_status(503, "UNAVAILABLE", "The model is overloaded.", Kind::Server);
    check_status(504, "DEADLINE_EXCEEDED", "too long", Kind::Server);
    check_status(429, "A_NEW_WORD", "by its status", Kind::RateLimit);
}

#[test]
fn error_details_refine_the_status() {
    let reason = r#"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}"#;
    check(400, &body(400, "INVALID_ARGUMENT", "not valid", reason), Kind::Authentication, "not valid");
    let quota = |id: &str| {
        let failure = format!(r#"{{"violations":[{{"quotaId":"{id}"}}]}}"#);
        body(429, "RESOURCE_EXHAUSTED", "quota", &failure)
    };
    check(429, &quota("GenerateRequestsPerMinutePerProject"), Kind::RateLimit, "quota");
    check(429, &quota("GenerateRequestsPerDayPerProject"), Kind::Quota, "quota");
    let field = r#"{"fieldViolations":[{"field":"generation_config.temperature","description":"x"}]}"#;
    let error = Gemini::default().decode_error(400, body(400, "INVALID_ARGUMENT", "x", field).as_bytes());
    assert_eq!(error.parameter.as_deref(), Some("generation_config.temperature"));
    assert_eq!(error.code.as_deref(), Some("INVALID_ARGUMENT"));
}

// L9
#[track_caller]
fn check_wait(delay: &str, expected: Option<u64>) {
    let info = format!(r#"{{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"{delay}"}}"#);
    let error =
        Gemini::default().decode_error(429, body(429, "RESOURCE_EXHAUSTED", "slow down", &info).as_bytes());
    assert_eq!(error.retry_after.map(|wait| u64::try_from(wait.as_millis()).unwrap()), expected, "{delay}");
}

#[test]
fn retry_delays_are_parsed() {
    check_wait("48s", Some(48_000));
    check_wait("0.939s", Some(939));
    check_wait("soon", None);
    check_wait("-1s", None);
    check_wait("1e400s", None);
}

#[test]
fn an_error_inside_an_array_is_parsed() {
    check(404, &format!("[{}]", body(404, "NOT_FOUND", "gone", "")), Kind::NotFound, "gone");
}

#[test]
fn bodies_not_from_the_provider_are_reported() {
    check(502, "<html>bad gateway</html>", Kind::Server, "HTML");
    check(404, "<html>not here</html>", Kind::NotProvider, "HTML");
    check(403, "", Kind::NotProvider, "empty body");
    check(400, "{}", Kind::NotProvider, "{}");
    check(401, r#"{"message":"from a gateway"}"#, Kind::Authentication, "from a gateway");
}

// S12, L9
#[test]
fn an_error_inside_a_stream_keeps_the_wait() {
    let info = r#"{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"48s"}"#;
    let event = body(429, "RESOURCE_EXHAUSTED", "slow down", info);
    let mut chunks = Vec::new();
    let mut decoder = Gemini::default().decoder(WireLimits::default());
    decoder.push(format!("data: {event}\n\n").as_bytes(), &mut chunks).unwrap();
    let Some(Chunk::Error { error }) = chunks.first() else { unreachable!("{event} is an error") };
    assert_eq!((error.kind, error.retry_after_ms), (StreamErrorKind::RateLimit, Some(48_000)));
}
