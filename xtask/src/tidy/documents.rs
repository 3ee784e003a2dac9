//! Checks of READMEs and changelogs: each crate has one sentence, the same everywhere.

use super::Findings;
use crate::project::{Package, Project};

const README_LINES: usize = 60;
/// Lines of the pages with which a newcomer begins.
const FIRST_PAGES: [(&str, usize); 2] = [("README.md", 120), ("docs/ARCHITECTURE.md", 120)];

/// Checks for `# windlass-NAME`, a blank line, and the manifest's description as a paragraph of its own.
pub(super) fn check_readme(package: &Package, readme: &str, found: &mut Findings) {
    let path = format!("{}/README.md", package.folder);
    if readme.is_empty() {
        found.errors.push(format!("{path} is missing"));
        return;
    }
    let lines = readme.lines().count();
    if lines > README_LINES {
        found.errors.push(format!("{path}: {lines} lines, {README_LINES} at most"));
    }
    let mut paragraphs = readme.split("\n\n").map(str::trim);
    let title = format!("# {}", package.name);
    if paragraphs.next() != Some(title.as_str()) {
        found.errors.push(format!("{path}: begins with `{title}` and a blank line"));
    }
    if paragraphs.next() != Some(package.description.as_str()) {
        let sentence = &package.description;
        found.errors.push(format!("{path}: the first paragraph is the manifest's description, `{sentence}`"));
    }
}

/// Checks the length of the pages with which a newcomer begins.
pub(super) fn check_first_pages(read: impl Fn(&str) -> String, found: &mut Findings) {
    for (path, most) in FIRST_PAGES {
        let lines = read(path).lines().count();
        if lines > most {
            found.errors.push(format!("{path}: {lines} lines, {most} at most"));
        }
    }
}

pub(super) fn check_changelog(package: &Package, changelog: &str, found: &mut Findings) {
    if !changelog.lines().any(|line| line == "## Unreleased") {
        found.errors.push(format!("{}/CHANGELOG.md: has `## Unreleased` on top", package.folder));
    }
}

/// Checks that docs/CRATES.md links each crate's folder once, in a table row with the crate's description.
pub(super) fn check_crate_table(project: &Project, table: &str, found: &mut Findings) {
    let rows: Vec<(&str, &str)> = table
        .lines()
        .filter(|line| line.starts_with('|'))
        .filter_map(|line| Some((find_linked_crate(line)?, line)))
        .collect();
    for package in project.crates() {
        let Some(name) = package.layer_name() else {
            continue;
        };
        let own: Vec<&str> =
            rows.iter().filter(|(linked, _)| *linked == name).map(|(_, line)| *line).collect();
        let row = format!("| [`{}`](../crates/{name}) | {} |", package.name, package.description);
        match own.as_slice() {
            [line] if line.contains(&package.description) => {}
            [_] => found.errors.push(format!("docs/CRATES.md: the crate's sentence differs, it is `{row}`")),
            [] => found.errors.push(format!("docs/CRATES.md: the crate table lacks `{row}`")),
            _ => found.errors.push(format!("docs/CRATES.md: the crate table has `{name}` more than once")),
        }
    }
    for (name, _) in &rows {
        if !project.crates().any(|package| package.layer_name() == Some(name)) {
            found
                .errors
                .push(format!("docs/CRATES.md: the crate table links `crates/{name}`, which does not exist"));
        }
    }
}

fn find_linked_crate(row: &str) -> Option<&str> {
    let (_, rest) = row.split_once("](../crates/")?;
    rest.split(['/', ')']).next()
}
