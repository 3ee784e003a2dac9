//! Wrappers, references, and the choice of a value.

use super::*;

fn read(schema: &Value, text: &str) -> Result<Value, String> {
    let form = Form::for_schema(&RawJson::from(schema)).map_err(|error| error.to_string())?;
    let mut answer = AnswerText::new(form.is_wrapped());
    answer.push(text);
    form.read_text(&mut answer)
}

#[test]
fn only_plain_objects_are_sent_without_a_wrapper() {
    let wrapped = |schema| !is_object(&schema);
    assert!(!wrapped(json!({"type": "object"})));
    assert!(!wrapped(json!({"type": "dict", "properties": {}})));
    assert!(wrapped(json!({})));
    assert!(wrapped(json!({"properties": {}})));
    assert!(wrapped(json!({"type": ["object", "null"]})));
    assert!(wrapped(json!({"type": "object", "oneOf": [{"required": ["a"]}]})));
    assert!(wrapped(json!({"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}})));
    assert!(wrapped(json!({"type": "array"})));
}

#[test]
fn a_wrapper_is_removed_and_may_be_left_out() {
    let list = json!({"type": "array", "items": {"type": "integer"}});
    for text in [r#"{"answer": [1, 2]}"#, "[1, 2]", "```json\n[1, 2]\n```", "Here: {\"answer\": [1, 2]}."] {
        assert_eq!(read(&list, text), Ok(json!([1, 2])), "{text}");
    }
    assert_eq!(read(&json!({"type": "integer"}), "```\n4\n```"), Ok(json!(4)));
    assert_eq!(read(&json!({"type": "boolean"}), " true\n"), Ok(json!(true)));
    assert_eq!(read(&json!({"type": "string"}), r#""Kyoto""#), Ok(json!("Kyoto")));
    let union =
        json!({"oneOf": [{"type": "object", "required": ["a"]}, {"type": "object", "required": ["b"]}]});
    assert_eq!(read(&union, r#"{"a": 1}"#), Ok(json!({"a": 1})));
    assert_eq!(read(&union, r#"{"answer": {"b": 1}}"#), Ok(json!({"b": 1})));
}

#[test]
fn references_of_a_wrapped_schema_keep_their_targets() {
    let tree = json!({"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#"}}]});
    assert_eq!(read(&tree, r#"{"answer": [1, [2, [3]]]}"#), Ok(json!([1, [2, [3]]])));
    assert!(read(&tree, r#"{"answer": [1, ["2", [true]]]}"#).is_err());
    let named =
        json!({"type": "array", "items": {"$ref": "#/$defs/one"}, "$defs": {"one": {"type": "boolean"}}});
    assert_eq!(read(&named, r#"{"answer": [true]}"#), Ok(json!([true])));
    assert!(read(&named, r#"{"answer": [1]}"#).is_err());
    let data = json!({"enum": [{"$ref": "#"}, 1]});
    assert_eq!(read(&data, r##"{"answer": {"$ref": "#"}}"##), Ok(json!({"$ref": "#"})));
}

#[test]
fn the_first_value_that_fits_is_the_answer() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]});
    assert_eq!(read(&schema, r#"The form is {"b": 1}, so {"a": 2} or {"a": 3}."#), Ok(json!({"a": 2})));
    let problem = read(&schema, r#"{"b": 1} {"a": "x"}"#).unwrap_err();
    assert!(problem.contains("/a: found the string"), "{problem}");
    assert_eq!(read(&schema, r#"{"a": 2"#).unwrap_err(), "it ends before its JSON object is complete");
    assert!(read(&schema, "two").unwrap_err().starts_with("it is not a JSON object"));
}

#[test]
fn a_schema_that_cannot_be_used_is_an_error() {
    let schema = RawJson::from(&json!({"type": "object", "properties": {"a": {"pattern": "("}}}));
    assert!(matches!(Form::for_schema(&schema), Err(AgentError::Schema { .. })));
}
