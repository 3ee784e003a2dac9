//! Output that would act on a terminal.

use super::visible;

#[track_caller]
fn check(text: &str, shown: &str) {
    assert_eq!(visible(text), shown);
}

// F59
#[test]
fn control_characters_are_escaped_and_other_text_is_kept() {
    check("plain\ttext ä\n", "plain\ttext ä\n");
    check("a\u{1b}[2Kb", "a\\u{1b}[2Kb");
    check("\u{1b}]52;c;eA==\u{7}", "\\u{1b}]52;c;eA==\\u{7}");
    check("one\r\ntwo\rthree\r", "one\ntwo\\rthree\\r");
    check("\u{9b}2K\u{202e}x\u{200b}\u{e0072}", "\\u{9b}2K\\u{202e}x\\u{200b}\\u{e0072}");
}
