//! The text of a command with its arguments.

use super::*;

#[track_caller]
fn check(text: &str, arguments: &str, expected: &str) {
    assert_eq!(expand(text, arguments).as_deref(), Some(expected), "{text:?} with {arguments:?}");
}

#[test]
fn places_are_filled_once() {
    check("a $ARGUMENTS b", "x  y", "a x  y b");
    check("$1-$2-$3", "x 'y z'", "x-y z-");
    check("$1 $1", "$2 $1", "$2 $2");
    check("$ARGUMENTS", "$ARGUMENTS$1", "$ARGUMENTS$1");
    check("$1", r#""a b" c"#, "a b");
    check("$2", "don't stop", "stop");
    check("$1|$2", r#""" x"#, "|x");
}

#[test]
fn other_dollar_signs_stay() {
    for text in ["$", "$$", "$10", "$0", "$HOME", "$ARGUMENTSX", "${1}", "a$"] {
        check(text, "", text);
    }
    check("$10 $1", "x", "$10 x");
}

#[test]
fn arguments_without_a_placeholder_are_appended() {
    check("do it", "x y", "do it\n\nArguments: x y");
    check("do it", " ", "do it");
}

#[test]
fn an_oversized_expansion_is_refused() {
    assert_eq!(expand(&"$ARGUMENTS".repeat(5_000), &"x".repeat(10_000)), None);
    assert_eq!(expand("do it", &"x".repeat(MAX_EXPANDED)), None);
}
