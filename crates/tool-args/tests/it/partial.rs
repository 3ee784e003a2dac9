//! Partial structs: the shown part of a text, and values that do not fit.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use windlass_partial_json::{JsonLimits, Parser, Status};
use windlass_tool_args::{Partial, PartialReader, ToolArgs};

use crate::shapes::{Odd, Search, Settings, Shadow, Tree, WriteFile};

/// Returns the shown part of this text, without missing fields, and the values that do not fit.
#[track_caller]
fn check<T: ToolArgs>(text: &str, expected: &Expect) {
    let mut reader = PartialReader::<T>::default();
    reader.push(text);
    let mut shown = format!("{:?}", reader.partial());
    while let Some(end) = shown.find(": Missing") {
        let start = shown[..end].rfind(' ').expect("a field has a space before it");
        let next = end + ": Missing".len();
        shown.replace_range(start..next + usize::from(shown[next..].starts_with(',')), "");
    }
    for mismatch in reader.mismatches() {
        write!(shown, "\n{mismatch}").expect("a string takes everything");
    }
    expected.assert_eq(&shown);
}

#[test]
fn a_text_grows() {
    check::<WriteFile>("", &expect!["PartialWriteFile { }"]);
    check::<WriteFile>(r#"{"path": "#, &expect!["PartialWriteFile { }"]);
    check::<WriteFile>(r#"{"path": "a"#, &expect![[r#"PartialWriteFile { path: Growing("a"), }"#]]);
    check::<WriteFile>(
        r#"{"path": "a.rs", "content": "fn ma"#,
        &expect![[r#"PartialWriteFile { path: Complete("a.rs"), content: Growing("fn ma") }"#]],
    );
    check::<WriteFile>(
        r#"{"path": "a.rs", "content": "fn main() {}"}"#,
        &expect![[r#"PartialWriteFile { path: Complete("a.rs"), content: Complete("fn main() {}") }"#]],
    );
}

#[test]
fn values_that_are_not_text_wait_until_they_are_complete() {
    check::<Search>(r#"{"maxResults": 1"#, &expect!["PartialSearch { }"]);
    check::<Search>(
        r#"{"maxResults": 12, "exact": tru"#,
        &expect!["PartialSearch { max_results: Complete(Some(12)), }"],
    );
    check::<Search>(
        r#"{"maxResults": null, "exact": true, "mode": "fil"#,
        &expect!["PartialSearch { max_results: Complete(None), exact: Complete(true), }"],
    );
    check::<Search>(
        r#"{"mode": "files", "ratio": -1.5e2, "extra": {"a": [1"#,
        &expect!["PartialSearch { mode: Complete(Whole(Some(Files))), ratio: Complete(Some(-150.0)), }"],
    );
    check::<Search>(
        r#"{"extra": {"a": [1, "x"]}"#,
        &expect![[
            r#"PartialSearch { extra: Complete(Some(Object {"a": Array [Number(1), String("x")]})) }"#
        ]],
    );
}

#[test]
fn lists_maps_and_structs_grow_in_their_last_part() {
    check::<Search>(
        r#"{"inPaths": ["src", "te"#,
        &expect![[r#"PartialSearch { in_paths: Growing([Complete("src"), Growing("te")]), }"#]],
    );
    check::<Search>(
        r#"{"ranges": [{"from": 1, "to": 2}, {"from": 3, "#,
        &expect![
            "PartialSearch { ranges: Growing([Complete(Range { from: 1, to: 2 }), Growing(PartialRange { from: Complete(3), })]), }"
        ],
    );
    check::<Search>(
        r#"{"labels": {"a": "b", "c/d": "e"#,
        &expect![[r#"PartialSearch { labels: Growing({"a": Complete("b"), "c/d": Growing("e")}), }"#]],
    );
    check::<Search>(r#"{"main": {"from": 1"#, &expect!["PartialSearch { main: Growing(PartialRange { }), }"]);
    check::<Search>(
        r#"{"main": {"from": 1}"#,
        &expect!["PartialSearch { main: Complete(Some(Range { from: 1, to: 99 })), }"],
    );
    check::<Tree>(
        r#"{"type": "a", "children": [{"type": "b", "next": {"type": "c"#,
        &expect![[
            r#"PartialTree { type: Complete("a"), children: Growing([Growing(PartialTree { type: Complete("b"), next: Growing(PartialTree { type: Growing("c"), }) })]), }"#
        ]],
    );
}

#[test]
fn names_are_serdes() {
    check::<Search>(
        r#"{"lookFor": "x", "a/b~c": "odd", "look_for": "no", "old": "n"#,
        &expect![[r#"PartialSearch { look_for: Complete("x"), odd: Growing("n"), }"#]],
    );
}

#[test]
fn missing_fields_get_their_default_at_the_end_or_are_reported() {
    check::<Settings>(
        r#"{"depth": 1}"#,
        &expect![[r#"PartialSettings { name: Complete("plain"), depth: Complete(1) }"#]],
    );
    check::<WriteFile>(
        r#"{"path": "a"}"#,
        &expect![[r#"
        PartialWriteFile { path: Complete("a"), }
        the arguments: found no `content`, expected the required `content`"#]],
    );
    check::<Search>(
        r#"{"lookFor": "x", "ranges": [{"to": 2}], "exact": true}"#,
        &expect![[r#"
        PartialSearch { look_for: Complete("x"), in_paths: Complete([]), max_results: Complete(None), odd: Complete(None), mode: Complete(Whole(None)), ranges: Growing([Growing(PartialRange { to: Complete(2) })]), main: Complete(None), labels: Complete({}), counts: Complete({}), ratio: Complete(None), exact: Complete(true), extra: Complete(None) }
        /ranges/0: found no `from`, expected the required `from`"#]],
    );
    check::<WriteFile>(
        r#"{"path": "a", "content": "", "mode": 1}"#,
        &expect![[r#"
        PartialWriteFile { path: Complete("a"), content: Complete("") }
        the arguments: found an unknown one, expected only the properties of the schema"#]],
    );
}

// J3 and the task of a mismatch: the field stays missing, and all other fields continue.
#[test]
fn a_type_mismatch_is_recorded_and_parsing_continues() {
    check::<WriteFile>(
        r#"{"path": 3, "content": "x"#,
        &expect![[r#"
        PartialWriteFile { content: Growing("x") }
        /path: found a number, expected a string"#]],
    );
    check::<WriteFile>(
        r#"{"path": {"path": "a"}, "content": ["x", "y"]}"#,
        &expect![[r"
        PartialWriteFile { }
        /path: found an object, expected a string
        /content: found an array, expected a string"]],
    );
    check::<Search>(
        r#"{"maxResults": "ten", "exact": "yes", "mode": "words", "ratio": true, "a/b~c": []"#,
        &expect![[r#"
        PartialSearch { }
        /maxResults: found string "ten", expected u64
        /exact: found string "yes", expected a boolean
        /mode: found `words`, expected one of files, lines
        /ratio: found boolean `true`, expected f64
        /a~1b~0c: found an array, expected a string"#]],
    );
    check::<Search>(
        r#"{"inPaths": ["a", 1, "b"], "ranges": [{"from": -1}, {"from": 1}], "main": []"#,
        &expect![[r#"
        PartialSearch { in_paths: Growing([Complete("a"), Missing, Complete("b")]), ranges: Growing([Growing(PartialRange { to: Complete(99) }), Complete(Range { from: 1, to: 99 })]), }
        /inPaths/1: found a number, expected a string
        /ranges/0/from: found integer `-1`, expected u32
        /main: found an array, expected an object"#]],
    );
    check::<Search>(
        r#"{"counts": {"a": 1, "b": "x"}, "maxResults": 1e400, "labels": []"#,
        &expect![[r#"
            PartialSearch { counts: Growing({"a": Complete(1),}), }
            /counts/b: found string "x", expected i64
            /maxResults: found 1e400, expected a number in range
            /labels: found an array, expected an object"#]],
    );
    check::<WriteFile>(
        r#"[{"path": "a"}]"#,
        &expect![[r"
        PartialWriteFile { }
        the arguments: found an array, expected an object"]],
    );
    check::<WriteFile>(
        r#""path""#,
        &expect![[r"
        PartialWriteFile { }
        the arguments: found a string, expected an object"]],
    );
}

// J7
#[test]
fn the_last_of_a_repeated_key_wins() {
    check::<WriteFile>(
        r#"{"path": "a", "path": "b"#,
        &expect![[r#"PartialWriteFile { path: Growing("b"), }"#]],
    );
    check::<WriteFile>(
        r#"{"path": "a", "path": 1, "content": "#,
        &expect![[r"
        PartialWriteFile { }
        /path: found a number, expected a string"]],
    );
}

#[test]
fn invalid_json_ends_the_partial_value_and_retracts_nothing() {
    check::<WriteFile>(
        r#"{"path": "a", "content": "b" "c"}"#,
        &expect![[r#"PartialWriteFile { path: Complete("a"), content: Complete("b") }"#]],
    );
}

#[test]
fn field_names_do_not_collide_with_generated_names() {
    let text = r#"{"growing": {"fits": false, "part": {"key": "a"}, "step": "b"}, "fits": true}"#;
    let mut reader = PartialReader::<Odd>::default();
    let growing = reader.push(text).growing.complete().cloned();
    let part = Some(Shadow { key: "a".into() });
    let inner = Odd {
        fits: false,
        growing: None,
        part,
        step: Some("b".into()),
        object: None,
        mismatches: Vec::new(),
    };
    assert_eq!(growing, Some(Some(Box::new(inner))));
    assert_eq!(reader.partial().fits.complete(), Some(&true));
}

#[test]
fn mismatches_are_bounded() {
    let mut reader = PartialReader::<Search>::default();
    reader.push(r#"{"inPaths": ["#);
    for _ in 0..1000 {
        reader.push("1, ");
    }
    assert_eq!(reader.mismatches().len(), 16);
}

// J7, S16: a recursive type can be as deep as the parser's limit, and no deeper.
#[test]
fn depth_and_length_have_the_parsers_limits() {
    let mut reader = PartialReader::<Tree>::default();
    for _ in 0..10_000 {
        reader.push(r#"{"type": "a", "children": ["#);
    }
    assert!(matches!(reader.status(), Status::Malformed { .. }));
    let mut reader =
        PartialReader::<WriteFile>::new(Parser::with_limits(JsonLimits::default().with_bytes(20)));
    reader.push(r#"{"content": "0123456789"}"#);
    assert_eq!(reader.partial().content.as_str(), "0123456");
}

#[test]
fn a_partial_contains_the_known_values() {
    let mut reader = PartialReader::<Search>::default();
    let partial = reader.push(r#"{"lookFor": "a", "inPaths": ["b", "c"], "labels": {"k~": "v", "l": "w"#);
    assert_eq!(partial.look_for.complete().map(String::as_str), Some("a"));
    assert!(partial.look_for.growing().is_none() && partial.max_results.is_missing());
    assert_eq!(partial.in_paths.complete().map(Vec::len), Some(2));
    let labels = partial.labels.growing().unwrap();
    assert_eq!((labels.len(), labels.is_empty()), (2, false));
    assert_eq!(labels.get("k~").map(Partial::as_str), Some("v"));
    assert_eq!(labels.get("l").map(Partial::as_str), Some("w"));
    let partial = reader.push(r#""}, "maxResults": 1}"#);
    assert_eq!(partial.labels.complete().map(|labels| labels["k~"].as_str()), Some("v"));
}
