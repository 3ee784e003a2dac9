//! Properties of displayed texts.

use proptest::prelude::*;

use super::{display_line, display_safe};

/// Creates texts that mix characters which are escaped, and the letters of their escapes.
fn text() -> impl Strategy<Value = String> {
    let pieces =
        ["\\", "n", "t", "r", "u", "u{a}", "{", "\n", "\t", "\r", "\u{1b}", "\u{200b}", "⏎", "x", "#", " "];
    proptest::collection::vec(prop::sample::select(pieces.to_vec()), 0..6).prop_map(|pieces| pieces.concat())
}

/// Replaces the escapes of a displayed text.
fn read_back(shown: &str) -> String {
    let (mut text, mut rest) = (String::new(), shown);
    while let Some(character) = rest.chars().next() {
        let (piece, length) = match rest.as_bytes() {
            [b'\\', b'\\', ..] => ('\\', 2),
            [b'\\', b'n', ..] => ('\n', 2),
            [b'\\', b't', ..] => ('\t', 2),
            [b'\\', b'r', ..] => ('\r', 2),
            [b'\\', b'u', b'{', ..] => {
                let end = rest.find('}').unwrap();
                (u32::from_str_radix(&rest[3..end], 16).ok().and_then(char::from_u32).unwrap(), end + 1)
            }
            _ => (character, character.len_utf8()),
        };
        text.push(piece);
        rest = &rest[length..];
    }
    text
}

// H14
#[test]
fn a_line_break_differs_from_a_backslash_and_its_letter() {
    assert_eq!(display_line("echo tidy # \ntouch x"), r"echo tidy # \ntouch x");
    assert_eq!(display_line(r"echo tidy # \ntouch x"), r"echo tidy # \\ntouch x");
    assert_ne!(display_safe("\\\r"), display_safe(r"\r"));
    assert_ne!(display_safe("\\\u{1b}"), display_safe(r"\u{1b}"));
}

proptest! {
    // H14
    #[test]
    fn a_displayed_line_can_be_read_back(text in text()) {
        let shown = display_line(&text);
        prop_assert!(!shown.contains(['\n', '\t', '\r']));
        prop_assert_eq!(read_back(&shown), text);
    }

    // H14
    #[test]
    fn different_texts_are_displayed_differently(one in text(), other in text()) {
        prop_assume!(one != other);
        prop_assert_ne!(display_line(&one), display_line(&other));
        prop_assert_ne!(display_safe(&one), display_safe(&other));
    }
}
