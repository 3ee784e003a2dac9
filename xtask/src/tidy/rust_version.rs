//! The minimum version of Rust: the bounds that docs/STABILITY.md states, computed from the dependencies and the sources.

use std::collections::{BTreeMap, BTreeSet};

use super::Findings;
use crate::project::{Requirements, TiedVersion};

/// The page with the tiers and the bounds.
const PAGE: &str = "docs/STABILITY.md";

/// A feature of the language that the sources use, with the version of Rust that has it.
const GUARDS: (&str, &str) = ("`if let` guards", "1.95");

/// Checks that no dependency needs a later Rust than the manifests state, that the page has the highest version of each
/// tier, and that a source needs the stated version.
pub(super) fn check(
    page: &str,
    stated: &str,
    requirements: &Requirements,
    sources: &[(String, String)],
    found: &mut Findings,
) {
    let Some(lowest) = parse(stated) else {
        found.errors.push(format!("Cargo.toml: the rust-version {stated:?} is not a version"));
        return;
    };
    for (number, crates) in tiers(page) {
        let Some((version, package)) = highest(&crates, requirements) else { continue };
        let text = format!("{}.{}", version.0, version.1);
        if version > lowest {
            found.errors.push(format!(
                "tier {number} needs Rust {text} for `{package}`, the manifests state {stated}"
            ));
        }
        let row = format!("| {number} | {text} | `{package}` |");
        if !page.lines().any(|line| line == row) {
            found.errors.push(format!("{PAGE}: the bound of the dependencies is `{row}`"));
        }
    }
    let (feature, since) = GUARDS;
    if stated == since && !sources.iter().any(|(path, text)| is_library(path) && has_guard(text)) {
        found
            .errors
            .push(format!("no source uses {feature}, so {PAGE} gives a wrong reason for Rust {since}"));
    }
}

/// Returns the major and the minor number.
fn parse(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.split('.').map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

/// Reads the rows of the table of tiers: the number and the names of the crates.
fn tiers(page: &str) -> Vec<(char, Vec<String>)> {
    let rows = page.lines().filter_map(|line| {
        let row = line.strip_prefix("| ")?;
        let number = row.chars().next().filter(char::is_ascii_digit)?;
        // The table of bounds has no names of tiers.
        let (_, cells) = row.split_once(": ")?;
        let names = cells.split('`').skip(1).step_by(2);
        let package =
            |name: &str| if name == "windlass" { name.to_owned() } else { format!("windlass-{name}") };
        Some((number, names.map(package).collect()))
    });
    rows.collect()
}

/// Returns the highest version that a dependency of these crates needs, and the first such dependency.
fn highest(crates: &[String], requirements: &Requirements) -> Option<TiedVersion> {
    let mut open: Vec<&str> = crates.iter().map(String::as_str).collect();
    let mut reached = BTreeSet::new();
    while let Some(name) = open.pop() {
        if reached.insert(name) {
            open.extend(requirements.edges.get(name).into_iter().flatten().map(String::as_str));
        }
    }
    let mut versions: BTreeMap<(u32, u32), &str> = BTreeMap::new();
    for name in reached.into_iter().filter(|name| !requirements.members.contains(*name)) {
        if let Some(version) = requirements.versions.get(name).and_then(|version| parse(version)) {
            versions.entry(version).or_insert(name);
        }
    }
    versions.pop_last().map(|(version, name)| (version, name.to_owned()))
}

fn is_library(path: &str) -> bool {
    path.starts_with("crates/") && path.contains("/src/")
}

/// Returns true if a match arm has the guard `if let`, in the form in which rustfmt writes it.
fn has_guard(source: &str) -> bool {
    source.lines().map(str::trim).filter(|line| !line.starts_with("//")).any(|line| {
        let guard = line.find("if let ");
        let arrow = line.find("=>");
        guard.zip(arrow).is_some_and(|(guard, arrow)| guard < arrow && !line.contains("else if let"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "| 1: values | `sse` `wire` | once |\n| 2: agents | `agent` | often |\n";

    fn requirements() -> Requirements {
        let edges = [("windlass-sse", vec!["memchr"]), ("windlass-wire", vec!["windlass-sse", "serde"])];
        let versions = [("memchr", "1.61"), ("serde", "1.71.1"), ("tree", "1.90.0")];
        let agent = ("windlass-agent", vec!["windlass-wire", "tree"]);
        let edges = edges.into_iter().chain([agent]);
        Requirements {
            members: ["windlass-sse", "windlass-wire", "windlass-agent"].map(str::to_owned).into(),
            versions: versions.map(|(name, version)| (name.to_owned(), version.to_owned())).into(),
            edges: edges
                .map(|(name, all)| (name.to_owned(), all.into_iter().map(str::to_owned).collect()))
                .collect(),
        }
    }

    fn errors(page: &str, stated: &str, source: &str) -> Vec<String> {
        let mut found = Findings::default();
        let sources = [("crates/sse/src/a.rs".to_owned(), source.to_owned())];
        check(page, stated, &requirements(), &sources, &mut found);
        found.errors
    }

    #[test]
    fn the_page_states_the_bound_of_each_tier() {
        let page = format!("{TABLE}| 1 | 1.71 | `serde` |\n| 2 | 1.90 | `tree` |\n");
        let guard = "    Some(a) if let Some(b) = a => b,\n";
        assert_eq!(errors(&page, "1.95", guard), Vec::<String>::new());
        let old = page.replace("1.90", "1.89");
        assert_eq!(
            errors(&old, "1.95", guard),
            ["docs/STABILITY.md: the bound of the dependencies is `| 2 | 1.90 | `tree` |`"]
        );
    }

    #[test]
    fn a_dependency_that_needs_a_later_version_is_an_error() {
        let page = format!("{TABLE}| 1 | 1.71 | `serde` |\n| 2 | 1.90 | `tree` |\n");
        assert_eq!(
            errors(&page, "1.89", ""),
            ["tier 2 needs Rust 1.90 for `tree`, the manifests state 1.89"]
        );
    }

    #[test]
    fn the_reason_of_the_stated_version_is_found_in_a_source() {
        let page = format!("{TABLE}| 1 | 1.71 | `serde` |\n| 2 | 1.90 | `tree` |\n");
        for source in
            ["", "if let Some(a) = b {\n", "Some(a) => if let Some(b) = a {},\n", "// a if let b = c =>\n"]
        {
            assert_eq!(errors(&page, "1.95", source).len(), 1, "{source}");
        }
    }
}
