//! Notebooks as their editors write them, and what only looks like one.

use serde_json::{Value, json};

use super::*;

#[track_caller]
fn check(notebook: &Value, expected: Option<&str>) {
    assert_eq!(text(notebook.to_string().as_bytes()).as_deref(), expected);
}

#[test]
fn cells_and_outputs_are_shown_in_order() {
    let long: Vec<String> = (0..300).map(|line| format!("{line}\n")).collect();
    let outputs = json!([
        {"output_type": "stream", "name": "stdout", "text": ["1\n", "2"]},
        {"output_type": "execute_result", "data": {"text/plain": "3", "image/png": "aGk="}},
        {"output_type": "error", "ename": "E", "evalue": "why", "traceback": ["\u{1b}[0;31mred\u{1b}[0m", "more"]},
    ]);
    let cells = json!({"cells": [
        {"cell_type": "markdown", "source": ["# Head\n", "text"]},
        {"cell_type": "code", "source": "f()", "execution_count": 4, "outputs": outputs},
        {"cell_type": "code", "source": [], "execution_count": null, "outputs": []},
    ]});
    let expected = "[cell 1: markdown]\n# Head\ntext\n[cell 2: code, run 4]\nf()\n[output stdout]\n1\n2\n\
        [output image/png: 6 bytes, not shown]\n[output text/plain]\n3\n[output error]\nE: why\nred\nmore\n\
        [cell 3: code]\n";
    check(&cells, Some(expected));
    let many = json!({"cells": [{"cell_type": "code", "source": "", "outputs": [
        {"output_type": "stream", "name": "stdout", "text": long}]}]});
    let met = text(many.to_string().as_bytes()).unwrap();
    assert!(met.contains("[output stdout: 200 of 300 lines shown]\n0\n") && met.ends_with("199\n"), "{met}");
}

#[test]
fn an_invalid_notebook_is_shown_as_plain_text() {
    check(&json!({"cells": 1}), None);
    check(&json!([]), None);
    check(&json!({"cells": [1, {"outputs": [2]}]}), Some("[cell 1: unknown]\n[cell 2: unknown]\n"));
    assert_eq!(text(b"{"), None);
    assert_eq!(text("[".repeat(100_000).as_bytes()), None);
}

// correctness-3 13
#[test]
fn a_member_of_another_shape_takes_no_other_with_it() {
    let cells = r#"{"cells": [
        {"cell_type": "code", "source": "y = 1", "outputs": {"bad": 1}},
        {"cell_type": 7, "source": ["a\n", 5], "outputs": [{"output_type": "stream", "name": null, "text": "x \ud800 z"}, 3]},
        {"cell_type": "markdown", "source": "twice", "source": "last"},
        "no cell"]}"#;
    let text = text(cells.as_bytes()).unwrap();
    for part in [
        "[cell 1: code]\ny = 1\n",
        "{\"bad\": 1}",
        "[cell 2: unknown]\na\n5\n",
        "[output stream]\nx \u{fffd}",
        " z\n",
        "[cell 3: markdown]\nlast\n",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}
