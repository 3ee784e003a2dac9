//! Clients of vendors from the table and from files of the user.

use windlass_client::{Ability, Auth, ClaimSource, Client, ClientError, Discovery, KeyUse, Quirk, Vendors};
use windlass_protocol::{Message, Request, Support};

use crate::quirk::body;

#[test]
fn azure_uses_the_api_key_header_and_requires_a_resource() {
    let azure = Vendors::builtin().get("azure-openai").unwrap().clone();
    assert_eq!(azure.endpoint.auth, Auth::Header("api-key".to_owned()));
    assert!(azure.quirks("gpt-5").contains(&Quirk::MaxCompletionTokens));
    let error = Client::vendor(azure).build().unwrap_err();
    assert!(matches!(error, ClientError::Placeholder { .. }), "{error}");
    assert!(error.to_string().contains("{resource}"), "{error}");
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
    let images = |model: &str| office.capabilities(model).claim(Ability::Images);
    assert_eq!((images("any").support, images("any").source), (Support::No, Some(ClaimSource::Config)));
    assert_eq!(
        (images("x-vision").support, images("x-vision").source),
        (Support::Yes, Some(ClaimSource::Config))
    );

    let mut request = Request::new("any", vec![Message::user("hi")]).with_max_output_tokens(5);
    request.options.extra.insert("user".to_owned(), "me".into());
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
