//! Properties of the tools of OpenAPI documents.

use std::collections::BTreeSet;

use secrecy::SecretString;
use windlass_protocol::{Arguments, Effect, Payload, ToolName, ToolSpec};
use windlass_schema::{Checker, Dialect};
use windlass_tools_openapi::{OpenApi, OperationTools, WebUrl};

/// The base of all requests.
const BASE: &str = "https://api.example/v1";
/// Maximum number of operations of a document that are tested.
const MAX_OPERATIONS: usize = 50;

/// Any document is an error or tools with valid names and schemas, and no argument leads a request away from the base.
/// The arguments follow the first NUL byte of the input.
///
/// # Panics
/// A property is violated.
pub fn openapi(bytes: &[u8]) {
    let mut parts = bytes.splitn(2, |byte| *byte == 0);
    let (document, arguments) = (parts.next().unwrap_or_default(), parts.next().unwrap_or(b"{}"));
    let Ok(api) = OpenApi::parse(document) else { return };
    let builder = OperationTools::builder(&api).base_url(BASE).writes(true).skip_refused(true);
    let Ok(tools) = builder
        .max_operations(MAX_OPERATIONS)
        .credentials(|_: &str| Some(SecretString::from("key-0123456789")))
        .build()
    else {
        return;
    };
    let arguments = Arguments::parse(String::from_utf8_lossy(arguments)).unwrap_or_default();
    let payload = Payload::Function { arguments };
    let mut names = BTreeSet::new();
    for tool in tools.tools() {
        let spec = tool.spec();
        let name = spec.name().as_str();
        assert!(names.insert(ToolName::loose_form(name)), "the name {name} is not unique");
        assert!(name.len() <= 64 && name.bytes().all(is_plain), "the name {name:?} is not valid");
        assert!(
            !spec.description().chars().any(char::is_control),
            "the description of {name} is not visible"
        );
        if let ToolSpec::Function { parameters, .. } = spec {
            Checker::compile(parameters).expect("the schema was compiled before");
            for dialect in Dialect::ALL {
                drop(dialect.compile(parameters));
            }
        }
        let _ = tool.inspect(&payload);
        tool.effects(&payload).iter().for_each(check_effect);
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-".contains(&byte)
}

fn check_effect(effect: &Effect) {
    match effect {
        Effect::Connect { host, port } => {
            assert_eq!((host.as_str(), *port), ("api.example", 443), "a request leaves its origin");
        }
        Effect::Custom { kind, target, .. } => {
            assert!(kind.starts_with("http."), "{kind} is not a kind of request");
            let url = WebUrl::parse(target).expect("a target is a URL");
            assert_eq!(url.as_str(), target, "a URL has another form after it was parsed");
            assert!(url.target().starts_with("/v1/"), "{target} is not below the base");
            assert!(!target.contains("0123456789"), "{target} has a credential");
        }
        other => assert!(matches!(other, Effect::Unknown), "{other:?} is not an effect of a request"),
    }
}
