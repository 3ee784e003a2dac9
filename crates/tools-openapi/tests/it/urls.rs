//! Tests that an argument only changes its own part of a request's URL.

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use serde_json::{Value, json};
use windlass_protocol::Effect;
use windlass_tool::Tool;
use windlass_tools_openapi::{OpenApi, OperationTools, WebUrl};

use crate::pets::{payload, pets, tool};

const DOCUMENT: &str = r"
openapi: 3.1.0
servers: [{url: 'https://a.example/v1/'}]
paths:
  /a/{p}/{q}/end:
    put:
      operationId: put
      parameters:
        - {name: p, in: path, required: true, schema: {}}
        - {name: q, in: path, required: true, style: label, schema: {}}
        - {name: one, in: query, schema: {}}
        - {name: two, in: query, style: deepObject, schema: {}}
        - {name: three, in: query, style: pipeDelimited, explode: false, schema: {}}
";

/// Returns the URL of a call, or `None` if the call would send nothing.
fn url(arguments: &Value) -> Option<WebUrl> {
    static TOOL: LazyLock<Arc<dyn Tool>> = LazyLock::new(|| {
        let api = OpenApi::parse(DOCUMENT.as_bytes()).unwrap();
        tool(&OperationTools::builder(&api).writes(true).build().unwrap(), "put")
    });
    let effects = TOOL.effects(&payload(arguments));
    effects.into_iter().find_map(|effect| match effect {
        Effect::Custom { target, .. } => Some(WebUrl::parse(&target).unwrap()),
        _ => None,
    })
}

/// Decodes the percent-encoding of a text.
fn decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let code = [rest.next().unwrap(), rest.next().unwrap()];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&code).unwrap(), 16).unwrap());
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).unwrap()
}

fn hostile() -> impl Strategy<Value = String> {
    let parts = prop_oneof![
        Just("/"),
        Just(".."),
        Just("."),
        Just("%2F"),
        Just("%2e"),
        Just("?"),
        Just("#"),
        Just("\r\n"),
        Just("&"),
        Just("="),
        Just("\\"),
        Just("@"),
        Just(":"),
        Just("ü"),
        Just("\u{202e}"),
        Just("日本"),
        Just(";"),
        Just(","),
        Just("%"),
        Just("+"),
        Just(" "),
        Just("a"),
        Just("\0"),
        Just("[x]"),
        Just("http://evil.example/"),
    ];
    prop_oneof![proptest::collection::vec(parts, 0..6).prop_map(|parts| parts.concat()), any::<String>(),]
}

proptest! {
    #[test]
    fn an_argument_stays_in_its_segment_and_its_field(p in hostile(), q in hostile(), one in hostile(), two in hostile()) {
        let arguments = json!({"p": p, "q": q, "one": one, "two": {"k": two}, "three": [one, two]});
        let Some(url) = url(&arguments) else {
            // Only an argument that would vanish from the path is refused.
            let is_dots = |text: &str| matches!(text, "" | "." | "..");
            let label = format!(".{q}");
            prop_assert!(is_dots(&p) || is_dots(&label), "{} {}", p, q);
            return Ok(());
        };
        prop_assert_eq!((url.host(), url.port(), url.is_encrypted()), ("a.example", 443, true));
        let (path, query) = url.target().split_once('?').unwrap();
        let segments: Vec<&str> = path.split('/').collect();
        prop_assert_eq!(segments.len(), 6, "{}", path);
        prop_assert_eq!((segments[1], segments[2], segments[5]), ("v1", "a", "end"));
        prop_assert_eq!(decode(segments[3]), p);
        prop_assert_eq!(decode(segments[4]), [".", &q].concat());
        let fields: Vec<(String, String)> = query
            .split('&')
            .map(|field| field.split_once('=').map(|(name, value)| (decode(name), decode(value))).unwrap())
            .collect();
        let expected = [("one", one.clone()), ("two[k]", two.clone()), ("three", format!("{one}|{two}"))];
        prop_assert_eq!(fields, expected.map(|(name, value)| (name.to_owned(), value)).to_vec());
    }
}

#[test]
fn segments_that_parsers_remove_are_refused() {
    for p in [".", "..", ""] {
        assert!(url(&json!({"p": p, "q": "x"})).is_none(), "{p:?}");
    }
    // The style adds a dot of its own.
    assert!(url(&json!({"p": "x", "q": "."})).is_none());
    // A percent sign is encoded, so it begins no code.
    assert_eq!(url(&json!({"p": "%2e%2e", "q": "x"})).unwrap().target(), "/v1/a/%252e%252e/.x/end");
}

#[test]
fn an_exploded_object_adds_only_its_own_fields() {
    let api = pets();
    let tools = OperationTools::builder(&api).build().unwrap();
    let effects = |arguments: Value| tool(&tools, "listPets").effects(&payload(&arguments));
    assert_eq!(effects(json!({"page": {"offset": 1}})).len(), 1);
    for key in ["limit", "admin", "offset&x"] {
        assert_eq!(effects(json!({"page": {key: 1}})), [Effect::Unknown], "{key}");
    }
}

#[test]
fn paths_of_a_document_stay_below_the_base() {
    for path in ["/a/../b", "/%2e%2e/b", "/a?x=1", "/a#b", "/{a", "/{}", "/.{x}/.."] {
        let document = format!(
            "openapi: 3.1.0\nservers: [{{url: 'https://a.example'}}]\npaths: {{'{path}': {{get: {{parameters: [{{name: x, in: path}}]}}}}}}"
        );
        let api = OpenApi::parse(document.as_bytes()).unwrap();
        assert!(OperationTools::builder(&api).build().is_err(), "{path}");
    }
}
