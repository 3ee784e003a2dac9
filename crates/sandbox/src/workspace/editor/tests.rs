//! Tests of the texts of an editor.

use super::{as_text, is_same_text, to_editor_form, to_file_form};

#[test]
fn a_text_keeps_the_line_ends_and_the_mark_of_its_file() {
    let file = "\u{feff}one\r\ntwo\r\n";
    assert!(is_same_text("one\ntwo\n", file));
    assert!(!is_same_text("one\ntwo", file));
    assert_eq!(to_file_form("one\nthree\n", file), "\u{feff}one\r\nthree\r\n".as_bytes());
    assert_eq!(to_editor_form("\u{feff}one\r\nfour\r\n", "one\ntwo\n"), "one\nfour\n");
    assert_eq!(to_editor_form("one\r\nfour\r\n", "one\r\n"), "one\r\nfour\r\n");
    // Mixed line ends are kept as the editor shows them.
    assert_eq!(to_file_form("a\nb\n", "a\r\nb\n"), b"a\nb\n");
}

#[test]
fn only_utf_8_texts_go_through_an_editor() {
    assert!(as_text(b"one\n").is_some());
    assert!(as_text(b"caf\xe9").is_none());
    assert!(as_text(b"a\0b").is_none());
    assert!(as_text(&vec![b'a'; super::MAX_TEXT_BYTES + 1]).is_none());
}
