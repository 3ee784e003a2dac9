//! Tests that the kind of a refusal follows from the error messages of servers.

use windlass_stream::{Chunk, StreamErrorKind};
use windlass_wire::{ProviderError, ProviderErrorKind as Kind, Wire, WireLimits};
use windlass_wire_openai_responses::OpenAiResponses;

#[track_caller]
fn check(status: u16, body: &str, kind: Kind, message: &str) -> ProviderError {
    let error = OpenAiResponses::default().decode_error(status, body.as_bytes());
    assert_eq!(error.kind, kind, "{error:?}");
    assert!(error.message.contains(message), "{error:?}");
    error
}

fn body(code: &str, message: &str) -> String {
    format!(
        r#"{{"error":{{"message":"{message}","type":"invalid_request_error","param":"model","code":"{code}"}}}}"#
    )
}

#[test]
fn documented_codes_have_kinds() {
    check(400, &body("context_length_exceeded", "too long"), Kind::ContextLength, "too long");
    check(429, &body("insufficient_quota", "no money"), Kind::Quota, "no money");
    check(429, &body("rate_limit_exceeded", "slow down"), Kind::RateLimit, "slow down");
    check(401, &body("invalid_api_key", "wrong key"), Kind::Authentication, "wrong key");
    check(400, &body("model_not_found", "no model"), Kind::NotFound, "no model");
    check(500, &body("server_error", "it broke"), Kind::Server, "it broke");
    let error = check(400, &body("unsupported_value", "no such effort"), Kind::Request, "effort");
    assert_eq!(error.code.as_deref(), Some("unsupported_value"));
    assert_eq!(error.parameter.as_deref(), Some("model"));
    assert!(!error.is_retryable());
}

#[test]
fn other_forms_of_error_bodies_are_read() {
    check(400, r#"{"code":"invalid-argument","error":"Incorrect key"}"#, Kind::Request, "Incorrect key");
    check(401, r#"{"detail":"Invalid key"}"#, Kind::Authentication, "Invalid key");
    check(422, r#"{"detail":[{"loc":["body"],"msg":"field required"}]}"#, Kind::Request, "field required");
    check(400, r#"[{"error":{"code":400,"message":"in a list"}}]"#, Kind::Request, "in a list");
    check(
        400,
        r#"{"error":{"message":"Your input exceeds the context window of this model"}}"#,
        Kind::ContextLength,
        "exceeds",
    );
}

#[test]
fn bodies_not_from_the_provider_are_reported() {
    check(502, "<html>bad gateway</html>", Kind::Server, "HTML");
    check(404, "<html>not here</html>", Kind::NotProvider, "HTML");
    check(403, "", Kind::NotProvider, "empty body");
    check(400, "{}", Kind::NotProvider, "{}");
}

// S12
#[test]
fn errors_inside_a_stream_have_kinds() {
    for (event, kind) in [
        (r#"{"type":"error","code":"server_error","message":"m"}"#, StreamErrorKind::Server),
        (r#"{"type":"error","error":{"type":"insufficient_quota","message":"m"}}"#, StreamErrorKind::Quota),
        (r#"{"type":"error","error":{"code":"overloaded","message":"m"}}"#, StreamErrorKind::Overloaded),
        (r#"{"type":"error","code":"content_policy_violation","message":"m"}"#, StreamErrorKind::Blocked),
        (r#"{"type":"error","code":"invalid_prompt","message":"m"}"#, StreamErrorKind::Request),
        (r#"{"type":"error","message":"m"}"#, StreamErrorKind::Unknown),
        (r#"{"type":"error"}"#, StreamErrorKind::Unknown),
        (r#"{"type":"response.failed","response":{"status":"failed"}}"#, StreamErrorKind::Unknown),
        (
            r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}}}"#,
            StreamErrorKind::ContextLength,
        ),
    ] {
        let mut chunks = Vec::new();
        let mut decoder = OpenAiResponses::default().decoder(WireLimits::default());
        decoder.push(format!("data: {event}\n\n").as_bytes(), &mut chunks).unwrap();
        let Some(Chunk::Error { error }) = chunks.first() else { unreachable!("{event} is an error") };
        assert_eq!(error.kind, kind, "{event}");
    }
}
