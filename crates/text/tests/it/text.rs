//! Bytes that become text and bytes again.

use proptest::prelude::*;
use windlass_text::{Charset, NotText, Text};

#[track_caller]
fn check(bytes: &[u8], charset: Charset, body: &str) {
    let text = Text::decode(bytes).unwrap();
    assert_eq!((text.charset(), text.body()), (charset, body));
    assert_eq!(text.encode(text.body()).unwrap(), bytes);
}

// E8
#[test]
fn encodings_are_detected_from_the_bytes() {
    check(b"", Charset::Utf8, "");
    check(b"caf\xc3\xa9", Charset::Utf8, "caf\u{e9}");
    check(b"\xef\xbb\xbfa", Charset::Utf8, "a");
    check(b"\xff\xfe\x3d\xd8\x00\xde", Charset::Utf16Le, "\u{1f600}");
    check(b"\xfe\xff\xd8\x3d\xde\x00", Charset::Utf16Be, "\u{1f600}");
    check(b"\xff\xfe", Charset::Utf16Le, "");
    check(b"Un caf\xe9 \x80 5", Charset::Windows1252, "Un caf\u{e9} \u{20ac} 5");
    check(b"Stra\xdfe und \xdcbung\n", Charset::Windows1252, "Stra\u{df}e und \u{dc}bung\n");
    // Cyrillic, Japanese and meaningless bytes are not taken for Western texts.
    for bytes in [
        &b"\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0"[..],
        b"\xf0\xd2\xc9\xd7\xc5\xd4",
        b"\x83\x65\x83\x58\x83\x67",
        b"a\x81b",
        b"\xffa\x01",
    ] {
        assert_eq!(Text::decode(bytes).unwrap().charset(), Charset::Unknown, "{bytes:x?}");
    }
}

#[test]
fn files_that_are_not_text_are_refused_by_kind() {
    for (bytes, expected) in [
        (&b"a\0"[..], NotText::Binary),
        (b"\xff\xfea\0\0", NotText::Utf16 { at: 4 }),
        (b"\xff\xfea\0\x00\xd8b\0", NotText::Utf16 { at: 4 }),
        (b"\xfe\xff\x00\x00", NotText::Binary),
        (b"\xff\xfe\0\0a\0\0\0", NotText::Utf32),
    ] {
        assert_eq!(Text::decode(bytes).unwrap_err(), expected);
        assert_eq!(Text::show(bytes).unwrap_err(), expected);
    }
    assert_eq!(Text::show(b"\xff\x01\xfe").unwrap_err(), NotText::Binary);
}

#[test]
fn a_letter_that_the_encoding_lacks_is_named() {
    let western = Text::decode(b"caf\xe9").unwrap();
    assert_eq!(western.encode("\u{20ac}").unwrap(), b"\x80");
    let told = western.encode("a \u{3b1}").unwrap_err().to_string();
    assert_eq!(told, "`\u{3b1}` cannot be written in Windows-1252");
    let unknown = Text::decode(b"\x83\x65\x83\x58 a").unwrap();
    assert_eq!(unknown.encode("\u{f783}b").unwrap(), b"\x83b");
    assert_eq!(unknown.encode("\u{e9}").unwrap_err().charset, Charset::Unknown);
}

#[test]
fn a_guessed_charset_is_marked_unsure() {
    let shown = Text::show("\u{41f}\u{440}\u{438}".as_bytes()).unwrap();
    assert!(shown.is_sure && shown.charset == "UTF-8");
    let shown = Text::show(b"\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0\n").unwrap();
    assert_eq!(
        (&*shown.text, shown.charset.as_str()),
        ("\u{41f}\u{440}\u{438}\u{432}\u{435}\u{442}, \u{43c}\u{438}\u{440}\n", "windows-1251")
    );
    assert!(!shown.is_sure);
    assert!(Text::show(b"caf\xe9\n").unwrap().is_sure);
}

#[test]
fn every_byte_round_trips() {
    let all: Vec<u8> = (1..=255).collect();
    let text = Text::decode(&all).unwrap();
    assert_eq!(text.encode(text.body()).unwrap(), all);
    let mut western = 0;
    for byte in 128..=255_u8 {
        let bytes = [b"Un caf\xe9, un th\xe9: ", &[byte][..], b" \xe0 Paris\n"].concat();
        let text = Text::decode(&bytes).unwrap();
        western += usize::from(text.charset() == Charset::Windows1252);
        assert_eq!(text.encode(text.body()).unwrap(), bytes);
    }
    assert!(western > 100, "{western}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    // E3: text that can be decoded encodes to the original bytes.
    #[test]
    fn decoded_bytes_round_trip(bytes in prop::collection::vec(any::<u8>(), 0..200), mark in 0..5_usize) {
        let marks: [&[u8]; 5] = [b"", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"caf\xe9 "];
        let bytes = [marks[mark], &bytes].concat();
        if let Ok(text) = Text::decode(&bytes) {
            prop_assert_eq!(text.encode(text.body()).unwrap(), bytes.clone());
        }
        let _ = Text::show(&bytes);
    }
}
