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
    let lines = Lines::new("a\r\n\n\u{ff}\rb", Charset::Utf8);
    let met: Vec<_> = lines.all.iter().map(|line| (line.text, line.end)).collect();
    assert_eq!(met, [("a", "\r\n"), ("", "\n"), ("\u{ff}\rb", "")]);
    assert_eq!(lines.end_near(0), "\r\n");
    assert_eq!(lines.end_near(3), "\n");
    assert_eq!(lines.starts(), [0, 3, 4, 8]);
    assert_eq!(Lines::new("x", Charset::Utf8).end_near(0), "\n");
}

// E2
#[test]
fn each_likeness_forgives_more_than_the_one_before() {
    let lines = Lines::new("a - b\na - b \na \u{2013}\u{a0}b\n\u{201c}q\u{201d}\n", Charset::Utf8);
    let at = |line: &str, likeness| lines.find_places(&[line], likeness);
    assert_eq!(at("a - b", Likeness::Exact), [0]);
    assert_eq!(at("a - b", Likeness::Trimmed), [0, 1]);
    assert_eq!(at("a - b", Likeness::Folded), [0, 1, 2]);
    assert_eq!(at("\"q\"\t", Likeness::Folded), [3]);
    assert_eq!(at("'q'", Likeness::Folded), [0; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    // Against the definition: the next line that is not blank and indented no deeper.
    #[test]
    fn a_block_ends_at_the_next_line_that_is_indented_no_deeper(indents in prop::collection::vec((0..4_usize, any::<bool>()), 0..30)) {
        let line = |(indent, is_blank): &(usize, bool)| format!("{}{}\n", " ".repeat(*indent), if *is_blank { "" } else { "x" });
        let text: String = indents.iter().map(line).collect();
        let lines = Lines::new(&text, Charset::Utf8);
        for (at, (own, _)) in indents.iter().enumerate() {
            let mut behind = indents.iter().enumerate().skip(at + 1);
            let plain = behind.find(|(_, (indent, is_blank))| !is_blank && indent <= own);
            prop_assert_eq!(lines.block_end(at), plain.map_or(indents.len(), |(position, _)| position));
        }
    }
}

#[test]
fn the_line_end_near_a_place_is_the_next_one() {
    let ends = LineEnds::split("a\r\nb\nc");
    let near = |at: usize| ends.line_end_near(&(at..at));
    assert_eq!([near(0), near(3), near(4), near(5)], ["\r\n", "\n", "\n", "\n"]);
    assert_eq!(LineEnds::split("a\r\nb").line_end_near(&(3..4)), "\r\n");
    assert_eq!(LineEnds::split("a").line_end_near(&(0..1)), "\n");
}
