//! The table of vendors, and files of the user over it.

use windlass_client::{Ability, Auth, Client, ClientError, Discovery, KeyUse, Quirk, Source, Vendors};
use windlass_protocol::{Message, Request, Support};

use windlass_schema::Dialect;

use crate::quirk::body;

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
        assert_eq!(vendor.wire("any").unwrap().name(), endpoint.wire, "{name}");
        assert!(Dialect::from_name(vendor.schema("any")).is_some(), "{name}: {}", vendor.schema("any"));
        for pattern in vendor.patterns() {
            assert!(Dialect::from_name(vendor.schema(pattern)).is_some(), "{name} {pattern}");
        }
    }
}

#[test]
fn azure_takes_its_key_in_its_own_header_and_wants_a_resource() {
    let azure = Vendors::builtin().get("azure-openai").unwrap().clone();
    assert_eq!(azure.endpoint.auth, Auth::Header("api-key".to_owned()));
    assert!(azure.quirks("gpt-5").contains(&Quirk::MaxCompletionTokens));
    let error = Client::vendor(azure).build().unwrap_err();
    assert!(matches!(error, ClientError::Placeholder { .. }), "{error}");
    assert!(error.to_string().contains("{resource}"), "{error}");
}

#[track_caller]
fn check(vendor: &str, model: &str, ability: Ability, support: Support, source: Option<Source>) {
    let answer = Vendors::builtin().get(vendor).unwrap().capabilities(model).of(ability);
    assert_eq!((answer.support, answer.source), (support, source), "{vendor} {model} {ability:?}");
}

#[test]
fn the_table_says_who_says_so() {
    let table = |pattern: &str| Some(Source::Table(pattern.to_owned()));
    check("openai", "gpt-4o-mini", Ability::NativeTools, Support::Yes, table("gpt-4o*"));
    check("openai", "o3-mini", Ability::Images, Support::No, table("o3-mini*"));
    check("openai", "o3", Ability::Images, Support::Yes, table("o3*"));
    check("openai", "new-thing", Ability::NativeTools, Support::Unknown, None);
    check("groq", "groq/compound", Ability::NativeTools, Support::No, table("*compound*"));
    check("groq", "some", Ability::NativeTools, Support::Yes, Some(Source::Vendor));
    check("ollama", "qwen3", Ability::ForcedToolChoice, Support::No, Some(Source::Vendor));
    let known = Vendors::builtin().get("deepseek").unwrap().capabilities("deepseek-chat").capabilities();
    assert_eq!(
        (known.native_tools, known.images, known.parallel_calls),
        (Support::Yes, Support::No, Support::Unknown)
    );
}

const OFFICE: &str = r#"
    [vendor.office]
    like = "mistral"
    base-url = "https://llm.office.example/v1"
    auth = { header = "x-office" }
    key-env = "OFFICE_KEY"
    key = "optional"
    headers = { x-team = "pawl" }
    without-quirks = ["tool-choice-any"]
    drop = ["user"]
    rename = { max_tokens = "max_new_tokens" }
    body = { seed = 7, safe = { prompt = true } }
    capabilities = { images = false }

    [[vendor.office.model]]
    pattern = "*-vision"
    capabilities = { images = true }
    quirks = ["no-stop"]

    [vendor.groq]
    base-url = "http://127.0.0.1:9/v1"
"#;

#[test]
fn a_file_adds_a_vendor_and_changes_one_without_code() {
    let vendors = Vendors::builtin().with_file(OFFICE).unwrap();
    let office = vendors.get("office").unwrap();
    let endpoint = &office.endpoint;
    assert_eq!(
        (endpoint.name.as_str(), endpoint.host(), endpoint.wire.as_str()),
        ("office", "llm.office.example", "openai-chat")
    );
    assert_eq!(endpoint.auth, Auth::Header("x-office".to_owned()));
    assert_eq!((endpoint.key_env.as_deref(), endpoint.key_use), (Some("OFFICE_KEY"), KeyUse::Optional));
    assert_eq!(endpoint.headers, [("x-team".to_owned(), "pawl".to_owned())]);
    assert_eq!((office.schema("any"), office.discovery), ("mistral", Discovery::OpenAi));
    assert!(office.quirks("any").contains(&Quirk::CallIdsOfNine));
    assert!(!office.quirks("any").contains(&Quirk::ToolChoiceAny));
    assert!(!office.quirks("any").contains(&Quirk::NoStop));
    assert!(office.quirks("x-vision").contains(&Quirk::NoStop));
    let images = |model: &str| office.capabilities(model).of(Ability::Images);
    assert_eq!((images("any").support, images("any").source), (Support::No, Some(Source::Config)));
    assert_eq!((images("x-vision").support, images("x-vision").source), (Support::Yes, Some(Source::Config)));

    let mut request = Request::new("any", vec![Message::user("hi")]).with_max_output_tokens(5);
    request.extra.insert("user".to_owned(), "me".into());
    let sent = body(&vendors, "office", &request);
    assert_eq!(
        sent,
        "{\"model\":\"any\",\"max_new_tokens\":5,\"stream\":true,\"safe\":{\"prompt\":true},\"seed\":7,\
         \"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"
    );

    let groq = vendors.get("groq").unwrap();
    assert_eq!(
        (groq.endpoint.host(), groq.endpoint.key_env.as_deref()),
        ("127.0.0.1:9", Some("GROQ_API_KEY"))
    );
    assert_eq!(Vendors::builtin().get("office"), None);
}

#[track_caller]
fn check_wrong(file: &str, key: &str, line: Option<usize>, said: &str) {
    let error = Vendors::builtin().with_file(file).unwrap_err();
    assert_eq!((error.key.as_str(), error.line), (key, line), "{error}");
    assert!(error.to_string().contains(said), "{said} is not in {error}");
}

#[test]
fn what_is_wrong_is_named_with_its_key_and_line() {
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
    check_wrong("[vendor.new]\nwire = \"openai-chat\"", "vendor.new.base-url", None, "like");
    check_wrong("[vendor.new]\nbase-url = \"http://x\"", "vendor.new.wire", None, "like");
    check_wrong(
        "[vendor.new]\nlike = \"grok\"",
        "vendor.new.like",
        None,
        "there is no vendor grok; there are anthropic,",
    );
    check_wrong("[vendors.new]\n", "vendors", Some(1), "vendor");
}

// The user's last word is the strongest.
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
    assert!(xai.quirks("grok-4").is_empty(), "{:?}", xai.quirks("grok-4"));
    let known = xai.capabilities("grok-4");
    assert_eq!(
        (known.of(Ability::Images).support, known.of(Ability::Reasoning).support),
        (Support::Yes, Support::Yes)
    );
}
