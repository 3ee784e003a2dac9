//! Escapes, surrogates, and tolerated mistakes inside strings.

use windlass_partial_json::{ErrorKind, Parser};

/// Checks the text that is shown for an open string, and the number of tolerated mistakes.
#[track_caller]
fn check(inside: &str, shown: &str, forgiven: usize) {
    for step in [1, 2, 5, inside.len().max(1)] {
        let mut parser = Parser::new();
        parser.push("\"").unwrap();
        for part in inside.as_bytes().chunks(step) {
            parser.push_bytes(part).unwrap();
        }
        assert_eq!(parser.snapshot().root().unwrap().as_str(), Some(shown), "{inside} in steps of {step}");
        assert_eq!(parser.forgiven(), forgiven, "{inside} in steps of {step}");
    }
}

/// Checks that a strict parse refuses the text with a reason and a position.
#[track_caller]
fn check_strict(text: &str, kind: ErrorKind, offset: usize) {
    for step in [1, 3, text.len()] {
        let mut parser = Parser::new();
        for part in text.as_bytes().chunks(step) {
            parser.push_bytes(part).unwrap();
        }
        let error = parser.finish().unwrap_err();
        assert_eq!((error.kind(), error.offset()), (kind, offset), "{text} in steps of {step}");
    }
}

#[test]
fn escapes_are_decoded() {
    check(r#"a\"\\\/\b\f\n\r\tz"#, "a\"\\/\u{8}\u{c}\n\r\tz", 0);
    check(r"\u0041\u00e9\u8C46\uD83D\uDE00!", "Aé豆😀!", 0);
    check("é豆😀", "é豆😀", 0);
    check(&"long run without any escape ".repeat(40), &"long run without any escape ".repeat(40), 0);
}

#[test]
fn half_escapes_are_held_back() {
    // J4
    check(r"a\", "a", 0);
    check(r"a\u", "a", 0);
    check(r"a\u00e", "a", 0);
    check(r"a\ud83d", "a", 0);
    check(r"a\ud83d\", "a", 0);
    check(r"a\ud83d\ude0", "a", 0);
}

#[test]
fn a_lone_surrogate_becomes_a_replacement_character() {
    // J4
    check(r"\ud83d.", "\u{FFFD}.", 0);
    check(r"\ud83d\n", "\u{FFFD}\n", 0);
    check(r"\ud83d\u0041", "\u{FFFD}A", 0);
    check(r"\ud83d\ud83d\ude00", "\u{FFFD}😀", 0);
    check(r"\ude00", "\u{FFFD}", 0);
}

#[test]
fn raw_control_characters_and_unknown_escapes_are_shown_and_counted() {
    // J7a
    check("a\nb\tc", "a\nb\tc", 2);
    check(r"\x41\'", r"\x41\'", 2);
    check(r"C:\dir\q", r"C:\dir\q", 2);
    check(r"\u12G4", r"\u12G4", 1);
    check(r"\ud83d\q", "\u{FFFD}\\q", 1);
    check("\\\n", "\\\n", 2);
    check("\\é", "\\é", 1);
}

#[test]
fn strict_finish_refuses_tolerated_errors() {
    // J6, J7a
    check_strict("[\"a\nb\"]", ErrorKind::ControlCharacter, 3);
    check_strict(r#"["ab\x"]"#, ErrorKind::UnknownEscape, 4);
    check_strict(r#"["ab\u00zz"]"#, ErrorKind::UnknownEscape, 4);
    check_strict(r#"["a\ud83d"]"#, ErrorKind::LoneSurrogate, 3);
    check_strict(r#"["a\ud83dx"]"#, ErrorKind::LoneSurrogate, 3);
    check_strict(r#"["a\ud83d\n"]"#, ErrorKind::LoneSurrogate, 3);
    check_strict(r#"["a\ud83d\u0041"]"#, ErrorKind::LoneSurrogate, 3);
    check_strict(r#"["a\ude00b"]"#, ErrorKind::LoneSurrogate, 3);
}

#[test]
fn a_control_character_far_behind_a_long_run_is_found() {
    for length in [0, 7, 8, 31, 32, 33, 63, 64, 511, 512, 600, 2_000] {
        let text = format!("\"{}\u{1}\"", "x".repeat(length));
        check_strict(&text, ErrorKind::ControlCharacter, length + 1);
        let text = format!("\"{}\"", "x".repeat(length));
        let mut parser = Parser::new();
        parser.push(&text).unwrap();
        assert_eq!(parser.finish().unwrap().as_str().unwrap().len(), length);
    }
}
