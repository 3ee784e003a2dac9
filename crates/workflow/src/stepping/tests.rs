//! Values read from a result.

use serde_json::{Value, json};

use super::json_in;

#[track_caller]
fn check(text: &str, expected: Option<&Value>) {
    assert_eq!(json_in(text).as_ref(), expected);
}

#[test]
fn json_is_taken_whole_or_out_of_the_last_fence() {
    check("  {\"a\": 1}\n", Some(&json!({"a": 1})));
    check("Here:\n```json\n[1]\n```\nand\n```\n[2]\n```\n", Some(&json!([2])));
    check("Here:\n```json\n[1]\n```\n```sh\nls\n```", Some(&json!([1])));
    check("no JSON {\"a\": 1} between fences", None);
    check("```json\n[1", None);
}
