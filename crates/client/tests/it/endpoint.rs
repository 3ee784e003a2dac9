//! The table of providers.

use windlass_client::{Auth, Endpoint};

#[test]
fn each_known_provider_is_whole() {
    let names = Endpoint::names();
    for name in [
        "openai",
        "anthropic",
        "gemini",
        "openrouter",
        "groq",
        "mistral",
        "deepseek",
        "together",
        "xai",
        "ollama",
        "lmstudio",
        "vllm",
        "llama.cpp",
    ] {
        assert!(names.contains(&name), "{name}");
    }
    for name in names {
        let endpoint = Endpoint::find(name).unwrap();
        let local = endpoint.base_url.starts_with("http://localhost:");
        assert!(local || endpoint.base_url.starts_with("https://"), "{name}");
        assert_eq!(endpoint.key_env.is_none(), local, "{name}: who asks for a key");
        let wires = ["openai-chat", "openai-responses", "anthropic", "gemini"];
        assert!(wires.contains(&endpoint.wire.as_str()), "{name}");
    }
    assert_eq!(Endpoint::find("nobody"), None);
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
