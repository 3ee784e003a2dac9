//! Finished arguments (J1, J4, L4).

use proptest::prelude::*;
use windlass_protocol::{Arguments, ArgumentsError, CallId, ToolCall, ToolName};

#[test]
fn only_one_whole_object_is_arguments() {
    for text in [r#"{"a":1}"#, "{}", " { \"a\" : [1, {}] } \n"] {
        assert_eq!(Arguments::parse(text).unwrap().as_str(), text);
    }
    for text in ["", r#"{"a":"#, r#"{"a":1}}"#, r#"{"a":1,}"#, "{'a':1}", "nul"] {
        assert!(matches!(Arguments::parse(text), Err(ArgumentsError::Json(_))), "{text}");
    }
    for (text, met) in [
        ("[1]", "an array"),
        ("\"x\"", "a string"),
        ("1", "a number"),
        ("null", "null"),
        ("true", "a boolean"),
    ] {
        let error = Arguments::parse(text).unwrap_err();
        assert!(matches!(error, ArgumentsError::NotAnObject { met: seen } if seen == met), "{text}");
    }
}

// The tree of so many values would take hundreds of megabytes.
#[test]
fn arguments_of_too_many_values_are_refused_before_they_are_parsed() {
    let of = |count: usize| format!(r#"{{"a":[{}{{}}]}}"#, "{},".repeat(count));
    assert!(Arguments::parse(of(90_000).replace("{}", "11")).is_ok());
    for text in [of(110_000), of(1_000_000), of(1_000_000).replace("{},", r#"{"b":"1"},"#)] {
        let refused = Arguments::parse(text.as_str()).unwrap_err();
        assert_eq!(refused.to_string(), "the arguments have more than 100000 values");
        let recorded = serde_json::from_str::<Arguments>(&serde_json::to_string(&text).unwrap());
        assert_eq!(recorded.unwrap().as_str(), text, "a record of an earlier version is read");
    }
    let long = format!(r#"{{"a":"{}"}}"#, r#"[{,\","#.repeat(200_000));
    assert!(Arguments::parse(long).is_ok(), "the brackets and commas of a text are no values");
}

// J4: numbers pass through untouched.
#[test]
fn the_models_own_digits_survive() {
    let text = r#"{"id":123456789012345678901234567890,"x":0.10000000000000000000001}"#;
    let arguments = Arguments::parse(text).unwrap();
    assert_eq!(String::from(arguments), text);
}

// L4
#[test]
fn the_canonical_form_sorts_keys_at_every_depth() {
    let canonical = |text: &str| Arguments::parse(text).unwrap().canonical();
    assert_eq!(
        canonical(r#"{ "b": [ {"z":1, "a":2} ], "a": "x\ny" }"#),
        r#"{"a":"x\ny","b":[{"a":2,"z":1}]}"#
    );
    assert_eq!(canonical(r#"{"a":{"b":1,"c":2}}"#), canonical(r#"{"a":{"c":2,"b":1}}"#));
    assert_ne!(canonical(r#"{"a":[1,2]}"#), canonical(r#"{"a":[2,1]}"#), "the order of items is meant");
}

// J4, H4: two calls that differ in a digit are two calls, however long the number is.
#[test]
fn the_canonical_form_keeps_the_text_of_numbers() {
    let canonical = |text: &str| Arguments::parse(text).unwrap().canonical();
    for number in ["123456789012345678901234567890", "0.10000000000000000000001", "1.50", "-0.0", "1e2"] {
        assert_eq!(canonical(&format!(r#"{{ "a" : [ {number} ] }}"#)), format!(r#"{{"a":[{number}]}}"#));
    }
    assert_ne!(
        canonical(r#"{"id":12345678901234567890123}"#),
        canonical(r#"{"id":12345678901234567890124}"#)
    );
}

#[test]
fn the_canonical_form_spells_strings_one_way_and_keeps_the_last_of_two_keys() {
    let canonical = |text: &str| Arguments::parse(text).unwrap().canonical();
    assert_eq!(canonical(r#"{"\u0061":"\u00e4\/"}"#), r#"{"a":"ä/"}"#);
    assert_eq!(canonical(r#"{"a":1,"b":null,"a":{"c":true}}"#), r#"{"a":{"c":true},"b":null}"#);
    let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(120), "]".repeat(120));
    assert_eq!(canonical(&deep), deep);
}

#[test]
fn fingerprints_differ_by_tool_and_arguments() {
    let call = |name: &str, text: &str| {
        ToolCall::function(
            CallId::new("c").unwrap(),
            ToolName::new(name).unwrap(),
            Arguments::parse(text).unwrap(),
        )
        .fingerprint()
    };
    assert_eq!(call("a", r#"{"x":1,"y":2}"#), call("a", r#"{"y":2,"x":1}"#));
    assert_ne!(call("a", "{}"), call("b", "{}"));
    assert_ne!(call("a", "{}"), call("a", r#"{"x":null}"#));
}

proptest! {
    #[test]
    fn any_text_is_decided_without_a_panic(text in any::<String>()) {
        let decided = Arguments::parse(text.clone());
        let is_object = serde_json::from_str::<serde_json::Value>(&text).is_ok_and(|value| value.is_object());
        prop_assert_eq!(decided.is_ok(), is_object);
    }

    #[test]
    fn the_canonical_form_is_equivalent_and_idempotent(
        members in prop::collection::btree_map(any::<String>(), prop::collection::vec(any::<(i64, String)>(), 0..3), 0..5)
    ) {
        let text = serde_json::to_string_pretty(&members).unwrap();
        let arguments = Arguments::parse(text).unwrap();
        let again = Arguments::parse(arguments.canonical()).unwrap();
        prop_assert_eq!(again.as_object(), arguments.as_object());
        prop_assert_eq!(again.canonical(), arguments.canonical());
    }
}
