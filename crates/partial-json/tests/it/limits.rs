//! The limits: typed errors at a place that no split changes.

use windlass_partial_json::{ErrorKind, JsonLimits, Parser};

#[track_caller]
fn check(limits: JsonLimits, text: &str, expected: Option<(ErrorKind, usize)>) {
    for step in [1, 3, text.len()] {
        let mut parser = Parser::with_limits(limits);
        let error = text.as_bytes().chunks(step).find_map(|part| parser.push_bytes(part).err());
        assert_eq!(error.map(|error| (error.kind(), error.offset())), expected, "{text} in steps of {step}");
    }
}

#[test]
fn nesting_is_limited_as_serde_json_limits_it() {
    // J7
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    check(JsonLimits::default(), &nested(127), None);
    check(JsonLimits::default(), &nested(128), Some((ErrorKind::TooDeep, 127)));
    assert!(serde_json::from_str::<serde_json::Value>(&nested(127)).is_ok());
    assert!(serde_json::from_str::<serde_json::Value>(&nested(128)).is_err());
    check(JsonLimits::default().with_depth(2), "{\"a\": [", Some((ErrorKind::TooDeep, 6)));
    check(JsonLimits::default().with_depth(2), "[1, 2]", None);
}

#[test]
fn length_is_limited_and_what_fits_is_shown() {
    // J7, S16
    let limits = JsonLimits::default().with_bytes(6);
    check(limits, "\"abcd\"", None);
    check(limits, "\"abcdef", Some((ErrorKind::TooLong, 6)));
    let mut parser = Parser::with_limits(limits);
    assert!(parser.push("\"abc豆豆").is_err());
    assert_eq!(parser.snapshot().root().unwrap().as_str(), Some("abc"));
}

#[test]
fn values_are_limited() {
    // J7, S16
    let limits = JsonLimits::default().with_values(3);
    check(limits, "[1,2]", None);
    check(limits, "[1,2,3]", Some((ErrorKind::TooManyValues, 5)));
}

#[test]
fn a_depth_that_dropping_a_value_could_not_bear_is_not_granted() {
    // J7
    let limits = JsonLimits::default().with_depth(usize::MAX);
    let text = "[".repeat(2_000);
    let mut parser = Parser::with_limits(limits);
    assert_eq!(parser.push(&text).unwrap_err().kind(), ErrorKind::TooDeep);
    let text = format!("{}{}", "[".repeat(1_023), "]".repeat(1_023));
    let mut parser = Parser::with_limits(limits);
    parser.push(&text).unwrap();
    assert!(parser.finish().is_ok());
}
