//! A client from variables that the test sets.

use super::{FromEnvError, client};

#[test]
fn key_and_base_url_are_read_from_the_vendors_variables() {
    let made = client("anthropic", |variable| (variable == "ANTHROPIC_API_KEY").then(|| "a key".to_owned()));
    assert_eq!(made.unwrap().endpoint().host(), "api.anthropic.com");
    let made = client("openai", |variable| match variable {
        "OPENAI_API_KEY" => Some("a key".to_owned()),
        "OPENAI_BASE_URL" => Some("http://localhost:8080/v1".to_owned()),
        _ => None,
    });
    let made = made.unwrap();
    assert_eq!(made.endpoint().host(), "localhost:8080");
    assert_eq!(made.endpoint().wire, "openai-chat", "a server elsewhere speaks the older format");
    let made = client("openai", |variable| (variable == "OPENAI_API_KEY").then(|| "a key".to_owned()));
    assert_eq!(made.unwrap().endpoint().wire, "openai-responses");
}

#[test]
fn a_missing_or_empty_key_names_its_variable() {
    for value in [None, Some(" ")] {
        let failed = client("anthropic", |_| value.map(str::to_owned)).unwrap_err();
        assert!(matches!(failed, FromEnvError::MissingKey { .. }), "{failed}");
        assert!(failed.to_string().contains("ANTHROPIC_API_KEY"), "{failed}");
    }
}

#[test]
fn a_local_server_needs_no_key_and_an_unknown_vendor_is_an_error() {
    assert!(client("ollama", |_| None).is_ok());
    let failed = client("nobody", |_| None).unwrap_err();
    assert!(failed.to_string().contains("anthropic"), "{failed}");
}
