//! Tests of the arguments that become headers, and of annotations that are refused.

use serde_json::json;
use serde_json::value::RawValue;

use super::ParamHeaders;

fn filled(schema: &serde_json::Value, arguments: &str) -> Result<Vec<(String, String)>, &'static str> {
    let headers = ParamHeaders::read(&schema.to_string())?;
    let arguments = RawValue::from_string(arguments.to_owned()).unwrap();
    let text = |(name, value): (http::HeaderName, http::HeaderValue)| {
        (name.as_str().to_owned(), value.to_str().unwrap().to_owned())
    };
    Ok(headers.fill(&arguments)?.into_iter().map(text).collect())
}

#[test]
fn annotated_arguments_become_headers_and_others_do_not() {
    let schema = json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "count": {"type": "integer", "x-mcp-header": "Count"},
        "deep": {"type": "object", "properties": {"flag": {"type": "boolean", "x-mcp-header": "Flag"}}},
        "missing": {"type": "string", "x-mcp-header": "Missing"},
        "null": {"type": "string", "x-mcp-header": "Null"},
        "x-mcp-header": {"type": "string"},
        "query": {"type": "string", "default": {"x-mcp-header": "no schema"}},
    }});
    let arguments = r#"{"region": "us west", "count": 12345678901234567890123, "deep": {"flag": false}, "null": null,
        "x-mcp-header": "a", "query": "b"}"#;
    let headers = filled(&schema, arguments).unwrap();
    let expected = [
        ("mcp-param-count", "12345678901234567890123"),
        ("mcp-param-flag", "false"),
        ("mcp-param-region", "us west"),
    ];
    assert_eq!(headers, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

#[test]
fn values_that_are_not_plain_are_encoded() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string", "x-mcp-header": "A"}}});
    for (value, header) in [
        ("", ""),
        ("plain", "plain"),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\r\nx-evil: 1", "=?base64?bGluZTENCngtZXZpbDogMQ==?="),
        ("\tindented", "=?base64?CWluZGVudGVk?="),
        ("é", "=?base64?w6k=?="),
        ("=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="),
    ] {
        let headers = filled(&schema, &json!({ "a": value }).to_string()).unwrap();
        assert_eq!(headers, [("mcp-param-a".to_owned(), header.to_owned())]);
    }
    assert!(filled(&schema, &json!({"a": "x".repeat(5_000)}).to_string()).is_err());
}

#[test]
fn invalid_annotations_are_refused() {
    let property = |schema: serde_json::Value| json!({"type": "object", "properties": {"a": schema}});
    for schema in [
        property(json!({"type": "string", "x-mcp-header": ""})),
        property(json!({"type": "string", "x-mcp-header": 7})),
        property(json!({"type": "string", "x-mcp-header": "My Region"})),
        property(json!({"type": "string", "x-mcp-header": "Region:Primary"})),
        property(json!({"type": "string", "x-mcp-header": "Région"})),
        property(json!({"type": "string", "x-mcp-header": "a\tb"})),
        property(json!({"type": "number", "x-mcp-header": "A"})),
        property(json!({"type": "object", "x-mcp-header": "A"})),
        property(json!({"x-mcp-header": "A"})),
        property(json!({"type": "array", "items": {"type": "string", "x-mcp-header": "A"}})),
        json!({"type": "object", "x-mcp-header": "A"}),
        json!({"type": "object", "$defs": {"a": {"type": "string", "x-mcp-header": "A"}}}),
        json!({"type": "object", "anyOf": [{"properties": {"a": {"type": "string", "x-mcp-header": "A"}}}]}),
        json!({"type": "object", "properties": {"a": {"type": "string", "x-mcp-header": "A"},
            "b": {"type": "string", "x-mcp-header": "a"}}}),
    ] {
        assert!(ParamHeaders::read(&schema.to_string()).is_err(), "{schema}");
    }
    let many: serde_json::Map<String, serde_json::Value> = (0..40)
        .map(|n| (format!("p{n}"), json!({"type": "string", "x-mcp-header": format!("H{n}")})))
        .collect();
    assert!(ParamHeaders::read(&json!({"properties": many}).to_string()).is_err());
}
