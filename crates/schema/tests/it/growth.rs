//! Limits of the cost of a schema and of a check: beyond them the answer is a typed refusal.

use windlass_protocol::{Arguments, RawJson};
use windlass_schema::{Checker, Dialect, coerce, coerce_at};
use windlass_testkit::growth::{self, MEGABYTE, Shape};

/// The longest schema that a checker takes.
const LONGEST: usize = 256 * 1024;

#[test]
fn a_schema_that_is_too_long_is_refused() {
    let schema: RawJson = format!(r#"{{"description":"{}"}}"#, "a".repeat(LONGEST)).parse().unwrap();
    let refused = Checker::compile(&schema).unwrap_err();
    assert!(refused.to_string().contains("at most 262144 are allowed"), "{refused}");
}

// Each level of the arguments would double the work: sixty levels take years.
#[test]
fn a_check_that_would_never_end_is_refused() {
    for schema in [
        r##"{"$defs":{"n":{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/n"},{"$ref":"#/$defs/n"}]}}},
            "properties":{"a":{"$ref":"#/$defs/n"}}}"##,
        r##"{"properties":{"a":{"$ref":"#n"}},
            "$defs":{"n":{"$anchor":"n","allOf":[{"items":{"$ref":"#n"}},{"items":{"$ref":"#n"}}]}}}"##,
        r##"{"properties":{"a":{"$ref":"#/$defs/%6E"}},
            "$defs":{"n":{"contains":{"$ref":"#/$defs/n"},"items":{"$ref":"#/$defs/n"}}}}"##,
    ] {
        let checker = Checker::compile(&schema.parse().unwrap()).unwrap();
        let nested = |depth: usize| {
            let (front, back) = ("[".repeat(depth), "]".repeat(depth));
            Arguments::parse(format!(r#"{{"a":{front}"x"{back}}}"#)).unwrap()
        };
        let refused = checker.check(&nested(60)).unwrap_err();
        assert!(refused[0].to_string().contains("too much work to check"), "{schema}: {refused:?}");
        assert_eq!(checker.wrong_paths(&nested(60)), Vec::<String>::new());
        // Values nested as tools nest them are checked.
        if let Err(wrong) = checker.check(&nested(5)) {
            assert!(!wrong[0].to_string().contains("too much"), "{schema}: {wrong:?}");
        }
    }
}

/// Closes the brackets that are open at the end of a text without brackets in its strings.
fn close(text: &str) -> String {
    let mut open = Vec::new();
    for byte in text.bytes() {
        match byte {
            b'{' => open.push('}'),
            b'[' => open.push(']'),
            b'}' | b']' => drop(open.pop()),
            _ => {}
        }
    }
    open.iter().rev().fold(text.to_owned(), |mut text, bracket| {
        text.push(*bracket);
        text
    })
}

fn schemas() -> Vec<Shape> {
    let mut shapes = vec![
        Shape::new(r#"{"description":""#, "a", r#""}"#),
        Shape::new(r#"{"description":""#, r"\u0041", r#""}"#),
        Shape::new(r#"{"enum":["z""#, r#","value{n}""#, "]}"),
        Shape::new(r#"{"enum":["z""#, ",0", "]}"),
        Shape::new(r#"{"required":["z""#, r#","value{n}""#, "]}"),
        Shape::new(r#"{"allOf":[{}"#, r#",{"type":"object"}"#, "]}"),
        Shape::new(r#"{"anyOf":[{}"#, r#",{"required":["a"]}"#, "]}"),
        Shape::new(r#"{"allOf":[{}"#, ",{}", "]}"),
        Shape::new("", r#"{"properties":{"a":"#, "{}"),
        Shape::new("", r#"{"items":"#, "{}"),
        Shape::new("", r#"{"anyOf":["#, "{}"),
    ];
    let properties = [
        r#"{"type":"string"}"#,
        "{}",
        r##"{"$ref":"#/$defs/s"}"##,
        r##"{"$ref":"#/properties/z"}"##,
        r#"{"$anchor":"x{n}"}"#,
        r#"{"$id":"x{n}"}"#,
        r#"{"pattern":"^\\w{50}$"}"#,
        r#"{"enum":["a","b","c"]}"#,
        r#"{"type":"array","items":{"type":["string","null"]}}"#,
        r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
    ];
    shapes.extend(properties.map(|property| {
        let front = r#"{"$defs":{"s":{"type":"string"}},"properties":{"z":{}"#;
        Shape::new(front, format!(r#","a{{n}}":{property}"#), "}}")
    }));
    shapes
}

fn raw(text: &str) -> RawJson {
    close(text).parse().unwrap_or_default()
}

#[test]
fn a_schema_is_compiled_in_linear_time_up_to_its_limit() {
    let test = "growth::a_schema_is_compiled_in_linear_time_up_to_its_limit";
    growth::check(test, LONGEST, &schemas(), |text| {
        let _ = Checker::compile(&raw(text)).map(|checker| checker.check(&Arguments::default()));
    });
}

#[test]
fn a_schema_is_sent_in_linear_time_in_each_dialect() {
    let test = "growth::a_schema_is_sent_in_linear_time_in_each_dialect";
    // The number of the dialect precedes the schema in a text.
    let numbers = 0..Dialect::ALL.len();
    let shapes: Vec<Shape> = numbers
        .flat_map(|at| schemas().into_iter().map(move |shape| shape.with_front(&format!("{at} "))))
        .collect();
    // A build without optimization takes a minute for so many bytes.
    let size = if cfg!(debug_assertions) { MEGABYTE / 16 } else { LONGEST };
    growth::check(test, size, &shapes, |numbered| {
        let (number, json) = numbered.split_once(' ').unwrap();
        let compiled = Dialect::ALL[number.parse::<usize>().unwrap()].compile(&raw(json));
        assert!(compiled.schema.as_str().starts_with('{'));
    });
}

#[test]
fn a_schema_of_a_megabyte_is_replaced_in_each_dialect() {
    let test = "growth::a_schema_of_a_megabyte_is_replaced_in_each_dialect";
    growth::check(test, MEGABYTE, &[Shape::new(r#"{"enum":["z""#, ",0", "]}")], |json| {
        let schema = raw(json);
        let losses = Dialect::ALL.map(|dialect| dialect.compile(&schema).losses);
        assert!(losses.iter().all(|losses| losses[0].to_string().contains("is too long")), "{losses:?}");
    });
    let schema = |bytes: usize| {
        let empty = r#"{"description":"","properties":{}}"#;
        empty
            .replace(r#""","#, &format!(r#""{}","#, "a".repeat(bytes - empty.len())))
            .parse::<RawJson>()
            .unwrap()
    };
    assert_eq!(Dialect::Anthropic.compile(&schema(LONGEST)).losses, []);
    assert_eq!(Dialect::Anthropic.compile(&schema(LONGEST + 1)).losses.len(), 1);
}

#[test]
fn patterns_are_compiled_up_to_their_number() {
    let patterns = |count: usize, pattern: &str| {
        let all: Vec<_> = (0..count).map(|at| format!(r#""a{at}":{{"pattern":"{pattern}{at}"}}"#)).collect();
        format!(r#"{{"properties":{{{}}}}}"#, all.join(","))
    };
    let shape = |pattern: &str| Shape::new(format!("{pattern} "), "x", "");
    let shapes = ["a", r"^[a-z]{1,40}", r"\\d+", r"\\pL{3}", r"[01]*1[01]{9}"].map(shape);
    let test = "growth::patterns_are_compiled_up_to_their_number";
    growth::check(test, 256, &shapes, |text| {
        let (pattern, fill) = text.split_once(' ').unwrap();
        let _ = Checker::compile(&raw(&patterns(fill.len(), pattern)));
    });
    assert!(Checker::compile(&raw(&patterns(256, "a"))).is_ok());
    let refused = Checker::compile(&raw(&patterns(257, "a"))).unwrap_err();
    assert!(refused.to_string().contains("257 patterns, and at most 256 are allowed"), "{refused}");
    // A single pattern may be larger than one of many.
    assert!(Checker::compile(&raw(&patterns(1, r"\\pL{10}"))).is_ok());
    assert!(Checker::compile(&raw(&patterns(250, r"\\pL{10}"))).is_err());
}

const CHECKED: [&str; 9] = [
    r#"{"additionalProperties":{"type":"array","items":{"type":"string"}}}"#,
    r#"{"properties":{"a":{"items":{"type":"object","properties":{"b":{"type":"integer"}}}}}}"#,
    r#"{"additionalProperties":{"type":"integer"},"required":["a","b","c","d","e","f","g","h","i","j"]}"#,
    r#"{"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"integer"}},
        {"type":"object","additionalProperties":{"type":"integer"}}]}}}"#,
    r#"{"properties":{"a":{"items":{"anyOf":[{"type":"string"},{"type":"object","required":["c"]}]}}}}"#,
    r#"{"properties":{"a":{"items":{"enum":["a","b","c","d","e","f","g","h"]},"uniqueItems":true}}}"#,
    r#"{"properties":{"a":{"type":"string","pattern":"^(1|2)*x$"}},"propertyNames":{"pattern":"^a"}}"#,
    r##"{"$defs":{"n":{"items":{"$ref":"#/$defs/n"}}},"additionalProperties":{"$ref":"#/$defs/n"}}"##,
    r#"{"additionalProperties":false}"#,
];

fn arguments() -> Vec<Shape> {
    let long = "k".repeat(MEGABYTE / 8);
    vec![
        Shape::new(r#"{"a":[1"#, ",1", "]}"),
        Shape::new(r#"{"a":["1""#, r#","1""#, "]}"),
        Shape::new(r#"{"a":[{}"#, r#",{"b":"1"}"#, "]}"),
        Shape::new(r#"{"a":[{}"#, ",{}", "]}"),
        Shape::new(r#"{"a":[0"#, ",{n}", "]}"),
        Shape::new(r#"{"z":1"#, r#","k{n}":"1""#, "}"),
        Shape::new(r#"{"z":1"#, r#","k{n}":[1]"#, "}"),
        Shape::new(r#"{"a":""#, "1", r#""}"#),
        Shape::new(r#"{""#, "a", r#"":[1,1]}"#),
        Shape::new(format!(r#"{{"{long}":[1"#), ",1", "]}"),
        Shape::new(format!(r#"{{"{long}":["1""#), r#","1""#, "]}"),
        Shape::new(r#"{"a":""#, r#"[\"1\","#, r#"1"}"#),
        Shape::new(r#"{"a":"#, "[", "1"),
    ]
}

#[test]
fn arguments_are_checked_and_coerced_in_linear_time() {
    let checkers = CHECKED.map(|schema| {
        let schema: RawJson = schema.parse().unwrap();
        (Checker::compile(&schema).unwrap(), schema)
    });
    // The number of the schema precedes the arguments in a text.
    let shapes: Vec<Shape> = (0..CHECKED.len())
        .flat_map(|at| arguments().into_iter().map(move |shape| shape.with_front(&format!("{at} "))))
        .collect();
    let test = "growth::arguments_are_checked_and_coerced_in_linear_time";
    // A build without optimization takes a minute for as many megabytes.
    let size = if cfg!(debug_assertions) { MEGABYTE / 16 } else { MEGABYTE };
    growth::check(test, size, &shapes, |numbered| {
        let (number, json) = numbered.split_once(' ').unwrap();
        let (checker, schema) = &checkers[number.parse::<usize>().unwrap()];
        let Ok(arguments) = Arguments::parse(close(json)) else { return };
        if checker.check(&arguments).is_err() {
            let paths = checker.wrong_paths(&arguments);
            let (_, changes) = coerce_at(schema, &arguments, &paths);
            assert!(paths.len() <= 1_000 && changes.len() <= 10_000);
        }
    });
}

// A long name is part of the path of everything below it.
#[test]
fn a_long_name_is_not_repeated_for_each_value_below_it() {
    let checker = Checker::compile(&CHECKED[0].parse().unwrap()).unwrap();
    let arguments = format!(r#"{{"{}":[{}1]}}"#, "k".repeat(100_000), "1,".repeat(40_000));
    let refused = checker.check(&Arguments::parse(arguments.clone()).unwrap()).unwrap_err();
    assert!(refused.iter().all(|violation| violation.path.len() < 2_000), "{}", refused.len());
    let (_, changes) = coerce(&CHECKED[0].parse().unwrap(), &Arguments::parse(arguments).unwrap());
    assert_eq!(changes, []);
}

#[test]
fn arguments_of_too_many_values_are_not_coerced() {
    let schema: RawJson =
        r#"{"additionalProperties":{"items":{"type":"string"}},"properties":{"n":{"type":"integer"}}}"#
            .parse()
            .unwrap();
    let of = |count: usize| {
        let arguments = format!(r#"{{"n":"1","a":[1{}]}}"#, ",1".repeat(count - 4));
        coerce(&schema, &Arguments::parse(arguments).unwrap()).1.len()
    };
    assert_eq!((of(50_000), of(50_001)), (1, 0));
}

#[test]
fn a_large_list_has_one_violation() {
    let checker = Checker::compile(&CHECKED[0].parse().unwrap()).unwrap();
    let of = |count: usize| Arguments::parse(format!(r#"{{"a":["x"{}]}}"#, ",1".repeat(count))).unwrap();
    assert_eq!(checker.check(&of(1_000)).unwrap_err().len(), 8);
    let one = checker.check(&of(60_000)).unwrap_err();
    assert_eq!(one.iter().map(|violation| violation.path.as_str()).collect::<Vec<_>>(), ["/a/1"]);
    // A constant is copied into each error, so a long one counts.
    let long = format!(r#"{{"additionalProperties":{{"items":{{"const":"{}"}}}}}}"#, "c".repeat(100_000));
    let refused = Checker::compile(&long.parse().unwrap()).unwrap().check(&of(1_000)).unwrap_err();
    assert!(refused[0].to_string().contains("too much work to check"), "{}", refused[0]);
}
