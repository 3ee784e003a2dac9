//! The table of providers.

use windlass_vendors::{Auth, Endpoint};

#[test]
fn a_provider_is_found_by_its_name() {
    assert!(Endpoint::names().contains(&"openrouter"));
    assert_eq!(Endpoint::find("nobody"), None);
    let names = Endpoint::names();
    assert!(names.iter().all(|name| Endpoint::find(name).is_some_and(|endpoint| endpoint.name == *name)));
}

#[track_caller]
fn check_auth(provider: &str, header: &str) {
    assert_eq!(Endpoint::find(provider).unwrap().auth, Auth::Header(header.to_owned()));
}

#[test]
fn some_providers_take_their_key_in_their_own_header() {
    check_auth("anthropic", "x-api-key");
    check_auth("gemini", "x-goog-api-key");
}

#[test]
fn a_host_is_shown_without_what_stands_before_it() {
    let endpoint = Endpoint::custom("https://user:secret@example.com:8443/v1?key=secret", "openai-chat");
    assert_eq!(endpoint.host(), "example.com:8443");
}

#[test]
fn a_secret_header_is_not_shown() {
    let endpoint = Endpoint::custom("https://user:planted@example.com/v1", "openai-chat")
        .with_header("X-Api-Key", "planted")
        .with_header("x-title", "windlass");
    let shown = format!("{endpoint:?}");
    assert!(!shown.contains("planted") && shown.contains("windlass"), "{shown}");
}
