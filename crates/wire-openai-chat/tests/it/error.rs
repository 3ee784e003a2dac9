//! Tests that the kind of a refusal follows from the error messages of servers.

use windlass_stream::{Chunk, StreamErrorKind};
use windlass_wire::{ProviderError, ProviderErrorKind as Kind, Wire, WireLimits};
use windlass_wire_openai_chat::OpenAiChat;

#[track_caller]
fn check(status: u16, body: &str, kind: Kind, message: &str) -> ProviderError {
    let error = OpenAiChat::default().decode_error(status, body.as_bytes());
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
    check(404, &body("model_not_found", "no model"), Kind::NotFound, "no model");
    let error = check(400, &body("unsupported_parameter", "no stop"), Kind::Request, "no stop");
    assert_eq!(error.code.as_deref(), Some("unsupported_parameter"));
    assert_eq!(error.parameter.as_deref(), Some("model"));
    assert!(!error.is_retryable());
}

#[test]
fn other_forms_of_error_bodies_are_read() {
    check(
        500,
        r#"{"error":{"code":500,"message":"tools need a flag","type":"server_error"}}"#,
        Kind::Server,
        "flag",
    );
    check(401, r#"{"detail":"Invalid API Key"}"#, Kind::Authentication, "Invalid API Key");
    check(422, r#"{"detail":[{"loc":["body"],"msg":"field required"}]}"#, Kind::Request, "field required");
    check(400, r#"{"error":"model is required"}"#, Kind::Request, "model is required");
    check(400, r#"[{"error":{"code":400,"message":"in a list"}}]"#, Kind::Request, "in a list");
    check(402, r#"{"error":{"message":"Insufficient credits","code":402}}"#, Kind::Quota, "credits");
    check(
        400,
        r#"{"object":"error","message":"maximum context length is 8192"}"#,
        Kind::ContextLength,
        "8192",
    );
}

#[test]
fn bodies_not_from_the_provider_are_reported() {
    check(502, "<html>bad gateway</html>", Kind::Server, "HTML");
    check(404, "<html>not here</html>", Kind::NotProvider, "HTML");
    check(403, "", Kind::NotProvider, "empty body");
    check(400, "nope", Kind::NotProvider, "nope");
    check(400, "{}", Kind::NotProvider, "{}");
}

// S12, L9
#[test]
fn errors_inside_a_stream_keep_kind_parameter_and_wait() {
    let length =
        r#"{"error":{"message":"This endpoint's maximum context length is 8192 tokens.","code":400}}"#;
    let limit = r#"{"error":{"message":"Rate limit reached. Please try again in 11.054s.","code":429}}"#;
    let parameter = r#"{"error":{"message":"Unsupported parameter","code":"unsupported_parameter","param":"temperature","type":"invalid_request_error"}}"#;
    for (event, kind, parameter, wait) in [
        (length, StreamErrorKind::ContextLength, None, None),
        (limit, StreamErrorKind::RateLimit, None, Some(11_054)),
        (parameter, StreamErrorKind::Request, Some("temperature"), None),
    ] {
        let mut chunks = Vec::new();
        let mut decoder = OpenAiChat::default().decoder(WireLimits::default());
        decoder.push(format!("data: {event}\n\n").as_bytes(), &mut chunks).unwrap();
        let Some(Chunk::Error { error }) = chunks.first() else { unreachable!("{event} is an error") };
        let got = (error.kind, error.parameter.as_deref(), error.retry_after_ms);
        assert_eq!(got, (kind, parameter, wait), "{event}");
    }
}
