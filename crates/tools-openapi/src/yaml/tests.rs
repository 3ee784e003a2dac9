//! Tests of YAML documents.

use super::*;

fn json(yaml: &str) -> String {
    parse(yaml).unwrap().to_json()
}

#[test]
fn plain_scalars_have_the_types_of_the_core_schema() {
    let yaml = "[1, -2, +3, 0x1F, 0o17, 1.5, 1e3, .5, 1.2.3, 2020-01-01, true, False, ~, null, yes, .inf, '1', \"true\", -x, 1_000, 99999999999999999999]";
    let expected = r#"[1,-2,3,31,15,1.5,1000.0,0.5,"1.2.3","2020-01-01",true,false,null,null,"yes",".inf","1","true","-x","1_000",1e+20]"#;
    assert_eq!(json(yaml), expected);
}

#[test]
fn members_keep_their_order_and_keys_are_texts() {
    assert_eq!(
        json("responses:\n  200: {b: 1, a: 2}\n  default:\n"),
        r#"{"responses":{"200":{"b":1,"a":2},"default":null}}"#
    );
    assert_eq!(json("text: |\n  two\n  lines\n"), r#"{"text":"two\nlines\n"}"#);
}

#[test]
fn what_is_not_json_is_refused_with_its_line() {
    for (yaml, expected) in [
        ("a: &x 1\nb: *x\n", "line 2: an alias (`*name`) is not supported"),
        ("a: 1\nb: !!binary aGk=\n", "line 2: a tag (`!name`) is not supported"),
        ("a: 1\n---\nb: 2\n", "line 2: a second document is not supported"),
        ("a: 1\na: 2\n", "line 2: the second key \"a\" of an object is not supported"),
        ("? [a]\n: 1\n", "line 1: a key that is not a word is not supported"),
        ("", "line 1: it is empty"),
    ] {
        let error = parse(yaml).unwrap_err().to_string();
        assert_eq!(error, format!("the document cannot be read as YAML: {expected}"), "{yaml:?}");
    }
    assert!(parse("a: [1, 2").is_err());
}

#[test]
fn depth_is_bounded() {
    assert!(parse(&format!("{}{}", "[".repeat(100), "]".repeat(100))).is_ok());
    for depth in [200, 5_000, 200_000] {
        assert!(parse(&"[".repeat(depth)).is_err(), "{depth}");
        assert!(parse(&"- ".repeat(depth)).is_err(), "{depth}");
    }
}
