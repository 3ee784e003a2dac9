//! The places below anchors, against the definition.

use proptest::prelude::*;
use windlass_text::Charset;

use super::*;

/// Each anchor by itself, and all that it finds put together.
fn plain(lines: &Lines<'_>, anchors: &[usize], places: &[usize]) -> Vec<usize> {
    let of = |anchor: &usize| {
        let end = lines.block_end(*anchor);
        let below: Vec<usize> = places.iter().copied().filter(|start| start >= anchor).collect();
        let inside: Vec<usize> = below.iter().copied().filter(|start| *start < end).collect();
        if inside.is_empty() { below } else { inside }
    };
    let mut found: Vec<usize> = anchors.iter().flat_map(of).collect();
    found.sort_unstable();
    found.dedup();
    found
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_places_below_anchors_are_those_of_each_anchor(
        indents in prop::collection::vec((0..4_usize, any::<bool>(), any::<bool>()), 0..30),
        beyond in 0..3_usize,
    ) {
        let line = |(indent, ..): &(usize, bool, bool)| [&" ".repeat(*indent), "x\n"].concat();
        let text = indents.iter().map(line).collect::<Vec<_>>().concat();
        let lines = Lines::new(&text, Charset::Utf8);
        let chosen = |of: fn(&(usize, bool, bool)) -> bool| -> Vec<usize> {
            indents.iter().enumerate().filter(|(_, line)| of(line)).map(|(at, _)| at + beyond).collect()
        };
        let (anchors, places) = (chosen(|line| line.1), chosen(|line| line.2));
        prop_assert_eq!(lines.places_below(&anchors, &places), plain(&lines, &anchors, &places));
    }
}

// Like correctness 4: each hunk, each anchor and each similar place costs a pass over the file, so their product has
// a limit.
#[test]
fn hunks_and_anchors_times_lines_have_a_limit() {
    let text = "a\n".repeat(100);
    let lines = Lines::new(&text, Charset::Utf8);
    let remove = |line: &str| Hunk { lines: vec![HunkLine::Remove(line.into())], ..Hunk::default() };
    let anchored = |anchors: usize| Hunk { anchors: vec!["a".into(); anchors], ..remove("b") };
    let places = |hunks: &[Hunk], visits| lines.places(hunks, Order::Free, &Effort::with_visits(visits));
    let halted = |position| Err((position, Misfit::Halted(Halt::TooMuch)));
    assert_eq!(places(&[anchored(3)], 10_000), Err((0, Misfit::Missing)));
    assert_eq!(places(&[anchored(30)], 10_000), halted(0));
    // Three likenesses of about 100 lines each.
    assert_eq!(places(&[remove("b")], 304), Err((0, Misfit::Missing)));
    assert_eq!(places(&[remove("b")], 302), halted(0));
}
