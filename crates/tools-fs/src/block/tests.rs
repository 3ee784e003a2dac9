//! Blocks of code in several languages.

use serde_json::{Value, json};

use super::*;

#[track_caller]
fn check(text: &str, anchor: usize, options: Value, expected: (u64, u64)) {
    let options: BlockOptions = serde_json::from_value(options).unwrap();
    assert_eq!(options.block(text, anchor).unwrap(), expected);
}

const RUST: &str = "use a;\n\n/// Says.\n#[derive(X)]\nimpl A {\n    // one\n    fn one() {\n        if x {\n            y();\n        } else {\n            z();\n        }\n    }\n\n    fn two() {}\n}\n\nfn last() {}\n";

#[test]
fn a_block_is_found_by_its_indentation() {
    // Up to the outermost block, with the comment directly above it.
    check(RUST, 9, json!({}), (3, 16));
    check(RUST, 9, json!({"include_header": false}), (5, 16));
    check(RUST, 9, json!({"max_levels": 1}), (8, 12));
    check(RUST, 9, json!({"max_levels": 2}), (6, 13));
    check(RUST, 9, json!({"max_levels": 2, "include_siblings": true}), (6, 15));
    check(RUST, 9, json!({"max_levels": 9}), (3, 16));
    check(RUST, 18, json!({}), (18, 18));
    check(RUST, 1, json!({"include_siblings": true}), (1, 18));
    check(RUST, 9, json!({"max_lines": 3}), (8, 10));
    check(RUST, 3, json!({"max_lines": 1}), (3, 3));
    let python = "class A:\n\tdef f(self):\n\t\tx\n\n\t\ty\n\n\tdef g(self):\n\t\tz\n";
    check(python, 5, json!({"max_levels": 1}), (2, 5));
    check(python, 4, json!({"max_levels": 1}), (2, 5));
    check(python, 5, json!({}), (1, 8));
    check("\n\n", 2, json!({}), (2, 2));
    check("a\n", 1, json!({}), (1, 1));
}

#[test]
fn a_missing_anchor_line_is_an_error() {
    for anchor in [0, 3] {
        let told = BlockOptions::default().block("a\nb\n", anchor).unwrap_err().to_string();
        assert!(told.contains(&format!("line {anchor} is not one of them")), "{told}");
    }
}
