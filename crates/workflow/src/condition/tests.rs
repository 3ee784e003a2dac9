//! Tests of conditions on a small state.

use serde_json::{Value, json};

use super::{Condition, ConditionDefinition};
use crate::template::follow;

fn holds(condition: Value) -> Result<bool, String> {
    let state = json!({"input": {"n": 3, "words": "a b c", "list": [1, "x"], "none": ""}});
    let definition: ConditionDefinition =
        serde_json::from_value(condition).map_err(|error| error.to_string())?;
    let condition = Condition::parse(&definition).map_err(|error| error.to_string())?;
    let look = |path: &crate::template::Path| follow(state.get(path.root())?, path.rest());
    condition.holds(&look).map_err(|error| error.to_string())
}

#[track_caller]
fn check(condition: Value, expected: bool) {
    assert_eq!(holds(condition), Ok(expected));
}

#[test]
fn values_are_compared() {
    check(json!({"equals": ["{{ input.n }}", 3]}), true);
    check(json!({"equals": ["{{ input.n }}", 3.0]}), true);
    check(json!({"equals": ["{{ input.n }}", "3"]}), false);
    check(json!({"greater": ["{{ input.n }}", 2]}), true);
    check(json!({"greater": ["{{ input.n }}", 3]}), false);
    check(json!({"less": ["{{ input.n }}", 3.5]}), true);
    check(json!({"equals": [9_007_199_254_740_993_i64, 9_007_199_254_740_992_i64]}), false);
}

#[test]
fn incomparable_values_are_neither_larger_nor_smaller() {
    check(json!({"greater": ["{{ input.words }}", 2]}), false);
    check(json!({"less": ["{{ input.words }}", 2]}), false);
}

#[test]
fn parts_are_found() {
    check(json!({"contains": ["{{ input.words }}", "b"]}), true);
    check(json!({"contains": ["{{ input.list }}", "x"]}), true);
    check(json!({"contains": ["{{ input.list }}", 2]}), false);
    check(json!({"contains": ["{{ input }}", "words"]}), true);
    check(json!({"contains": [1, 1]}), false);
    check(json!({"empty": "{{ input.none }}"}), true);
    check(json!({"empty": null}), true);
    check(json!({"empty": 0}), false);
}

#[test]
fn conditions_are_joined() {
    check(json!({"all": []}), true);
    check(json!({"any": []}), false);
    check(json!({"not": {"any": [{"equals": [1, 2]}, {"empty": "{{ input.list }}"}]}}), true);
}

#[test]
fn a_missing_path_is_an_error_even_if_another_condition_holds() {
    let condition = json!({"any": [{"equals": [1, 1]}, {"empty": "{{ input.nobody }}"}]});
    assert_eq!(holds(condition), Err("the path input.nobody does not lead to a value".to_owned()));
}

#[test]
fn unknown_operators_are_refused() {
    assert!(holds(json!({"matches": ["a", "b"]})).is_err());
}

// correctness-2 13
#[test]
fn numbers_are_compared_without_loss() {
    for (less, more) in [
        (json!(18_446_744_073_709_551_614_u64), json!(18_446_744_073_709_551_615_u64)),
        (json!(9_007_199_254_740_992.0), json!(9_007_199_254_740_993_i64)),
        (json!(i64::MIN), json!(-9_223_372_036_854_775_807_i64)),
        (json!(-1), json!(u64::MAX)),
        (json!(u64::MAX), json!(1e300)),
        (json!(-1e300), json!(i64::MIN)),
        (json!(2), json!(2.5)),
        (json!(-2.5), json!(-2)),
    ] {
        check(json!({"less": [less, more]}), true);
        check(json!({"greater": [less, more]}), false);
        check(json!({"equals": [less, more]}), false);
        check(json!({"contains": [[less], more]}), false);
        check(json!({"equals": [{"a": [less]}, {"a": [more]}]}), false);
    }
    check(json!({"equals": [1, 1.0]}), true);
    check(json!({"equals": [{"a": [1]}, {"a": [1.0]}]}), true);
}
