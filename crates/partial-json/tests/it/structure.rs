//! Brackets, commas, colons and literals: refused texts, with the reason and the place.

use windlass_partial_json::{ErrorKind, Parser};

#[track_caller]
fn check(text: &str, kind: ErrorKind, offset: usize) {
    for step in [1, 2, text.len().max(1)] {
        let mut parser = Parser::new();
        for part in text.as_bytes().chunks(step) {
            let _ = parser.push_bytes(part);
        }
        let error = parser.finish().unwrap_err();
        assert_eq!((error.kind(), error.offset()), (kind, offset), "{text} in steps of {step}");
    }
}

#[test]
fn structure_is_strict() {
    // J7a
    check("[,", ErrorKind::ExpectedValue, 1);
    check("[1,]", ErrorKind::ExpectedValue, 3);
    check("{,", ErrorKind::ExpectedKey, 1);
    check("{\"a\":1,}", ErrorKind::ExpectedKey, 7);
    check("{'a'", ErrorKind::ExpectedKey, 1);
    check("{\"a\" 1", ErrorKind::ExpectedColon, 5);
    check("{\"a\":}", ErrorKind::ExpectedValue, 5);
    check("[1}", ErrorKind::ExpectedCommaOrEnd, 2);
    check("[true}", ErrorKind::ExpectedCommaOrEnd, 5);
    check("{\"a\":true]", ErrorKind::ExpectedCommaOrEnd, 9);
    check("]", ErrorKind::ExpectedValue, 0);
    check("// no", ErrorKind::ExpectedValue, 0);
    check("\u{FEFF}[]", ErrorKind::ExpectedValue, 0);
}

#[test]
fn literals_are_whole_words() {
    check("[trie", ErrorKind::BadLiteral, 3);
    check("nulL", ErrorKind::BadLiteral, 3);
    check("truefalse", ErrorKind::TrailingText, 4);
    check("[nullx", ErrorKind::ExpectedCommaOrEnd, 5);
    check("True", ErrorKind::ExpectedValue, 0);
}

#[test]
fn a_text_that_ends_early_is_incomplete() {
    for text in ["", " ", "[", "[1,", "{", "{\"a", "{\"a\"", "{\"a\":", "\"x", "\"x\\", "tru", "[[]"] {
        check(text, ErrorKind::Incomplete, text.len());
    }
}
