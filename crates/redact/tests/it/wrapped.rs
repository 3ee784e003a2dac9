//! Encoded values that a program broke into lines (security 25).

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use windlass_redact::Redactor;

/// Text that programs put between two lines: `base64`, MIME, both inside of JSON, inside of JSON twice, and
/// YAML.
const GAPS: [&str; 6] = ["\n", "\r\n", "\\n", "\\r\\n", "\\\\n", "\n      "];

/// A value without repetitions.
fn value(length: usize) -> String {
    let numbers = (0_u32..).flat_map(|number| number.wrapping_mul(0x9e37_79b9).to_string().into_bytes());
    numbers.take(length).map(|digit| char::from(digit + b'A' - b'0')).collect()
}

fn wrap(encoded: &str, width: usize, gap: &str) -> String {
    let lines: Vec<_> =
        encoded.as_bytes().chunks(width).map(|line| String::from_utf8_lossy(line).into_owned()).collect();
    lines.join(gap)
}

fn pushed(redactor: &Redactor, text: &str, cut: usize) -> Vec<u8> {
    let mut stream = redactor.stream();
    let mut clean = Vec::new();
    for piece in text.as_bytes().chunks(cut) {
        clean.extend(stream.push(piece));
        // The bound is a gap before each letter of the longest form, and the letter itself.
        assert!(stream.pending_bytes() <= 17 * 2_048, "{}", stream.pending_bytes());
    }
    clean.extend(stream.finish());
    clean
}

/// Checks that each line is replaced by a mark, except for letters at the ends that also encode other bytes.
#[track_caller]
fn check(redactor: &Redactor, text: &str, gap: &str, lines: usize) {
    let clean = redactor.redact(text);
    let left = clean.replace(gap, "").replace(Redactor::MARK, "");
    assert!(left.len() <= 16, "{text}\nbecame\n{clean}");
    assert_eq!(clean.matches(gap).count() + 1, lines, "the line breaks stay: {clean}");
    assert!(redactor.contains_secret(text));
    for cut in [1, 3, 77] {
        assert_eq!(pushed(redactor, text, cut), clean.as_bytes(), "in pieces of {cut}");
    }
}

#[test]
fn base64_is_found_with_any_line_wrapping() {
    for length in [46, 47, 48, 200, 1_500] {
        let value = value(length);
        let redactor = Redactor::new([value.as_str().into()]);
        for before in ["", "x", "xy", "user:"] {
            for after in ["", "z", "zz"] {
                let text = format!("{before}{value}{after}");
                for encoded in [STANDARD.encode(&text), URL_SAFE.encode(&text)] {
                    for (width, gap) in [(76, "\n"), (76, "\r\n"), (64, "\n"), (64, "\\r\\n"), (60, "\n  ")] {
                        check(&redactor, &wrap(&encoded, width, gap), gap, encoded.len().div_ceil(width));
                    }
                }
            }
        }
    }
}

#[test]
fn gaps_of_all_kinds_and_lines_of_all_lengths_are_read_over() {
    let value = value(60);
    let redactor = Redactor::new([value.as_str().into()]);
    let encoded = STANDARD.encode(format!("Bearer {value}."));
    for gap in GAPS {
        for width in [1, 2, 3, 5, 16, 79] {
            check(&redactor, &wrap(&encoded, width, gap), gap, encoded.len().div_ceil(width));
        }
    }
    // `xxd -p`
    let hex = value.bytes().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    check(&redactor, &wrap(&hex, 60, "\n"), "\n", 2);
}

#[test]
fn a_slash_that_json_escapes_is_a_letter() {
    // Its encoding has a slash at every fourth place.
    let value = "\u{ff}".repeat(24) + "?\u{3f}?~~~";
    let redactor = Redactor::new([value.as_str().into()]);
    let encoded = STANDARD.encode(&value);
    assert!(encoded.contains('/'), "{encoded}");
    let line = wrap(&encoded, 20, "\n");
    let escaped = format!("\"{}\"", line.replace('/', "\\/").replace('\n', "\\n"));
    let clean = redactor.redact(&escaped);
    let text: String = serde_json::from_str(&clean).expect("it stays JSON");
    assert_eq!(text.replace(Redactor::MARK, "").trim_matches(['\n', '=']), "", "{clean}");
    assert_eq!(text.lines().count(), line.lines().count());
}

#[test]
fn numbered_base64_lines_are_redacted() {
    let value = value(200);
    let redactor = Redactor::new([value.as_str().into()]);
    for width in [76, 64] {
        let text = wrap(&STANDARD.encode(&value), width, "\n");
        let numbered: Vec<_> = text.lines().enumerate().map(|(at, line)| format!("{at:6}\t{line}")).collect();
        let clean = redactor.redact(&numbered.join("\n")).into_owned();
        for line in clean.lines().filter(|line| line.len() > 7 + 16) {
            assert!(line.ends_with(Redactor::MARK), "{line}");
        }
    }
}

#[test]
fn ordinary_text_and_other_encodings_stay() {
    let redactor = Redactor::new(["hunter22".into(), value(57).as_str().into()]);
    let other = wrap(&STANDARD.encode(value(57).to_lowercase()), 20, "\n");
    let long_gap = wrap(&STANDARD.encode(value(57)), 20, &"\n".repeat(17));
    for text in
        ["hunt\ner22", "a line\nand another\r\n", "C:\\new\\readme", "aHVu dGVyMjI=", &other, &long_gap]
    {
        assert_eq!(redactor.redact(text), text);
    }
}

#[test]
fn only_what_may_become_a_secret_is_held_back() {
    let redactor = Redactor::new(["hunter22".into()]);
    let mut stream = redactor.stream();
    assert_eq!(stream.push(b"plain words\n"), b"plain words\n");
    assert_eq!(stream.push(b"x aHVudGV\n"), b"x ");
    assert_eq!(stream.pending_bytes(), 8);
    assert_eq!(stream.push(b"yMjI=, aHVu\n"), b"[redacted]\n[redacted], ");
    assert_eq!(stream.push(b"n!"), b"aHVu\nn!");
    assert_eq!(stream.finish(), b"");
}

#[test]
fn redact_lines_keeps_the_line_breaks_inside_secrets() {
    let redactor = Redactor::new(["one line of it\r\nand another line".into()]);
    let text = "1\na one line of it\r\nand another line b\n4";
    assert_eq!(redactor.redact(text), "1\na [redacted] b\n4");
    assert_eq!(redactor.redact_lines(text), "1\na [redacted]\r\n[redacted] b\n4");
    assert_eq!(redactor.redact_lines("nothing"), "nothing");
    let mut stream = redactor.stream_lines();
    let given: Vec<u8> = text.bytes().flat_map(|byte| stream.push(&[byte])).collect();
    assert_eq!([given, stream.finish()].concat(), redactor.redact_lines(text).as_bytes());
}

/// A letter on each line, of a value that repeats itself: were all letters of a value read again for each,
/// this would take hours.
#[test]
fn a_text_of_gaps_takes_no_longer_than_another() {
    let secret = "a".repeat(900);
    let redactor = Redactor::new([secret.as_str().into()]);
    let mut text = "Y\nW\nF\nh\n".repeat(100_000);
    for end in ["", "!"] {
        text.push_str(end);
        let mut stream = redactor.stream();
        let given: usize = text.as_bytes().chunks(7).map(|piece| stream.push(piece).len()).sum();
        assert!(given + stream.finish().len() >= text.len());
    }
    let beginnings = format!("{}\n!", "YWFh".repeat(11)).repeat(6_000);
    let mut stream = redactor.stream();
    assert_eq!(stream.push(beginnings.as_bytes()).len() + stream.finish().len(), beginnings.len());
}
