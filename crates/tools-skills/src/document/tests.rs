//! Valid and hostile front matter.

use super::*;

#[track_caller]
fn check_words(yaml: &str, expected: &str) {
    let text = format!("---\n{yaml}\n---\nbody\n");
    let document = Document::parse(&text).unwrap();
    assert_eq!(document.words("description", 1_000).unwrap().as_deref(), Some(expected), "{yaml}");
    assert_eq!(document.body, "body\n");
}

#[test]
fn every_form_of_yaml_string_is_parsed() {
    check_words("description: plain words # a remark", "plain words");
    check_words("description: 'it''s: quoted'", "it's: quoted");
    check_words(r#"description: "a \"b\": c""#, r#"a "b": c"#);
    check_words("description: |\n  one\n  two\nname: x", "one two");
    check_words("description: >-\n  one\n  two\n\n  three", "one two three");
    check_words("description: one\n  two", "one two");
    check_words("metadata:\n  description: not this\n  list: [a, {b: c}]\ndescription: this", "this");
    check_words("allowed-tools:\n- a\n- b\ndescription: 12", "12");
    check_words("? description\n: x", "x");
    check_words("{description: x, name: y}", "x");
}

#[test]
fn crlf_and_a_bom_are_accepted() {
    let document = Document::parse("\u{feff}---\r\nname: a\r\n---\r\nx\r\n").unwrap();
    assert_eq!((document.fields["name"].as_str(), document.body), ("a", "x\r\n"));
    let document = Document::parse("# no front matter\n---\n").unwrap();
    assert_eq!((document.fields.len(), document.body), (0, "# no front matter\n---\n"));
    assert_eq!(Document::parse("---\n---\nx").unwrap().body, "x");
}

#[track_caller]
fn refuses(yaml: &str, expected: &str) {
    let text = format!("---\n{yaml}\n---\n");
    let refused = Document::parse(&text).and_then(|document| document.words("description", 10));
    assert!(refused.as_ref().is_err_and(|error| error.to_string().contains(expected)), "{yaml}: {refused:?}");
}

#[test]
fn hostile_front_matter_is_refused_by_name() {
    refuses("a: &x b\nc: *x", "an anchor or a tag");
    refuses("a: &x [b]\nc: [*x, *x]", "an anchor or a tag");
    refuses("a: *x", "not valid YAML in line 2");
    refuses("a: !!python/object b", "an anchor or a tag");
    refuses("a: 1\na: 2", "the key `a` twice");
    refuses("a: [1]\na: 2", "the key `a` twice");
    refuses("- a", "no `name: value` lines");
    refuses("words", "no `name: value` lines");
    refuses("[a]: b", "a key that is not a word");
    refuses("description: use when: x", "not valid YAML in line 2");
    refuses("ok: 1\ndescription: [", "not valid YAML in line");
    refuses(&format!("a: {}{}", "[".repeat(20), "]".repeat(20)), "nested too deep");
    refuses(&"a: b\n".repeat(4_000), "its front matter has 20001 bytes, at most 16000");
    refuses("description: \"a\\u202eb\"", "its `description` has characters that cannot be seen");
    refuses("description: \"a\\u0007b\"", "its `description` has characters that cannot be seen");
    refuses("description: a b c d e f", "its `description` is longer than 10 characters");
    assert_eq!(Document::parse("---\na: b\n"), Err(DocumentError::Unclosed));
    let long = "x".repeat(MAX_FILE + 1);
    assert!(matches!(Document::parse(&long), Err(DocumentError::TooLong { part: "text", .. })));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(4_000))]

    /// The YAML parser is a foreign crate. It returns a value or an error for any text.
    #[test]
    fn any_front_matter_parses_without_a_panic(yaml in "[-:a \n\\[\\]{}&*!|>%@`'\"#,?~<=.\t\u{85}0\\\\]{0,60}") {
        let text = format!("---\n{yaml}\n---\n");
        if let Ok(document) = Document::parse(&text) {
            let _ = document.words("a", 100);
        }
    }
}
