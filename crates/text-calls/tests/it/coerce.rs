//! Conversion of strings to the types of the schema, for whole calls and while a call streams (RULES J9).

use serde_json::{Value, json};
use windlass_protocol::ToolSpec;
use windlass_text_calls::{CoercionOutcome, Dialect, Scanner, TextCallOptions, parse_legacy};

use crate::scan::{answer, calls, chunks, tool};

fn spec(schema: &Value, required: &[&str]) -> ToolSpec {
    tool("f", &json!({ "type": "object", "properties": { "p": schema }, "required": required }).to_string())
}

/// The parameter `p` of this schema in this notation becomes this value; `None` means that the member is
/// absent.
#[track_caller]
fn check(schema: &Value, text: &str, expected: Option<Value>) {
    let spec = spec(schema, &[]);
    let legacy = parse_legacy(&spec, [("p", text)]).unwrap();
    assert_eq!(legacy.arguments.get("p"), expected.as_ref(), "{schema} {text:?}");
    let options = TextCallOptions::default().with_dialect(Dialect::Invoke).with_tools([spec]);
    let written = format!("<invoke name=\"f\"><parameter name=\"p\">{text}</parameter></invoke>");
    let streamed = calls(&answer(chunks(&options, [written.as_str()])));
    let expected = expected.map_or_else(|| json!({}), |value| json!({ "p": value }));
    assert_eq!(streamed, [("f".to_owned(), expected)], "{schema} {text:?} streamed");
}

#[test]
fn text_that_looks_like_json_stays_a_string_for_a_string_parameter() {
    for text in ["true", "1", "null", "{\"a\": 1}", "[1]", "", " x ", "\"quoted\""] {
        check(&json!({ "type": "string" }), text, Some(json!(text)));
        check(&json!({ "enum": ["a", "b"] }), text, Some(json!(text)));
        check(&json!({ "const": "a" }), text, Some(json!(text)));
    }
}

#[test]
fn boolean_text_is_coerced_where_a_boolean_is_expected() {
    let boolean = json!({ "type": "boolean" });
    for (text, value) in [("true", true), ("True", true), (" false\n", false), ("FALSE", false)] {
        check(&boolean, text, Some(json!(value)));
    }
    for text in ["yes", "1", "", "t"] {
        check(&boolean, text, Some(json!(text)));
    }
}

#[test]
fn numeric_text_is_coerced_where_a_number_is_expected() {
    let number = json!({ "type": "number" });
    check(&number, "1", Some(json!(1)));
    check(&number, " -2.5e3 ", Some(json!(-2500.0)));
    for text in ["", " ", "1,000", "one", "0x10", "--1", "1 2"] {
        check(&number, text, Some(json!(text)));
    }
    let digits =
        parse_legacy(&spec(&json!({ "type": "integer" }), &[]), [("p", "12345678901234567890123")]).unwrap();
    assert_eq!(digits.arguments.as_str(), r#"{"p":12345678901234567890123}"#);
}

#[test]
fn lists_and_objects_are_read_from_json_and_from_python() {
    check(&json!({ "type": "array" }), "[1, \"a\"]", Some(json!([1, "a"])));
    check(&json!({ "type": "array" }), "['a', True, None]", Some(json!(["a", true, null])));
    check(&json!({ "type": "object" }), "{\"a\": {}}", Some(json!({ "a": {} })));
    check(&json!({ "type": "object" }), "{'a': (1, 2)}", Some(json!({ "a": [1, 2] })));
    check(&json!({ "type": "array" }), "{\"a\": 1}", Some(json!("{\"a\": 1}")));
    check(&json!({ "type": "object" }), "{\"a\": ", Some(json!("{\"a\": ")));
}

#[test]
fn null_is_omitted_for_optional_non_nullable_properties() {
    check(&json!({ "type": "integer" }), "null", None);
    check(&json!({ "type": ["integer", "null"] }), "null", Some(json!(null)));
    check(&json!({ "type": ["string", "null"] }), "None", Some(json!(null)));
    check(&json!({ "type": "integer", "nullable": true }), "null", Some(json!(null)));
    let required = parse_legacy(&spec(&json!({ "type": "integer" }), &["p"]), [("p", "null")]).unwrap();
    assert_eq!(required.arguments.get("p"), Some(&json!("null")));
    assert_eq!(required.failed[0].outcome, CoercionOutcome::Failed);
}

#[test]
fn of_several_types_the_matching_one_is_used() {
    let either = json!({ "anyOf": [{ "type": "string" }, { "type": "number" }] });
    check(&either, "42", Some(json!(42)));
    check(&either, "2 dollars", Some(json!("2 dollars")));
    let object = json!({ "oneOf": [{ "type": "object" }, { "type": "string" }] });
    check(&object, "{not json", Some(json!("{not json")));
    check(&json!({}), "{\"a\": 1}", Some(json!({ "a": 1 })));
    check(&json!({}), "words", Some(json!("words")));
}

#[test]
fn references_are_followed_and_their_circles_end() {
    let schema = r##"{"type":"object","properties":{"n":{"$ref":"#/$defs/n"},"c":{"$ref":"#/$defs/c"}},
        "$defs":{"n":{"type":"integer"},"c":{"anyOf":[{"$ref":"#/$defs/c"},{"$ref":"#/$defs/c"}]}}}"##;
    let legacy = parse_legacy(&tool("f", schema), [("n", "3"), ("c", "x")]).unwrap();
    assert_eq!(legacy.arguments.to_value(), json!({ "n": 3, "c": "x" }));
}

#[test]
fn the_outcome_of_each_argument_is_reported() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"integer"},"c":{"type":"integer"}}}"#;
    let legacy =
        parse_legacy(&tool("f", schema), [("a", "true"), ("b", "null"), ("c", "x"), ("d", "1")]).unwrap();
    assert_eq!(legacy.arguments.to_value(), json!({ "a": true, "c": "x", "d": "1" }));
    let told: Vec<_> = legacy.coerced.iter().map(|one| (one.parameter.as_str(), one.outcome)).collect();
    assert_eq!(told, [("a", CoercionOutcome::Became("boolean")), ("b", CoercionOutcome::Omitted)]);
    assert_eq!(legacy.failed.len(), 1);

    let options = TextCallOptions::default().with_dialect(Dialect::Roo).with_tools([tool("f", schema)]);
    let (mut scanner, mut out) = (Scanner::new(options), Vec::new());
    scanner.push("<f><a>true</a><b>null</b><c>x</c></f>", &mut out);
    let told: Vec<_> = scanner.coercions().iter().map(|one| one.outcome).collect();
    assert_eq!(told, [CoercionOutcome::Became("boolean"), CoercionOutcome::Omitted, CoercionOutcome::Failed]);
}

#[test]
fn of_two_values_of_one_name_the_last_counts() {
    let legacy = parse_legacy(&spec(&json!({ "type": "integer" }), &[]), [("p", "1"), ("p", "2")]).unwrap();
    assert_eq!(legacy.arguments.as_str(), r#"{"p":2}"#);
}
