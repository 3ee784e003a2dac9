//! Translation of ECMA-262 regular expressions, the syntax of JSON Schema patterns, to the syntax of `regex`.

use regex::{Error, Regex, RegexBuilder};

/// Compiles a pattern, or returns an error if its compiled form would exceed this number of bytes. It matches
/// in linear time, so it has no look-around and no back references.
pub(super) fn compile(pattern: &str, bytes: usize) -> Result<Regex, Error> {
    RegexBuilder::new(&translate(pattern)).size_limit(bytes).dfa_size_limit(bytes).build()
}

/// Translates the parts of the syntax that differ: digits and letters of `\d` and `\w` are ASCII, `/` may be
/// escaped, and `[` has no meaning inside of a class.
fn translate(pattern: &str) -> String {
    let mut text = String::with_capacity(pattern.len());
    let mut letters = pattern.chars();
    let mut is_in_class = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('d') => text.push_str("[0-9]"),
                Some('D') => text.push_str("[^0-9]"),
                Some('w') => text.push_str("[A-Za-z0-9_]"),
                Some('W') => text.push_str("[^A-Za-z0-9_]"),
                Some(plain @ ('/' | '<' | '>')) => text.push(plain),
                Some(other) => text.extend(['\\', other]),
                None => text.push('\\'),
            },
            '[' if is_in_class => text.push_str("\\["),
            '&' | '~' if is_in_class => text.extend(['\\', letter]),
            _ => {
                is_in_class = match letter {
                    '[' => true,
                    ']' => false,
                    _ => is_in_class,
                };
                text.push(letter);
            }
        }
    }
    text
}
