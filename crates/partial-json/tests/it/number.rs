//! Numbers: the grammar, the text, the range.

use windlass_partial_json::{ErrorKind, Parser};

/// Checks that the text of a number is kept, and that its value equals that of `serde_json`.
#[track_caller]
fn check(number: &str) {
    for step in [1, 2, number.len()] {
        let mut parser = Parser::new();
        for part in number.as_bytes().chunks(step) {
            parser.push_bytes(part).unwrap();
        }
        parser.push(" ").unwrap();
        assert_eq!(parser.snapshot().root().unwrap().number_text(), Some(number));
        assert_eq!(parser.finish().unwrap(), serde_json::from_str::<serde_json::Value>(number).unwrap());
    }
}

#[track_caller]
fn check_error(text: &str, kind: ErrorKind, offset: usize) {
    let mut parser = Parser::new();
    let _ = parser.push(text);
    let error = parser.finish().unwrap_err();
    assert_eq!((error.kind(), error.offset()), (kind, offset), "{text}");
}

#[test]
fn every_form_keeps_its_text() {
    // J4
    for number in ["0", "-0", "7", "-12", "0.0", "1.50", "1e5", "1E+05", "1e-7", "-0.5E-10"] {
        check(number);
    }
    for number in
        ["18446744073709551615", "18446744073709551616", "-9223372036854775809", "0.1234567890123456789"]
    {
        check(number);
    }
}

#[test]
fn a_grammar_error_is_reported_at_its_position() {
    check_error("-a", ErrorKind::BadNumber, 1);
    check_error("[01]", ErrorKind::BadNumber, 2);
    check_error("[1.]", ErrorKind::BadNumber, 3);
    check_error("[1e,", ErrorKind::BadNumber, 3);
    check_error("[1.5.2]", ErrorKind::BadNumber, 4);
    check_error("[1x]", ErrorKind::BadNumber, 2);
    check_error("[+1]", ErrorKind::ExpectedValue, 1);
    check_error("[.5]", ErrorKind::ExpectedValue, 1);
    check_error("1\"", ErrorKind::BadNumber, 1);
}

#[test]
fn a_number_that_is_not_whole_at_the_end_is_incomplete() {
    check_error("-", ErrorKind::Incomplete, 1);
    check_error("1.", ErrorKind::Incomplete, 2);
    check_error("1e+", ErrorKind::Incomplete, 3);
    check_error("[1", ErrorKind::Incomplete, 2);
}

#[test]
fn a_number_beyond_a_float_is_shown_and_refused_at_the_end() {
    // J4, J6
    let mut parser = Parser::new();
    parser.push(r#"{"big": 1e999, "next": 1}"#).unwrap();
    assert_eq!(parser.snapshot().get("big").unwrap().number_text(), Some("1e999"));
    let error = parser.finish().unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::NumberOutOfRange, 8));
    check_error("-1e400", ErrorKind::NumberOutOfRange, 0);
    check_error(&format!("[{}]", "9".repeat(400)), ErrorKind::NumberOutOfRange, 1);
    check(&format!("0.{}", "1".repeat(400)));
    check("1e-999");
}
