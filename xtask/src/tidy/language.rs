//! Language check of comments, documents and names: counts markers of the private dialect against a
//! decreasing budget.

mod markers;
mod names;
mod sentences;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::Findings;

/// Maximum marked sentences per thousand. Lower it when the count falls; never raise it.
const SENTENCES: u64 = 8;

/// Maximum odd names per thousand: functions and types named by a participle, a preposition or an adverb.
const NAMES: u64 = 110;

/// The counts of one part of the project.
#[derive(Clone, Debug, Default)]
struct Count {
    sentences: u64,
    marked: u64,
    names: u64,
    odd_names: u64,
}

/// The counts of the whole project.
#[derive(Debug, Default)]
pub(super) struct Language {
    parts: BTreeMap<String, Count>,
    marked: Vec<String>,
    odd_names: Vec<String>,
}

impl Language {
    /// Reads a file if it is documentation: sources without tests, and Markdown.
    pub(super) fn read(&mut self, path: &str, content: &str) {
        let is_markdown = extension(path) == "md";
        if !is_markdown && !is_source(path) {
            return;
        }
        let count = self.parts.entry(part_of(path)).or_default();
        let found = if is_markdown { sentences::of_markdown(content) } else { sentences::of_source(content) };
        for sentence in found {
            count.sentences = count.sentences.saturating_add(1);
            if let Some(marker) = markers::first_in(&sentence.text) {
                count.marked = count.marked.saturating_add(1);
                self.marked.push(format!("{path}:{}: [{marker}] {}", sentence.line, sentence.text));
            }
        }
        if is_markdown {
            return;
        }
        for name in names::defined_in(content) {
            count.names = count.names.saturating_add(1);
            if names::is_odd(name.word) {
                count.odd_names = count.odd_names.saturating_add(1);
                self.odd_names.push(format!("{path}:{}: {}", name.line, name.word));
            }
        }
    }

    /// Reports an error if a count exceeds its budget.
    pub(super) fn check(&self, found: &mut Findings) {
        let all = self.sum();
        let held = [
            ("sentences with a marker", per_thousand(all.marked, all.sentences), SENTENCES),
            ("odd names", per_thousand(all.odd_names, all.names), NAMES),
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
    pub(super) fn print(&self, only: Option<&str>) {
        if let Some(only) = only {
            for line in self.marked.iter().chain(&self.odd_names).filter(|line| line.starts_with(only)) {
                println!("{line}");
            }
        }
        let mut parts: Vec<_> = self.parts.iter().collect();
        parts.sort_by_key(|(_, count)| std::cmp::Reverse(per_thousand(count.marked, count.sentences)));
        println!("{:<26} sentences  marked  of 1000    names     odd  of 1000", "part");
        for (name, count) in parts {
            println!("{}", row(name, count));
        }
        println!("{}", row("all", &self.sum()));
    }

    fn sum(&self) -> Count {
        let mut all = Count::default();
        for count in self.parts.values() {
            all.sentences = all.sentences.saturating_add(count.sentences);
            all.marked = all.marked.saturating_add(count.marked);
            all.names = all.names.saturating_add(count.names);
            all.odd_names = all.odd_names.saturating_add(count.odd_names);
        }
        all
    }
}

fn row(name: &str, count: &Count) -> String {
    format!(
        "{name:<26} {:>9} {:>7} {:>8} {:>8} {:>7} {:>8}",
        count.sentences,
        count.marked,
        per_thousand(count.marked, count.sentences),
        count.names,
        count.odd_names,
        per_thousand(count.odd_names, count.names),
    )
}

fn per_thousand(part: u64, whole: u64) -> u64 {
    part.saturating_mul(1000).checked_div(whole).unwrap_or_default()
}

fn is_source(path: &str) -> bool {
    let is_test = path.ends_with("/tests.rs") || path.contains("/tests/");
    extension(path) == "rs" && path.contains("/src/") && !is_test
}

fn extension(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// Returns the part of a path: a crate's sources, its documents, or a folder at the root.
fn part_of(path: &str) -> String {
    let kind = if extension(path) == "md" { " (documents)" } else { "" };
    let mut names = path.split('/');
    match (names.next(), names.next(), names.next()) {
        (Some("crates"), Some(name), Some(_)) => format!("{name}{kind}"),
        (Some(folder), Some(_), _) => format!("{folder}{kind}"),
        _ => format!("root{kind}"),
    }
}
