//! Placeholders that are filled, and placeholders that cannot be filled.

use serde_json::{Value, json};

use super::{Filling, follow};
use crate::PathError;

fn state() -> Value {
    json!({"input": {"name": "Ada", "list": [1, 2]}, "steps": {"a": {"output": {"deep": true}}}})
}

fn fill(value: &Value) -> Result<Value, PathError> {
    let state = state();
    Filling::parse(value)?.fill(&|path| {
        let root = state.get(path.root())?;
        follow(root, path.rest())
    })
}

#[track_caller]
fn check(value: &Value, expected: &Value) {
    assert_eq!(fill(value).unwrap(), *expected);
}

#[test]
fn a_whole_path_keeps_the_kind_of_its_value() {
    check(&json!("{{ input.list }}"), &json!([1, 2]));
    check(&json!("{{steps.a.output}}"), &json!({"deep": true}));
    check(&json!("{{ input.list.1 }}"), &json!(2));
}

#[test]
fn a_path_inside_text_is_rendered_as_text() {
    check(&json!("Hello {{ input.name }}!"), &json!("Hello Ada!"));
    check(&json!("{{ input.list }} {{ input.name }}"), &json!("[1,2] Ada"));
}

#[test]
fn values_are_filled_at_every_depth_and_lists_are_spread() {
    check(&json!({"a": ["x", "{{ input.list... }}", "{{ input.name }}"]}), &json!({"a": ["x", 1, 2, "Ada"]}));
    check(&json!({"{{ input.name }}": 1, "b": null}), &json!({"{{ input.name }}": 1, "b": null}));
}

#[test]
fn inserted_values_are_not_expanded_again() {
    let filling = Filling::parse(&json!("{{ input }}")).unwrap();
    let filled = filling.fill(&|_| Some(json!("{{ input.secret }}"))).unwrap();
    assert_eq!(filled, json!("{{ input.secret }}"));
}

#[track_caller]
fn refuses(value: &Value, expected: &str) {
    assert_eq!(fill(value).unwrap_err().to_string(), expected);
}

#[test]
fn template_errors_are_named() {
    refuses(&json!("{{ input.nobody }}"), "the path input.nobody does not lead to a value");
    refuses(&json!("{{ input.name"), "a place begins with {{ and has no }}");
    refuses(
        &json!("{{ 1 + 1 }}"),
        "`1 + 1` is not a path; a path begins with input, item, index or steps.NAME, and has dots between its names",
    );
    refuses(&json!(["{{ input.name... }}"]), "the value at input.name is not a list and cannot be spread");
}
