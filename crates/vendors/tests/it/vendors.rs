//! The table of vendors, and files of the user that override it.

use windlass_protocol::Support;
use windlass_schema::Dialect;
use windlass_vendors::{Ability, ClaimSource, KeyUse, Quirk, Vendors};

#[test]
fn each_builtin_vendor_is_whole() {
    let vendors = Vendors::builtin();
    let names: Vec<&str> = vendors.names().collect();
    assert_eq!(
        names,
        [
            "anthropic",
            "azure-openai",
            "cerebras",
            "deepseek",
            "fireworks",
            "gemini",
            "groq",
            "litellm",
            "llama.cpp",
            "lmstudio",
            "mistral",
            "ollama",
            "openai",
            "openai-chat",
            "openai-responses",
            "openrouter",
            "together",
            "vllm",
            "xai",
        ]
    );
    for vendor in vendors.iter() {
        let (name, endpoint) = (vendor.name(), &vendor.endpoint);
        let is_local = endpoint.base_url.starts_with("http://localhost:");
        assert!(is_local || endpoint.base_url.starts_with("https://"), "{name}");
        assert_eq!(endpoint.key_use == KeyUse::Optional, is_local, "{name}: who asks for a key");
        assert!(endpoint.key_env.is_some(), "{name}");
        assert_eq!(vendor.wire().unwrap().name(), endpoint.wire, "{name}");
        assert!(Dialect::from_name(vendor.schema("any")).is_some(), "{name}: {}", vendor.schema("any"));
        for pattern in vendor.patterns() {
            assert!(Dialect::from_name(vendor.schema(pattern)).is_some(), "{name} {pattern}");
        }
    }
}

#[track_caller]
fn check(vendor: &str, model: &str, ability: Ability, support: Support, source: Option<ClaimSource>) {
    let answer = Vendors::builtin().get(vendor).unwrap().capabilities(model).claim(ability);
    assert_eq!((answer.support, answer.source), (support, source), "{vendor} {model} {ability:?}");
}

#[test]
fn each_ability_names_its_source() {
    let table = |pattern: &str| Some(ClaimSource::Table(pattern.to_owned()));
    check("openai", "gpt-4o-mini", Ability::NativeTools, Support::Yes, table("gpt-4o*"));
    check("openai", "o3-mini", Ability::Images, Support::No, table("o3-mini*"));
    check("openai", "o3", Ability::Images, Support::Yes, table("o3*"));
    check("openai", "new-thing", Ability::NativeTools, Support::Unknown, None);
    check("groq", "groq/compound", Ability::NativeTools, Support::No, table("*compound*"));
    check("groq", "some", Ability::NativeTools, Support::Yes, Some(ClaimSource::Vendor));
    check("ollama", "qwen3", Ability::ForcedToolChoice, Support::No, Some(ClaimSource::Vendor));
    let known = Vendors::builtin().get("deepseek").unwrap().capabilities("deepseek-chat").capabilities();
    assert_eq!(
        (known.native_tools, known.images, known.parallel_calls),
        (Support::Yes, Support::No, Support::Unknown)
    );
}

#[track_caller]
fn check_wrong(file: &str, key: &str, line: Option<usize>, said: &str) {
    let error = Vendors::builtin().with_file(file).unwrap_err();
    assert_eq!((error.key.as_str(), error.line), (key, line), "{error}");
    assert!(error.to_string().contains(said), "{said} is not in {error}");
}

#[test]
fn errors_name_their_key_and_line() {
    check_wrong("[vendor.x\n", "the file is not TOML", Some(1), "");
    check_wrong(
        "[vendor.groq]\n\nquirks = [\"no-stop\", \"nostop\"]",
        "vendor.groq.quirks[1]",
        Some(3),
        "unknown variant `nostop`",
    );
    check_wrong("[vendor.groq]\nbase_url = \"x\"", "vendor.groq.base_url", Some(2), "base-url");
    check_wrong("[vendor.groq]\nkey = \"maybe\"", "vendor.groq.key", Some(2), "optional");
    check_wrong(
        "[vendor.groq]\ncapabilities = { tools = true }",
        "vendor.groq.capabilities.tools",
        Some(2),
        "native-tools",
    );
    check_wrong(
        "[[vendor.groq.model]]\npattern = \"*\"\n\ncapabilities = { images = 1 }",
        "vendor.groq.model[0].capabilities.images",
        Some(4),
        "boolean",
    );
    check_wrong("[vendor.new]\nlike = \"groq\"\nwire = \"smoke\"", "vendor.new.wire", Some(3), "`gemini`");
    check_wrong("[vendor.new]\nwire = \"openai-chat\"", "vendor.new.base-url", None, "like");
    check_wrong("[vendor.new]\nbase-url = \"http://x\"", "vendor.new.wire", None, "like");
    check_wrong(
        "[vendor.new]\nlike = \"grok\"",
        "vendor.new.like",
        None,
        "unknown vendor grok; known vendors: anthropic,",
    );
    check_wrong("[vendors.new]\n", "vendors", Some(1), "vendor");
}

// The last file of the user takes precedence.
#[test]
fn a_later_file_is_laid_over_an_earlier() {
    let vendors = Vendors::builtin()
        .with_file(
            "[vendor.xai]\nquirks = [\"no-strict\"]\ncapabilities = { images = false, reasoning = true }",
        )
        .unwrap()
        .with_file(
            "[vendor.xai]\nwithout-quirks = [\"no-strict\", \"no-stop\"]\ncapabilities = { images = true }",
        )
        .unwrap();
    let xai = vendors.get("xai").unwrap();
    assert_eq!(xai.quirks("grok-4"), [Quirk::NoFreeTextTools].into(), "{:?}", xai.quirks("grok-4"));
    let known = xai.capabilities("grok-4");
    assert_eq!(
        (known.claim(Ability::Images).support, known.claim(Ability::Reasoning).support),
        (Support::Yes, Support::Yes)
    );
}

#[test]
fn an_openai_row_with_another_base_url_defaults_to_openai_chat() {
    let read = |file: &str| {
        let vendors = Vendors::builtin().with_file(file).unwrap();
        let endpoint = &vendors.get("office").or_else(|| vendors.get("openai")).unwrap().endpoint;
        (endpoint.wire.clone(), endpoint.takes_cache_key)
    };
    let at = |name: &str, rest: &str| {
        read(&format!("[vendor.{name}]\nbase-url = \"https://llm.office.example/v1\"\n{rest}"))
    };
    let chat = || ("openai-chat".to_owned(), false);
    assert_eq!(at("openai", ""), chat());
    assert_eq!(at("office", "like = \"openai\""), chat());
    let responses = "wire = \"openai-responses\"\nprompt-cache-key = true";
    assert_eq!(at("openai", responses), ("openai-responses".to_owned(), true));
    assert_eq!(read("[vendor.openai]\nquirks = [\"no-strict\"]"), ("openai-responses".to_owned(), true));
    assert_eq!(
        read("[vendor.openai]\nwire-elsewhere = \"anthropic\""),
        ("openai-responses".to_owned(), true)
    );
    let azure = Vendors::builtin().get("azure-openai").unwrap().endpoint.clone();
    assert_eq!((azure.wire.as_str(), azure.takes_cache_key), ("openai-chat", true));
    let azure = azure.with_base_url("https://office.openai.azure.com/openai/v1");
    assert!(azure.takes_cache_key);
    assert!(!azure.with_base_url("https://office.example/openai/v1").takes_cache_key);
}

#[test]
fn providers_have_the_names_of_the_conventions() {
    let file = "[vendor.office]\nlike = \"gemini\"\n[vendor.tower]\nlike = \"mistral\"\notel-name = \"mistral_ai\"\n\
                [vendor.gemini]\nkey-env = \"OTHER_KEY\"\n";
    let vendors = Vendors::builtin().with_file(file).unwrap();
    for (known, name) in [
        ("openai", "openai"),
        ("openai-chat", "openai"),
        ("openai-responses", "openai"),
        ("azure-openai", "azure.ai.openai"),
        ("anthropic", "anthropic"),
        ("gemini", "gcp.gemini"),
        ("mistral", "mistral_ai"),
        ("xai", "x_ai"),
        ("office", "office"),
        ("tower", "mistral_ai"),
        ("unknown", "unknown"),
    ] {
        assert_eq!(vendors.otel_name(known), name, "{known}");
    }
}
