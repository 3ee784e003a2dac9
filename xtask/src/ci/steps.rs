//! What each step of `ci` runs.

use std::time::Duration;

use anyhow::Result;
use xshell::cmd;

use super::{Outcome, Setting, Verdict};
use crate::capture::{self, Keep};
use crate::install::{self, Tool};
use crate::{bench, corpora, fuzz, tidy};

/// Fuzzing starts only while this much of the run's time is unused: its build is the longest.
const FUZZ_STARTS_BEFORE: Duration = Duration::from_mins(11);
const FUZZ_SECONDS: u64 = 5;

pub(super) fn fmt(setting: &Setting<'_>) -> Result<Outcome> {
    Ok(Outcome::from_success(capture::pass_through(cmd!(setting.sh, "cargo fmt --all --check"))?))
}

pub(super) fn tidy(setting: &Setting<'_>) -> Result<Outcome> {
    let found = tidy::findings(setting.sh)?;
    found.print();
    let note = format!("errors: {}, warnings: {}", found.errors.len(), found.warnings.len());
    Ok(Outcome { note, ..Outcome::from_success(found.errors.is_empty()) })
}

/// Offline: what is checked is the lock file and the manifests already here. Advisories need a
/// database from elsewhere and are not part of this.
pub(super) fn deny(setting: &Setting<'_>) -> Result<Outcome> {
    if let Tool::Missing { how_to } = install::ensure(setting.sh, "deny")? {
        return Ok(Outcome::new(Verdict::Skipped, how_to));
    }
    let check = cmd!(setting.sh, "cargo deny --offline --log-level error check bans licenses sources");
    Ok(Outcome::from_success(capture::pass_through(check)?))
}

pub(super) fn clippy(setting: &Setting<'_>) -> Result<Outcome> {
    let clippy = cmd!(setting.sh, "cargo clippy --workspace --all-targets -- -D warnings");
    Ok(Outcome::from_success(capture::pass_through(clippy)?))
}

/// In one build of the whole workspace a crate may use a feature that only another crate turned on.
pub(super) fn each_crate_alone(setting: &Setting<'_>) -> Result<Outcome> {
    let mut broken = Vec::new();
    let mut count: usize = 0;
    for package in setting.project.crates().filter(|package| package.has_library) {
        let name = &package.name;
        if !capture::pass_through(cmd!(setting.sh, "cargo check --quiet -p {name}"))? {
            broken.push(name.as_str());
        }
        count = count.saturating_add(1);
    }
    if broken.is_empty() {
        return Ok(Outcome::new(Verdict::Passed, format!("{count} crates")));
    }
    Ok(Outcome::new(Verdict::Failed, format!("alone fails: {}", broken.join(", "))))
}

/// Libraries only: the facade and the command line's program have the same name, and nobody reads the
/// documentation of a program's insides.
pub(super) fn doc(setting: &Setting<'_>) -> Result<Outcome> {
    let doc = cmd!(setting.sh, "cargo doc --workspace --no-deps --lib").env("RUSTDOCFLAGS", "-D warnings");
    Ok(Outcome::from_success(capture::pass_through(doc)?))
}

/// All tests and documentation examples but the corpus tests, which are the next step's.
pub(super) fn test(setting: &Setting<'_>) -> Result<Outcome> {
    let test = cmd!(setting.sh, "cargo test --workspace --no-fail-fast -- --show-output --skip corpus");
    let captured = capture::run(test, Keep::Stdout, |line| line.starts_with("test result:"))?;
    if !captured.success {
        captured.print();
    }
    let counts = TestCounts::of(&captured.lines);
    let skipped = captured.lines.iter().filter(|line| line.starts_with("skipped:"));
    let lines = skipped.map(|line| line.trim_end().to_owned()).collect();
    let outcome = Outcome { note: counts.to_string(), ..Outcome::from_success(captured.success) };
    Ok(outcome.with_lines(lines))
}

pub(super) fn corpora(setting: &Setting<'_>) -> Result<Outcome> {
    corpora::test(setting.sh)
}

pub(super) fn bench_smoke(setting: &Setting<'_>) -> Result<Outcome> {
    bench::smoke(setting.sh, setting.project, None)
}

pub(super) fn fuzz_smoke(setting: &Setting<'_>) -> Result<Outcome> {
    if setting.elapsed() > FUZZ_STARTS_BEFORE {
        return Ok(Outcome::new(Verdict::Skipped, "no time left: run `cargo xtask fuzz`"));
    }
    fuzz::smoke(setting.sh, FUZZ_SECONDS)
}

/// The sums of libtest's `test result:` lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TestCounts {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) ignored: u64,
}

impl TestCounts {
    pub(crate) fn of(lines: &[String]) -> Self {
        let mut counts = Self::default();
        for line in lines.iter().filter_map(|line| line.strip_prefix("test result:")) {
            // The verdict is a word and a full stop before the first count.
            for part in line.split([';', '.']) {
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
        }
        counts
    }
}

impl std::fmt::Display for TestCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} tests passed, {} failed, {} ignored", self.passed, self.failed, self.ignored)
    }
}

#[cfg(test)]
mod tests {
    use super::TestCounts;

    #[test]
    fn counts_are_summed_over_the_test_programs() {
        let lines = [
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.00s",
            "test other ... ok",
            "test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.50s",
        ];
        let lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
        assert_eq!(TestCounts::of(&lines), TestCounts { passed: 7, failed: 2, ignored: 1 });
    }
}
