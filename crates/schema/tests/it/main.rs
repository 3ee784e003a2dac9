//! Errors of arguments in words (J10), and malicious schemas (N5, SECURITY).
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::disallowed_methods, reason = "corpora are files")]

mod coerce;
mod compile;
mod corpus;
mod growth;

use windlass_protocol::{Arguments, RawJson};
use windlass_schema::Checker;

fn checker(schema: &str) -> Checker {
    Checker::compile(&schema.parse::<RawJson>().unwrap()).unwrap()
}

#[track_caller]
fn check(schema: &str, arguments: &str, wrong: &[&str]) {
    let decided = checker(schema).check(&Arguments::parse(arguments).unwrap());
    let told: Vec<String> = decided.err().unwrap_or_default().iter().map(ToString::to_string).collect();
    assert_eq!(told, wrong, "{schema} {arguments}");
}

const EDIT: &str = r#"{"type":"object","properties":{
    "path":{"type":"string","minLength":1},"mode":{"enum":["a","b"]},"line":{"type":"integer","minimum":1},
    "items":{"type":"array","maxItems":2,"items":{"type":"string"}}},
    "required":["path"],"additionalProperties":false}"#;

#[test]
fn each_violation_names_path_found_and_expected() {
    check(EDIT, r#"{"path":"a"}"#, &[]);
    check(EDIT, "{}", &["the arguments: found no `path`, expected the required `path`"]);
    check(EDIT, r#"{"path":3}"#, &["/path: found the number 3, expected a string"]);
    check(EDIT, r#"{"path":""}"#, &[r#"/path: found the string "", expected at least 1 characters"#]);
    check(EDIT, r#"{"path":"a","mode":"c"}"#, &[r#"/mode: found the string "c", expected one of ["a","b"]"#]);
    check(EDIT, r#"{"path":"a","line":0}"#, &["/line: found the number 0, expected at least 1"]);
    check(EDIT, r#"{"path":"a","line":1.5}"#, &["/line: found the number 1.5, expected an integer"]);
    check(EDIT, r#"{"path":"a","items":["x",null]}"#, &["/items/1: found null, expected a string"]);
    check(
        EDIT,
        r#"{"path":"a","items":["x","y","z"]}"#,
        &["/items: found an array of 3 items, expected at most 2 items"],
    );
    check(
        EDIT,
        r#"{"path":"a","other":1}"#,
        &["the arguments: found the unknown `other`, expected only the properties of the schema: `items`, \
             `line`, `mode`"],
    );
}

// J10: the error about an unknown member names the member that the model probably meant.
#[test]
fn a_violation_suggests_the_nearest_property() {
    let deep = r##"{"properties":{"edit":{"$ref":"#/$defs/edit"}},"$defs":{"edit":{
        "properties":{"old_text":{},"new_text":{}},"additionalProperties":false}}}"##;
    let met = |name: &str| format!(r#"{{"edit":{{"{name}":1}}}}"#);
    check(
        deep,
        &met("oldText"),
        &["/edit: found the unknown `oldText`, expected perhaps `old_text`; those not given are \
             `new_text`, `old_text`"],
    );
    check(
        deep,
        &met("new_txt"),
        &["/edit: found the unknown `new_txt`, expected perhaps `new_text`; those not given are \
             `new_text`, `old_text`"],
    );
    check(
        deep,
        &met("path"),
        &["/edit: found the unknown `path`, expected only the properties of the schema: `new_text`, \
           `old_text`"],
    );
    let closed = r#"{"properties":{},"additionalProperties":false}"#;
    check(
        closed,
        r#"{"a":1}"#,
        &["the arguments: found the unknown `a`, expected only the properties of the schema"],
    );
}

#[test]
fn a_union_violation_lists_what_its_branches_expect() {
    let union = r#"{"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"},
        {"type":"object","required":["b"],"properties":{"b":{"type":"string"}}}]}}}"#;
    check(union, r#"{"a":"x"}"#, &["/a: found the string \"x\", expected an integer or null or an object"]);
    check(
        union,
        r#"{"a":{"b":1}}"#,
        &["/a: found an object of 1 members, expected an integer or null or a string at /b"],
    );
    let limits =
        r#"{"properties":{"a":{"exclusiveMinimum":0},"b":{"multipleOf":2},"c":{"uniqueItems":true}}}"#;
    check(
        limits,
        r#"{"a":0,"b":3,"c":[1,1]}"#,
        &[
            "/a: found the number 0, expected more than 0",
            "/b: found the number 3, expected a multiple of 2",
            "/c: found an array of 2 items, expected no item twice",
        ],
    );
}

#[test]
fn a_long_enum_is_shortened_with_the_nearest_value_first() {
    let values: Vec<String> = (0..200).map(|at| format!("\"value_{at:03}\"")).collect();
    let schema = format!(r#"{{"properties":{{"a":{{"enum":[{}]}}}}}}"#, values.join(","));
    let told = checker(&schema).check(&Arguments::parse(r#"{"a":"VALUE-142"}"#).unwrap()).unwrap_err();
    assert!(told[0].wanted.starts_with("one of 200 values: \"value_142\", \"value_000\""), "{}", told[0]);
    assert!(told[0].wanted.ends_with("and 194 more"), "{}", told[0]);
}

#[test]
fn long_values_and_violation_lists_are_shortened() {
    let long = "x".repeat(10_000);
    let schema = r#"{"properties":{"a":{"type":"integer"}}}"#;
    check(
        schema,
        &format!(r#"{{"a":"{long}"}}"#),
        &["/a: found a string of 10000 characters, expected an integer"],
    );
    let many: Vec<String> = (0..100).map(|at| format!(r#""k{at}":1"#)).collect();
    let all = checker(r#"{"additionalProperties":{"type":"string"}}"#);
    let told = all.check(&Arguments::parse(format!("{{{}}}", many.join(","))).unwrap()).unwrap_err();
    assert_eq!(told.len(), 8);
}

#[test]
fn external_references_are_refused_and_not_fetched() {
    for reference in ["http://127.0.0.1:1/schema.json", "https://example.com/s", "file:///etc/passwd"] {
        let schema = format!(r#"{{"$ref":"{reference}"}}"#);
        assert!(Checker::compile(&schema.parse().unwrap()).is_err(), "{reference}");
    }
    check(
        r##"{"$defs":{"s":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/s"}}}"##,
        r#"{"a":"x"}"#,
        &[],
    );
}

#[test]
fn a_hostile_pattern_takes_no_time() {
    let checker = checker(r#"{"properties":{"a":{"type":"string","pattern":"^(a+)+$"}}}"#);
    let arguments = Arguments::parse(format!(r#"{{"a":"{}b"}}"#, "a".repeat(50_000))).unwrap();
    assert!(checker.check(&arguments).is_err());
}

#[test]
fn an_invalid_schema_is_an_error() {
    for schema in [r#"{"type":"strin"}"#, r#"{"required":"a"}"#, r#"{"pattern":"("}"#] {
        assert!(Checker::compile(&schema.parse().unwrap()).is_err(), "{schema}");
    }
}

// A wrong call may have any length; the error about it is bounded.
#[test]
fn no_violation_repeats_a_long_call_to_the_model() {
    let long = "x".repeat(10_000);
    let any_of = r#"{"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}"#;
    let none = r#"{"properties":{"a":{"not":{"type":"string"}}}}"#;
    let closed = r#"{"properties":{},"additionalProperties":false}"#;
    let keys: Vec<String> = (0..2_000).map(|at| format!(r#""key{at}":1"#)).collect();
    for (schema, arguments) in [
        (any_of, format!(r#"{{"a":"{long}"}}"#)),
        (none, format!(r#"{{"a":"{long}"}}"#)),
        (closed, format!(r#"{{"{long}":1}}"#)),
        (closed, format!("{{{}}}", keys.join(","))),
    ] {
        let told = checker(schema).check(&Arguments::parse(arguments).unwrap()).unwrap_err();
        let text: String = told.iter().map(ToString::to_string).collect();
        assert!(!text.is_empty() && text.len() < 500, "{} bytes: {schema}", text.len());
    }
}

#[test]
fn an_oversized_pattern_is_an_error() {
    let schema = r#"{"properties":{"a":{"pattern":"((a{1000}){1000}){1000}"}}}"#;
    assert!(Checker::compile(&schema.parse().unwrap()).is_err());
}

// J10
#[test]
fn one_argument_is_checked_before_the_others_arrive() {
    #[track_caller]
    fn check(schema: &str, name: &str, value: &str, violation: Option<&str>) {
        let found = checker(schema).check_argument(name, &serde_json::from_str(value).unwrap());
        let told = found.err().and_then(|violations| Some(violations.first()?.to_string()));
        assert_eq!(told.as_deref(), violation, "{name}: {value}");
    }
    let schema = r##"{"type":"object","properties":{"path":{"type":"string","maxLength":4},"range":{"$ref":"#/$defs/range"}},
        "required":["path","range"],"additionalProperties":false,
        "$defs":{"range":{"type":"object","required":["from"]}}}"##;
    check(schema, "path", "\"a\"", None);
    check(schema, "path", "3", Some("/path: found the number 3, expected a string"));
    check(
        schema,
        "path",
        "\"abcde\"",
        Some("/path: found the string \"abcde\", expected at most 4 characters"),
    );
    check(schema, "range", "{}", Some("/range: found no `from`, expected the required `from`"));
    check(
        schema,
        "other",
        "1",
        Some(
            "the arguments: found the unknown `other`, expected only the properties of the schema: `path`, \
             `range`",
        ),
    );
    // If one property decides about another, no violation is certain before the arguments are complete.
    let depends = r#"{"properties":{"a":{"type":"string"}},"if":{"not":{"required":["b"]}},"then":{"properties":{"a":{"const":"x"}}}}"#;
    check(depends, "a", "\"y\"", None);
    check(depends, "a", "1", None);
    check(r#"{"minProperties":2}"#, "a", "1", None);
}
