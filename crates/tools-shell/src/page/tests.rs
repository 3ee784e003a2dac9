//! Pages and matches of small outputs; large ones are tried with real commands.

use std::io::Cursor;

use super::*;

#[track_caller]
fn check(text: &str, wanted: &RequestedPart, line: &str, body: &str) {
    let mut source = Cursor::new(text.as_bytes());
    let met = read(&mut source, text.len() as u64, wanted).unwrap();
    assert_eq!((met.0.as_str(), met.1.as_str()), (line, body), "{wanted:?}");
}

fn from(offset: u64, limit: usize) -> RequestedPart {
    RequestedPart { offset: Some(offset), limit: Some(limit), ..RequestedPart::default() }
}

fn tail(lines: u64) -> RequestedPart {
    RequestedPart { tail: Some(lines), ..RequestedPart::default() }
}

fn matching(search: &str) -> RequestedPart {
    RequestedPart { search: Some(search.to_owned()), ..RequestedPart::default() }
}

// R9
#[test]
fn pages_end_on_lines_and_lead_to_the_next() {
    let text = "one\ntwo\nthree\n";
    check(text, &RequestedPart::default(), "[bytes 0 to 14 of 14; this is its end]", text);
    check(text, &from(0, 6), "[bytes 0 to 4 of 14; read on with \"offset\": 4]", "one\n");
    check(text, &from(4, 10), "[bytes 4 to 14 of 14; this is its end]", "two\nthree\n");
    check(text, &from(5, 2), "[bytes 5 to 7 of 14; read on with \"offset\": 7]", "wo");
    check(text, &from(99, 2), "[bytes 14 to 14 of 14; this is its end]", "");
    check("", &RequestedPart::default(), "[bytes 0 to 0 of 0; this is its end]", "");
    // No character is split, and every page continues at the end of the one before.
    check("aüüü", &from(0, 2), "[bytes 0 to 1 of 7; read on with \"offset\": 1]", "a");
    check("aüüü", &from(2, 3), "[bytes 3 to 5 of 7; read on with \"offset\": 5]", "ü");
    check("ü", &from(0, 1), "[bytes 0 to 1 of 2; read on with \"offset\": 1]", "\u{fffd}");
}

#[test]
fn the_last_lines_are_found_from_the_end() {
    let text = "one\ntwo\nthree\n";
    check(text, &tail(1), "[bytes 8 to 14 of 14; this is its end]", "three\n");
    check(text, &tail(2), "[bytes 4 to 14 of 14; this is its end]", "two\nthree\n");
    check(text, &tail(9), "[bytes 0 to 14 of 14; this is its end]", text);
    check("one\ntwo", &tail(1), "[bytes 4 to 7 of 7; this is its end]", "two");
}

#[test]
fn matching_lines_have_offsets_and_totals() {
    let text = "one\ntwo\nthree\nTWO";
    let end = "; before each line is its offset; 17 bytes in all]";
    check(text, &matching("two"), &format!("[2 of 4 lines match `two`{end}"), "4: two\n14: TWO\n");
    check(text, &matching("^t.*o$"), &format!("[2 of 4 lines match `^t.*o$`{end}"), "4: two\n14: TWO\n");
    check(text, &matching("(?-i)two"), &format!("[1 of 4 lines match `(?-i)two`{end}"), "4: two\n");
    check(text, &matching("zero"), &format!("[0 of 4 lines match `zero`{end}"), "");
    let plain = ", searched as plain text because it is not a regular expression";
    check(text, &matching("e("), &format!("[0 of 4 lines match `e(`{plain}{end}"), "");
    let wanted = RequestedPart { offset: Some(5), ..matching("two") };
    check(text, &wanted, &format!("[1 of 3 lines from byte 5 on match `two`{end}"), "14: TWO\n");
    let wanted = RequestedPart { limit: Some(1), ..matching("o") };
    let more = "; 1 are shown, see more with \"offset\": 4";
    check(text, &wanted, &format!("[3 of 4 lines match `o`{more}{end}"), "0: one\n");
}

// S16: a match is found in a line of any length, wherever the blocks of the reader end.
#[test]
fn a_match_is_found_across_block_ends() {
    for size in [BLOCK_BYTES - 3, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES] {
        let mut text = "x".repeat(size);
        text.push_str("\nneedle here\nlast\n");
        let mut source = Cursor::new(text.as_bytes());
        let (line, body) = read(&mut source, text.len() as u64, &matching("needle")).unwrap();
        assert!(line.starts_with("[1 of "), "{size}: {line}");
        assert_eq!(body, format!("{}: needle here\n", size + 1));
    }
    let mut source = Cursor::new(b"aaaa\n".as_slice());
    for pattern in ["", "^", "$", "(a*)*b", "a{1000}{1000}{1000}", "\\n", "[", "\u{0}"] {
        read(&mut source, 5, &matching(pattern)).unwrap();
    }
    let long = "a".repeat(20_000);
    let (line, body) = read(&mut source, 5, &matching(&long)).unwrap();
    assert!(line.contains("which is too long to search for") && body.is_empty(), "{line}");
}
