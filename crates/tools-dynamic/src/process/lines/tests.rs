//! Lines, however the stream is cut.

use super::{Line, Lines};

fn told(line: Line<'_>) -> String {
    match line {
        Line::Whole(line) => String::from_utf8_lossy(line).into_owned(),
        Line::TooLong { head, bytes } => format!("{bytes}:{}", String::from_utf8_lossy(head)),
    }
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    for size in 1..=text.len().max(1) {
        let (mut lines, mut met) = (Lines::new(4), Vec::new());
        for chunk in text.as_bytes().chunks(size) {
            lines.push(chunk, |line| met.push(told(line)));
        }
        assert_eq!(met, expected, "cut every {size} bytes");
    }
}

// S16: a line without end costs no more than the cap.
#[test]
fn lines_are_the_same_however_the_stream_is_cut() {
    check("", &[]);
    check("a", &[]);
    check("a\n", &["a"]);
    check("\n\nab\n", &["", "", "ab"]);
    check("abcd\nabcde\nx\n", &["abcd", "5:abcd", "x"]);
    check("abcdefghij", &[]);
    check("abcdefghij\nok\nrest", &["10:abcd", "ok"]);
}
