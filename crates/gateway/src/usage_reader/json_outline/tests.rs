//! Outlines of documents, in any split and at their limits.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// A value, with the text of scalars.
#[derive(Clone, Debug)]
enum Tree {
    Scalar(String),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl Tree {
    /// Renders the value with blanks.
    fn render(&self, blank: &str) -> String {
        match self {
            Self::Scalar(text) => text.clone(),
            Self::List(items) => {
                let items: Vec<_> = items.iter().map(|item| item.render(blank)).collect();
                format!("[{blank}{}{blank}]", items.join(&format!("{blank},{blank}")))
            }
            Self::Object(members) => {
                let members = members.iter();
                let members: Vec<_> = members
                    .map(|(key, value)| format!("{key}{blank}:{blank}{}", value.render(blank)))
                    .collect();
                format!("{{{blank}{}{blank}}}", members.join(&format!("{blank},{blank}")))
            }
        }
    }

    /// Returns the outline of the value of a member with this key.
    fn outline(&self, key: &str) -> Self {
        match self {
            Self::Object(_) if matches!(key, "\"usage\"" | "\"usageMetadata\"") => self.clone(),
            Self::Object(members) if matches!(key, "" | "\"response\"" | "\"message\"") => {
                Self::Object(members.iter().map(|(key, value)| (key.clone(), value.outline(key))).collect())
            }
            Self::Object(_) => Self::Object(Vec::new()),
            Self::List(_) => Self::List(Vec::new()),
            Self::Scalar(_) => self.clone(),
        }
    }
}

fn key() -> impl Strategy<Value = String> {
    let known = ["usage", "usageMetadata", "response", "message", "n", "a{", "\\\"usage\\\"", "\\\\"];
    prop::sample::select(known.to_vec()).prop_map(|key| format!("\"{key}\""))
}

fn tree() -> impl Strategy<Value = Tree> {
    let scalar = prop_oneof![
        key(),
        prop::sample::select(vec![
            "-1.5E+3",
            "0",
            "true",
            "null",
            "\"]}\\\\\"",
            "\"\\\"{[\"",
            "\"\u{e9}, :\""
        ])
        .prop_map(str::to_owned),
    ];
    scalar.prop_map(Tree::Scalar).prop_recursive(4, 40, 5, |value| {
        prop_oneof![
            vec(value.clone(), 0..4).prop_map(Tree::List),
            vec((key(), value), 0..5).prop_map(Tree::Object),
        ]
    })
}

proptest! {
    #[test]
    fn the_outline_of_any_object_in_any_two_pieces_is_that_of_its_tree(
        members in vec((key(), tree()), 0..6),
        blank in prop::sample::select(vec!["", " ", "\r\n\t"]),
    ) {
        let document = Tree::Object(members);
        let expected = document.outline("").render("");
        let text = document.render(blank);
        for at in 0..=text.len() {
            let mut outline = JsonOutline::default();
            for piece in [&text.as_bytes()[..at], &text.as_bytes()[at..]] {
                outline.push(piece);
            }
            let found = outline.finish().map(|found| String::from_utf8(found).unwrap());
            prop_assert_eq!(found.as_deref(), Some(expected.as_str()), "split at {} of {}", at, &text);
        }
    }
}

fn outline(pieces: &[&str]) -> Option<String> {
    let mut outline = JsonOutline::default();
    for piece in pieces {
        outline.push(piece.as_bytes());
    }
    outline.finish().map(|text| String::from_utf8(text).unwrap())
}

#[test]
fn a_document_keeps_its_members_and_its_count() {
    let body = r#"{"id": "a\"b", "n": -1.5e3, "choices": [{"usage": {"n": 1}, "text": "]}\\"}], "usage": {"in": 3, "more": {"x": [1]}}, "z": null}"#;
    let expected = r#"{"id":"a\"b","n":-1.5e3,"choices":[],"usage":{"in":3,"more":{"x":[1]}},"z":null}"#;
    assert_eq!(outline(&[body]).as_deref(), Some(expected));
    for at in 0..=body.len() {
        let (one, other) = body.split_at(at);
        assert_eq!(outline(&[one, other]).as_deref(), Some(expected), "split at {at}");
    }
}

#[test]
fn an_event_keeps_the_members_of_its_answer() {
    let body =
        r#"{"type":"done","response":{"output":[1,2],"usage":{"in":3},"metadata":{"usage":{"in":4}}},"n":1}"#;
    let expected = r#"{"type":"done","response":{"output":[],"usage":{"in":3},"metadata":{}},"n":1}"#;
    assert_eq!(outline(&[body]).as_deref(), Some(expected));
}

#[test]
fn a_list_keeps_the_last_element_and_the_last_count() {
    let element = |n: usize, rest: &str| format!(r#"{{"n":{n},"candidates":[{n}]{rest}}}"#);
    let counted = |n: usize| element(n, &format!(r#","usageMetadata":{{"in":{n}}}"#));
    let body = format!("[{}]", [counted(1), counted(2), element(3, ""), element(4, "")].join(",\n"));
    let expected = r#"[{"n":2,"candidates":[],"usageMetadata":{"in":2}},{"n":4,"candidates":[]}]"#;
    assert_eq!(outline(&[&body]).as_deref(), Some(expected));
}

#[test]
fn an_outline_is_bounded() {
    let long = "x".repeat(5_000_000);
    let body =
        format!(r#"{{"a":"{long}","b":[{}"{long}"],"usage":{{"in":3}}}}"#, "{\"c\":1},".repeat(100_000));
    assert_eq!(outline(&[&body]).as_deref(), Some(r#"{"a":"","b":[],"usage":{"in":3}}"#));
    let many = format!("{{{}\"z\":1}}", "\"a\":1,".repeat(100_000));
    assert_eq!(outline(&[&many]), None);
    let list = format!("[{}1]", r#"{"usage":{"in":3}},"#.repeat(100_000));
    assert!(outline(&[&list]).unwrap().len() < 100);
}

#[test]
fn another_text_has_no_outline() {
    for body in ["", "hello", "{\"a\":1", "}", "\u{1f}\u{8b}", "1"] {
        assert_eq!(outline(&[body]), None, "{body:?}");
    }
    assert_eq!(outline(&["\u{feff} {} "]).as_deref(), Some("{}"));
}
