//! Checks that pages lead to files that exist: relative links, and source files that a page names in full.

use std::collections::BTreeSet;

use super::Findings;
use super::language::extension;

/// Checks the links and the paths of sources in a Markdown page. `files` are the paths of all files.
pub(super) fn check(path: &str, content: &str, files: &BTreeSet<&str>, found: &mut Findings) {
    if extension(path) != "md" {
        return;
    }
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut is_code = false;
    for (number, line) in (1..).zip(content.lines()) {
        if line.starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            continue;
        }
        let linked = find_links(line).filter_map(|link| resolve(folder, link));
        let named = find_sources(line).map(str::to_owned);
        for target in linked.chain(named).filter(|target| !exists(target, files)) {
            found.errors.push(format!("{path}:{number}: `{target}` does not exist"));
        }
    }
}

fn find_links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next())
}

/// Returns the source files in code spans, such as `crates/sse/src/line.rs`. A span with `*` or a name in
/// capitals is a pattern.
fn find_sources(line: &str) -> impl Iterator<Item = &str> {
    let is_pattern = |span: &str| span.contains(|character: char| !is_path_character(character));
    line.split('`')
        .skip(1)
        .step_by(2)
        .filter(move |span| span.starts_with("crates/") && extension(span) == "rs" && !is_pattern(span))
}

fn is_path_character(character: char) -> bool {
    character.is_ascii_lowercase() || character.is_ascii_digit() || "/-_.".contains(character)
}

/// Returns the path that a link leads to; `None` for an address and for a place on the same page.
fn resolve(folder: &str, link: &str) -> Option<String> {
    let target = link.split('#').next().unwrap_or_default();
    if target.is_empty() || target.contains(':') {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn exists(target: &str, files: &BTreeSet<&str>) -> bool {
    let folder = format!("{target}/");
    let below = || files.range(folder.as_str()..).next().is_some_and(|file| file.starts_with(&folder));
    target.is_empty() || files.contains(target) || below()
}
