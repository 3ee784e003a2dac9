//! Language check of comments, documents, messages and names: counts markers of the private dialect against a
//! decreasing budget.

mod literals;
mod markers;
mod names;
mod sentences;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::Findings;

/// Maximum marked sentences per thousand. Lower it when the count falls; never raise it.
const SENTENCES: u64 = 2;

/// Maximum marked sentences per thousand in comments of tests, examples and benchmarks.
const TESTS: u64 = 16;

/// Maximum sentences per thousand that begin with an interrogative word and are not questions.
const INTERROGATIVES: u64 = 0;

/// Maximum marked sentences per thousand in string literals: help, errors, descriptions of tools.
const MESSAGES: u64 = 22;

/// Maximum functions per thousand that are named by a participle, a preposition or an adverb.
const FUNCTIONS: u64 = 2;

/// Maximum types per thousand that are named by a participle, a preposition or an adverb.
const TYPES: u64 = 0;

/// The end of the name of a part with tests, examples and benchmarks.
const TESTS_SUFFIX: &str = " (tests)";

/// Number of sentences in a sample.
const SAMPLE: usize = 200;

/// The counts of one part of the project.
#[derive(Clone, Debug, Default)]
struct Count {
    sentences: u64,
    marked: u64,
    interrogative: u64,
    messages: Tally,
    functions: Tally,
    types: Tally,
}

/// The number of names of one kind, or of messages.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    all: u64,
    odd: u64,
}

/// The counts of the whole project.
#[derive(Debug, Default)]
pub(super) struct Language {
    parts: BTreeMap<String, Count>,
    sentences: Vec<String>,
    marked: Vec<String>,
    odd_names: Vec<String>,
}

impl Language {
    /// Reads a source or a Markdown file. Only comments count in tests, examples and benchmarks.
    pub(super) fn read(&mut self, path: &str, content: &str) {
        let is_markdown = extension(path) == "md";
        if !is_markdown && extension(path) != "rs" {
            return;
        }
        let count = self.parts.entry(part_of(path)).or_default();
        let found =
            if is_markdown { sentences::read_markdown(content) } else { sentences::read_source(content) };
        for sentence in found {
            count.sentences = count.sentences.saturating_add(1);
            let text = format!("{path}:{}: {}", sentence.line, sentence.text);
            if markers::is_interrogative(&sentence.text) {
                count.interrogative = count.interrogative.saturating_add(1);
            }
            if let Some(marker) = markers::first_in(&sentence.text) {
                count.marked = count.marked.saturating_add(1);
                self.marked.push(format!("[{marker}] {text}"));
            }
            self.sentences.push(text);
        }
        if is_markdown || is_test(path) {
            return;
        }
        for message in literals::read_literals(content) {
            let marker = markers::first_in(&message.text);
            count.messages.add_one(marker.is_some());
            if let Some(marker) = marker {
                self.marked.push(format!("[{marker}] {path}:{}: \"{}\"", message.line, message.text));
            }
        }
        for name in names::find_definitions(content) {
            let names = if name.is_function { &mut count.functions } else { &mut count.types };
            let is_odd = names::is_odd(name.word);
            names.add_one(is_odd);
            if is_odd {
                self.odd_names.push(format!("{path}:{}: {}", name.line, name.word));
            }
        }
    }

    /// Reports an error if a count exceeds its budget.
    pub(super) fn check(&self, found: &mut Findings) {
        let (all, tests) =
            (self.sum(|part| !part.ends_with(TESTS_SUFFIX)), self.sum(|part| part.ends_with(TESTS_SUFFIX)));
        let held = [
            ("sentences with a marker", per_thousand(all.marked, all.sentences), SENTENCES),
            ("sentences of tests with a marker", per_thousand(tests.marked, tests.sentences), TESTS),
            (
                "sentences that begin with What, How or Who",
                per_thousand(all.interrogative, all.sentences),
                INTERROGATIVES,
            ),
            ("messages with a marker", all.messages.odd_per_thousand(), MESSAGES),
            ("functions with an odd name", all.functions.odd_per_thousand(), FUNCTIONS),
            ("types with an odd name", all.types.odd_per_thousand(), TYPES),
        ];
        for (what, share, budget) in held {
            if share > budget {
                found.errors.push(format!(
                    "language: {share} {what} of a thousand, the budget is {budget}: see `cargo xtask tidy --language`"
                ));
            }
        }
    }

    /// Prints a table of the parts, most marked first. With `only`, first prints every marked sentence and
    /// odd name in the paths with that prefix.
    pub(super) fn print(&self, only: Option<&str>, out: &mut impl Write) -> io::Result<()> {
        if let Some(only) = only {
            let is_chosen = |line: &&String| line.split(' ').any(|word| word.starts_with(only));
            for line in self.marked.iter().chain(&self.odd_names).filter(is_chosen) {
                writeln!(out, "{line}")?;
            }
        }
        let mut parts: Vec<_> = self.parts.iter().collect();
        parts.sort_by_key(|(_, count)| std::cmp::Reverse(per_thousand(count.marked, count.sentences)));
        writeln!(out, "of 1000 sentences, messages, functions and types:")?;
        writeln!(
            out,
            "{:<32} sentences  marked  What..  messages  marked  functions  odd  types  odd",
            "part"
        )?;
        for (name, count) in parts {
            writeln!(out, "{}", row(name, count))?;
        }
        writeln!(out, "{}", row("all", &self.sum(|_| true)))
    }

    /// Prints sentences that are drawn at random. A seed always draws the same sentences.
    pub(super) fn print_sample(&self, seed: u64, out: &mut impl Write) -> io::Result<()> {
        let mut sentences: Vec<(u64, &String)> =
            self.sentences.iter().map(|sentence| (hash(seed, sentence), sentence)).collect();
        sentences.sort_unstable();
        for (_, sentence) in sentences.iter().take(SAMPLE) {
            writeln!(out, "{sentence}")?;
        }
        Ok(())
    }

    /// Returns the sum of the parts whose name is chosen.
    fn sum(&self, is_chosen: impl Fn(&str) -> bool) -> Count {
        let mut all = Count::default();
        for (_, count) in self.parts.iter().filter(|(name, _)| is_chosen(name)) {
            all.sentences = all.sentences.saturating_add(count.sentences);
            all.marked = all.marked.saturating_add(count.marked);
            all.interrogative = all.interrogative.saturating_add(count.interrogative);
            all.messages.add(count.messages);
            all.functions.add(count.functions);
            all.types.add(count.types);
        }
        all
    }
}

impl Tally {
    fn add_one(&mut self, is_odd: bool) {
        self.add(Self { all: 1, odd: u64::from(is_odd) });
    }

    fn add(&mut self, other: Self) {
        self.all = self.all.saturating_add(other.all);
        self.odd = self.odd.saturating_add(other.odd);
    }

    fn odd_per_thousand(self) -> u64 {
        per_thousand(self.odd, self.all)
    }
}

fn row(name: &str, count: &Count) -> String {
    format!(
        "{name:<32} {:>9} {:>7} {:>7} {:>9} {:>7} {:>10} {:>4} {:>6} {:>4}",
        count.sentences,
        per_thousand(count.marked, count.sentences),
        per_thousand(count.interrogative, count.sentences),
        count.messages.all,
        count.messages.odd_per_thousand(),
        count.functions.all,
        count.functions.odd_per_thousand(),
        count.types.all,
        count.types.odd_per_thousand(),
    )
}

/// FNV-1a hash of a text, which orders the sentences of a sample.
fn hash(seed: u64, text: &str) -> u64 {
    text.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn per_thousand(part: u64, whole: u64) -> u64 {
    part.saturating_mul(1000).checked_div(whole).unwrap_or_default()
}

/// Returns true for a Rust file that is not part of a library or a program: a test, an example, a benchmark.
fn is_test(path: &str) -> bool {
    let is_inside = path.ends_with("/tests.rs") || path.contains("/tests/");
    extension(path) == "rs" && (is_inside || !path.contains("/src/"))
}

pub(super) fn extension(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// Returns the part of a path: a crate's sources, its tests, its documents, or a folder at the root.
fn part_of(path: &str) -> String {
    let kind = match extension(path) {
        "md" => " (documents)",
        _ if is_test(path) => TESTS_SUFFIX,
        _ => "",
    };
    let mut names = path.split('/');
    match (names.next(), names.next(), names.next()) {
        (Some("crates"), Some(name), Some(_)) => format!("{name}{kind}"),
        (Some(folder), Some(_), _) => format!("{folder}{kind}"),
        _ => format!("root{kind}"),
    }
}
