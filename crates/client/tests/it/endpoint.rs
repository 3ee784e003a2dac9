//! The table of providers.

use windlass_client::{Auth, Endpoint};

#[test]
fn each_known_provider_is_whole() {
    let names = Endpoint::names();
    for name in [
        "openai",
        "anthropic",
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
        assert!(["openai-chat", "openai-responses", "anthropic"].contains(&endpoint.wire.as_str()), "{name}");
    }
    assert_eq!(Endpoint::find("nobody"), None);
}

#[test]
fn anthropic_takes_its_key_in_its_own_header() {
    let endpoint = Endpoint::find("anthropic").unwrap();
    assert_eq!(endpoint.auth, Auth::Header("x-api-key".to_owned()));
}

#[test]
fn a_host_is_shown_without_what_stands_before_it() {
    let endpoint = Endpoint::custom("https://user:secret@example.com:8443/v1?key=secret", "openai-chat");
    assert_eq!(endpoint.host(), "example.com:8443");
}
