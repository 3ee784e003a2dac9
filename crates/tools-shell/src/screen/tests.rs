//! Tests of the screen for output in pieces of any size.

use super::*;

#[track_caller]
fn check(written: &str, text: &str) {
    for size in 1..=written.len() {
        let (mut screen, mut kept) = (Screen::new(Size::clamp(None, None)), HeadAndTail::new(1000));
        written.as_bytes().chunks(size).for_each(|bytes| screen.push(bytes, &mut kept));
        screen.flush(&mut kept);
        assert_eq!(kept.text(), text, "in pieces of {size}");
    }
}

// S14
#[test]
fn control_sequences_are_removed_from_text() {
    check("plain ü\r\n", "plain ü\n");
    check("\u{1b}[31mred\u{1b}[0m\r\n$ ", "red\n$ ");
    check("10%\r50%\r100%\r\ndone", "100%\ndone");
    check("lx\u{8}s\u{7}\u{1b}]0;title\u{7}\n", "ls\n");
    check("\u{1b}P1;2q...\u{1b}\\after", "after");
}

#[test]
fn a_line_without_an_end_is_bounded() {
    let (mut screen, mut kept) = (Screen::new(Size::clamp(None, None)), HeadAndTail::new(1000));
    for _ in 0..1000 {
        screen.push(&[b'x'; 1000], &mut kept);
        assert!(screen.text.line.len() <= LINE_BYTES);
    }
    screen.flush(&mut kept);
    assert_eq!(kept.total(), 1_000_000);
}

#[test]
fn a_screen_is_what_a_human_would_see() {
    let (mut screen, mut kept) = (Screen::new(Size::clamp(Some(4), Some(20))), HeadAndTail::new(1000));
    screen.push(b"first\r\n\x1b[?1049h\x1b[2J\x1b[2;3Hmenu\x1b[H", &mut kept);
    assert!(screen.is_drawn_on());
    assert_eq!(
        screen.visible_text().unwrap(),
        "[screen of 4 rows and 20 columns; cursor at row 1, column 1]\n\n  menu"
    );
    screen.push(b"\x1b[?1049l", &mut kept);
    assert!(!screen.is_drawn_on() && screen.visible_text().unwrap().ends_with("first"));
}

// S16: random bytes neither cause a panic nor let the screen grow.
#[test]
fn random_bytes_keep_screen_and_buffer_valid() {
    let (mut screen, mut kept) = (Screen::new(Size::clamp(Some(1), Some(1))), HeadAndTail::new(100));
    let mut seed = 1_u64;
    for _ in 0..200_000 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let [byte, ..] = (seed >> 33).to_le_bytes();
        // Sequences are rare among random bytes.
        let bytes =
            if byte.is_multiple_of(4) { [0x1b, b'[', byte / 2, byte / 3] } else { [byte, byte, 0xc3, byte] };
        screen.push(&bytes, &mut kept);
    }
    assert!(kept.text().len() < 2000);
}

#[test]
fn a_size_is_in_bounds() {
    let of =
        |rows, columns| (Size::clamp(rows, columns).rows.get(), Size::clamp(rows, columns).columns.get());
    assert_eq!(of(None, None), (24, 80));
    assert_eq!(of(Some(0), Some(0)), (1, 1));
    assert_eq!(of(Some(u16::MAX), Some(u16::MAX)), (200, 400));
}
