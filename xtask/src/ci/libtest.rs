//! Parser for the output of Rust's test programs: counts, failures, and the project's `skipped:` and
//! `corpus:` lines.

use std::collections::BTreeMap;
use std::fmt;

/// The prefix of the line that a test prints for a case that it skips.
const SKIPPED: &str = "skipped:";

/// The sums of libtest's `test result:` lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TestCounts {
    passed: u64,
    failed: u64,
    ignored: u64,
    /// Cases that a test skipped, with a line of its own for each.
    skipped: usize,
}

impl TestCounts {
    pub(crate) fn parse(lines: &[String]) -> Self {
        let skipped = lines.iter().filter(|line| line.starts_with(SKIPPED)).count();
        let mut counts = Self { skipped, ..Self::default() };
        // The verdict, a word with a full stop, precedes the first count.
        let results = lines.iter().filter_map(|line| line.strip_prefix("test result:"));
        for part in results.flat_map(|line| line.split([';', '.'])) {
            let mut words = part.split_whitespace();
            let (Some(number), Some(what)) = (words.next(), words.next()) else {
                continue;
            };
            let number = number.parse().unwrap_or(0);
            match what {
                "passed" => counts.passed = counts.passed.saturating_add(number),
                "failed" => counts.failed = counts.failed.saturating_add(number),
                "ignored" => counts.ignored = counts.ignored.saturating_add(number),
                _ => {}
            }
        }
        counts
    }
}

impl fmt::Display for TestCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { passed, failed, ignored, skipped } = self;
        write!(f, "{passed} tests passed, {failed} failed, {ignored} ignored, {skipped} cases skipped")
    }
}

/// Returns the lines for a summary: failed tests by name, figures of the corpora, and skipped cases with the
/// number of equal ones. Tests print such a line with its prefix, and `--show-output` passes it through.
pub(crate) fn summary_lines(lines: &[String]) -> Vec<String> {
    let mut told = Vec::new();
    let mut skipped = BTreeMap::<&str, usize>::new();
    for line in lines {
        let failed = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED"));
        if let Some(name) = failed {
            told.push(format!("failed: {name}"));
        } else if line.starts_with("corpus:") {
            told.push(line.clone());
        } else if line.starts_with(SKIPPED) {
            let count = skipped.entry(line).or_default();
            *count = count.saturating_add(1);
        }
    }
    told.extend(skipped.into_iter().map(|(line, count)| match count {
        1 => line.to_owned(),
        _ => format!("{line} ({count} times)"),
    }));
    told
}

/// Prints the `failures:` sections, which contain the reason of each failure. A program that died has none,
/// so all of its output is printed.
pub(crate) fn print_failures(lines: &[String]) {
    let mut is_inside = false;
    let mut is_found = false;
    for line in lines {
        is_inside |= line == "failures:";
        is_found |= is_inside;
        if is_inside {
            println!("{line}");
        }
        is_inside &= !line.starts_with("test result:");
    }
    if !is_found {
        for line in lines {
            println!("{line}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{TestCounts, summary_lines};

    fn lines(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|&line| line.to_owned()).collect()
    }

    #[test]
    fn counts_are_summed_over_the_test_programs() {
        let printed = lines(&[
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.00s",
            "test other ... ok",
            "skipped: git: not found",
            "test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.50s",
        ]);
        assert_eq!(TestCounts::parse(&printed), TestCounts { passed: 7, failed: 2, ignored: 1, skipped: 1 });
    }

    #[test]
    fn the_summary_lists_failures_skips_and_figures() {
        let printed = lines(&[
            "test a::b ... FAILED",
            "test c ... ok",
            "skipped: git: not found",
            "skipped: browser: not found",
            "corpus: x: 1 of 2",
            "skipped: git: not found",
            "x",
        ]);
        let expected = [
            "failed: a::b",
            "corpus: x: 1 of 2",
            "skipped: browser: not found",
            "skipped: git: not found (2 times)",
        ];
        assert_eq!(summary_lines(&printed), expected);
    }
}
