//! Coercion of arguments by the schema (J9).

use windlass_protocol::{Arguments, RawJson};
use windlass_schema::coerce;

/// Checks the coercion of arguments by a schema for the optional property `p`.
#[track_caller]
fn check(schema: &str, arguments: &str, expected: &str) {
    let schema: RawJson =
        format!(r#"{{"type":"object","properties":{{"p":{schema}}},"$defs":{{"n":{{"type":"integer"}}}}}}"#)
            .parse()
            .unwrap();
    let arguments = Arguments::parse(arguments).unwrap();
    let (coerced, changes) = coerce(&schema, &arguments);
    assert_eq!(coerced.as_str(), expected, "{schema:?}");
    assert_eq!(changes.is_empty(), arguments == coerced, "each change is told");
    let (again, changes) = coerce(&schema, &coerced);
    assert!(again == coerced && changes.is_empty(), "once is enough");
}

#[track_caller]
fn check_stays(schema: &str, value: &str) {
    let text = format!(r#"{{ "p" : {value} }}"#);
    check(schema, &text, &text);
}

#[test]
fn strings_are_coerced_where_the_schema_expects_another_type() {
    check(r#"{"type":"boolean"}"#, r#"{"p":"true"}"#, r#"{"p":true}"#);
    check(r#"{"type":["boolean","null"]}"#, r#"{"p":"False"}"#, r#"{"p":false}"#);
    check(r#"{"type":"integer"}"#, r#"{"p":" 5 "}"#, r#"{"p":5}"#);
    check(r##"{"$ref":"#/$defs/n"}"##, r#"{"p":"-7"}"#, r#"{"p":-7}"#);
    check(r#"{"type":"float"}"#, r#"{"p":"1.50"}"#, r#"{"p":1.50}"#);
    check(r#"{"type":"integer"}"#, r#"{"p":"12345678901234567890123"}"#, r#"{"p":12345678901234567890123}"#);
    check(r#"{"type":"array","items":{"type":"integer"}}"#, r#"{"p":"[\"1\",2]"}"#, r#"{"p":[1,2]}"#);
    check(r#"{"type":"object"}"#, r#"{"p":"{\"a\":1}"}"#, r#"{"p":{"a":1}}"#);
    check(r#"{"anyOf":[{"type":"integer"},{"type":"null"}]}"#, r#"{"p":"null"}"#, r#"{"p":null}"#);
}

#[test]
fn values_that_fit_or_cannot_be_read_are_not_coerced() {
    for value in [r#""true""#, r#""5""#, r#""[1]""#, r#""{\"a\":1}""#, r#""null""#, r#""""#] {
        check_stays(r#"{"type":"string"}"#, value);
        check_stays(r#"{"type":["string","integer","boolean","array","object","null"]}"#, value);
        check_stays(r#"{"enum":["a"]}"#, value);
        check_stays("{}", value);
        check_stays("true", value);
    }
    for value in [r#""""#, r#"" ""#, r#""one""#, r#""0x10""#, r#""1,000""#, "true", "[1]", "1.5"] {
        check_stays(r#"{"type":"integer"}"#, value);
    }
    for value in ["1", "0", r#""yes""#, r#""1""#, r#""""#] {
        check_stays(r#"{"type":"boolean"}"#, value);
    }
    for value in [r#""{\"a\": ""#, r#""[1]""#, r#""{'a':1}""#] {
        check_stays(r#"{"type":"object"}"#, value);
    }
    check_stays(r#"{"type":"string"}"#, "5");
}

#[test]
fn null_is_omitted_for_optional_non_nullable_properties() {
    check(r#"{"type":"integer"}"#, r#"{"p":null,"q":null}"#, r#"{"q":null}"#);
    check(r#"{"type":"string"}"#, r#"{"p":null}"#, "{}");
    check(r#"{"enum":["a"]}"#, r#"{"p":null}"#, "{}");
    check_stays(r#"{"type":["integer","null"]}"#, "null");
    check_stays("{}", "null");
    check_stays(r#"{"type":"array","items":{"type":"integer"}}"#, "[null]");
    let required: RawJson = r#"{"properties":{"p":{"type":"integer"}},"required":["p"]}"#.parse().unwrap();
    let arguments = Arguments::parse(r#"{"p":null}"#).unwrap();
    assert_eq!(coerce(&required, &arguments).0, arguments);
}

#[test]
fn nested_values_are_coerced() {
    let nested = r##"{"type":"array","items":{"anyOf":[{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},"additionalProperties":{"type":"boolean"}}]}}"##;
    check(
        nested,
        r#"{"p":[{"n":"1","b":"true","n2":1},{"n":null}]}"#,
        r#"{"p":[{"n":1,"b":true,"n2":1},{}]}"#,
    );
    check(
        r#"{"prefixItems":[{"type":"integer"}],"items":{"type":"boolean"}}"#,
        r#"{"p":["1","true","1"]}"#,
        r#"{"p":[1,true,"1"]}"#,
    );
}

#[test]
fn each_coercion_names_its_place_and_value() {
    let schema: RawJson = r#"{"properties":{"a/b":{"type":"array","items":{"type":"integer"}},"c":{"type":"object"},"d":{"type":"integer"}}}"#.parse().unwrap();
    let long = format!("{{\\\"k\\\":\\\"{}\\\"}}", "x".repeat(500));
    let text = format!(r#"{{"a/b":[1,"2"],"c":"{long}","d":null}}"#);
    let (_, changes) = coerce(&schema, &Arguments::parse(text).unwrap());
    let told: Vec<String> = changes.iter().map(ToString::to_string).collect();
    assert_eq!(told[0], r#"/a~1b/1: "2" was read as 2"#);
    assert!(told[1].len() < 400, "{}", told[1]);
    assert_eq!(told[2], "/d: null was taken as left out");
}

#[test]
fn deep_arguments_and_circles_of_references_end() {
    let circle: RawJson =
        r##"{"$ref":"#","properties":{"a":{"$ref":"#/properties/a"}},"anyOf":[{"$ref":"#"},{"$ref":"#"}]}"##
            .parse()
            .unwrap();
    let deep = format!(r#"{{"a":{}1{}}}"#, "[".repeat(100), "]".repeat(100));
    let arguments = Arguments::parse(deep).unwrap();
    assert_eq!(coerce(&circle, &arguments).0, arguments);
    let tree: RawJson = r##"{"properties":{"a":{"$ref":"#"},"n":{"type":"integer"}}}"##.parse().unwrap();
    let nested = |n: &str| format!("{}{{\"n\":{n}}}{}", r#"{"a":"#.repeat(40), "}".repeat(40));
    let (coerced, changes) = coerce(&tree, &Arguments::parse(nested("\"1\"")).unwrap());
    assert_eq!((coerced.as_str(), changes.len()), (nested("1").as_str(), 1));
}

#[track_caller]
fn check_whole(schema: &str, arguments: &str, expected: &str) {
    let (coerced, _) = coerce(&schema.parse().unwrap(), &Arguments::parse(arguments).unwrap());
    assert_eq!(coerced.as_str(), expected);
}

// J9: a value that a branch accepts unchanged stays unchanged whatever another argument is, and whichever
// branch comes first.
#[test]
fn the_branch_that_takes_a_value_counts() {
    let places = r#"{"properties":{"n":{"type":"integer"}},"anyOf":[{"properties":{"zip":{"type":"integer"}}},{"properties":{"zip":{"type":"string"}}}]}"#;
    check_whole(places, r#"{"n":"5","zip":"12345"}"#, r#"{"n":5,"zip":"12345"}"#);
    let filter = r#"{"properties":{"limit":{"type":"integer"},"filter":{"oneOf":[
        {"properties":{"kind":{"const":"id"},"value":{"type":"integer"}},"required":["kind","value"]},
        {"properties":{"kind":{"const":"name"},"value":{"type":"string"}},"required":["kind","value"]}]}}}"#;
    check_whole(
        filter,
        r#"{"limit":"5","filter":{"kind":"name","value":"42"}}"#,
        r#"{"limit":5,"filter":{"kind":"name","value":"42"}}"#,
    );
    check_whole(filter, r#"{"filter":{"kind":"id","value":"42"}}"#, r#"{"filter":{"kind":"id","value":42}}"#);
    let second = r#"{"anyOf":[{"required":["a"],"properties":{"x":{"type":"boolean"}}},{"required":["b"],"properties":{"x":{"type":"integer"},"b":{}}}]}"#;
    check_whole(second, r#"{"b":1,"x":"7"}"#, r#"{"b":1,"x":7}"#);
    let items = r#"{"properties":{"l":{"type":"array","items":{"anyOf":[{"type":"object","properties":{"v":{"type":"integer"}},"required":["v","i"]},{"type":"object","properties":{"v":{"type":"string"}}}]}}}}"#;
    check_whole(items, r#"{"l":[{"v":"1"},{"v":"2","i":1}]}"#, r#"{"l":[{"v":"1"},{"v":"2","i":1}]}"#);
}

#[test]
fn only_the_values_at_the_given_paths_are_coerced() {
    let schema: RawJson = r#"{"properties":{"a":{"type":"integer"}},"patternProperties":{"^x":{"type":"string"}},"additionalProperties":{"type":"integer"}}"#.parse().unwrap();
    let arguments = Arguments::parse(r#"{"a":"1","x1":"2","o":{"p":"3"}}"#).unwrap();
    let at = |paths: &[&str]| {
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        windlass_schema::coerce_at(&schema, &arguments, &paths).0.as_str().to_owned()
    };
    assert_eq!(at(&["/a"]), r#"{"a":1,"x1":"2","o":{"p":"3"}}"#);
    assert_eq!(at(&[]), arguments.as_str());
    assert_eq!(at(&["/a1"]), arguments.as_str());
}
