//! The search for runs of lines, against a plain reading.

use proptest::prelude::*;

use super::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_run_is_found(text in prop::collection::vec(0..3_usize, 0..40), wanted in prop::collection::vec(0..3_usize, 1..5)) {
        let plain: Vec<usize> = text
            .windows(wanted.len())
            .enumerate()
            .filter(|(_, window)| *window == wanted)
            .map(|(start, _)| start)
            .collect();
        prop_assert_eq!(search(&text, &wanted), plain);
    }
}

#[test]
fn a_file_is_cut_into_lines_with_their_ends() {
    let lines = Lines::of(b"a\r\n\n\xff\rb");
    let met: Vec<_> = lines.all.iter().map(|line| (line.text, line.end)).collect();
    assert_eq!(met, [(&b"a"[..], &b"\r\n"[..]), (b"", b"\n"), (b"\xff\rb", b"")]);
    assert_eq!(lines.end_near(0), b"\r\n");
    assert_eq!(lines.end_near(3), b"\n");
    assert_eq!(Lines::of(b"x").end_near(0), b"\n");
}
