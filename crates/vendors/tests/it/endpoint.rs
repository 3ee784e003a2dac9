//! The table of providers.

use windlass_vendors::{Auth, Endpoint, Header, Vendors};

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
fn a_host_excludes_user_info_and_path() {
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

#[test]
fn another_server_gets_the_older_format_and_no_cache_key() {
    let check = |address: &str, wire: &str, takes_cache_key: bool| {
        let endpoint = Endpoint::find("openai").unwrap().with_base_url(address);
        assert_eq!((endpoint.wire.as_str(), endpoint.takes_cache_key), (wire, takes_cache_key), "{address}");
    };
    check("https://api.openai.com/v1", "openai-responses", true);
    check("https://API.openai.com", "openai-responses", true);
    check("https://eu.api.openai.com/v1", "openai-responses", true);
    check("https://api.openai.com.example/v1", "openai-chat", false);
    check("https://evil-api.openai.com/v1", "openai-chat", false);
    check("https://api.openai.com@example.com/v1", "openai-chat", false);
    check("http://localhost:8080/v1", "openai-chat", false);
    let chosen = Endpoint::find("openai-responses").unwrap().with_base_url("http://localhost:8080/v1");
    assert_eq!(chosen.wire, "openai-responses");
    let home =
        Endpoint::find("openai").unwrap().with_base_url("http://localhost:1").with_wire("openai-responses");
    assert_eq!(home.with_base_url("http://localhost:2").wire, "openai-responses");
}

#[test]
fn a_sign_in_belongs_to_the_providers_own_server() {
    let openrouter = Endpoint::find("openrouter").unwrap();
    assert_eq!(openrouter.sign_in.as_ref().unwrap().page, "https://openrouter.ai/auth");
    assert!(openrouter.with_base_url("https://proxy.example/v1").sign_in.is_none());
    let vendors = Vendors::builtin()
        .with_file("[vendor.office]\nlike = \"openrouter\"\nbase-url = \"https://llm.example/v1\"\n")
        .unwrap();
    assert!(vendors.get("office").unwrap().endpoint.sign_in.is_none());
}

#[test]
fn a_header_is_secret_if_its_name_contains_a_word_of_secrets() {
    let secrets =
        ["Authorization", "proxy-authorization", "x-goog-api-key", "Set-Cookie", "KEY", "x-client-secret-2"];
    for name in secrets.into_iter().chain(["session-token", "kkey", "cookcookie"]) {
        assert!(Header::new(name, "").is_secret, "{name}");
    }
    for name in
        ["", "ke", "k", "x-title", "content-type", "author", "kookie", "toke", "secre-t", "\u{e9}-ke\u{e9}y"]
    {
        assert!(!Header::new(name, "").is_secret, "{name}");
    }
}
