//! Checks docs/WALK.md: each walk fits its budget of files and lines, and the functions and types in its rows
//! are in their files. The check of links sees that the files exist.

use std::collections::BTreeMap;

use super::Findings;

const PAGE: &str = "docs/WALK.md";
/// The files that a reader may have to open for one walk.
const FILES: usize = 20;
/// The lines of these files, with their comments.
const LINES: usize = 3000;

/// One row: the path of a file, and the names to read in it.
struct Row<'a> {
    path: &'a str,
    names: Vec<&'a str>,
}

pub(super) fn check(texts: &[(String, String)], found: &mut Findings) {
    let texts: BTreeMap<&str, &str> =
        texts.iter().map(|(path, content)| (path.as_str(), content.as_str())).collect();
    for walk in texts.get(PAGE).into_iter().flat_map(|page| page.split("\n## ").skip(1)) {
        let title = walk.lines().next().unwrap_or_default();
        let mut lines = BTreeMap::new();
        for row in walk.lines().filter_map(read_row) {
            let Some(content) = texts.get(row.path) else { continue };
            lines.insert(row.path, content.lines().count());
            for name in row.names.iter().filter(|name| !has_item(content, name)) {
                found.errors.push(format!("{PAGE}: `{name}` is not in {}", row.path));
            }
        }
        let (files, lines) = (lines.len(), lines.values().sum::<usize>());
        if files > FILES {
            found.errors.push(format!("{PAGE}: \"{title}\" has {files} files; the limit is {FILES}"));
        }
        if lines > LINES {
            found.errors.push(format!("{PAGE}: \"{title}\" has {lines} lines; the limit is {LINES}"));
        }
    }
}

/// Reads `| [sse/parser.rs](../crates/sse/src/parser.rs) | names | text |`.
fn read_row(line: &str) -> Option<Row<'_>> {
    let (path, rest) = line.strip_prefix("| [")?.split_once("](../")?.1.split_once(") |")?;
    let names = rest.split('|').next()?.split('`').skip(1).step_by(2).collect();
    Some(Row { path, names })
}

/// Returns true if a file defines a function or a type with this name.
fn has_item(content: &str, name: &str) -> bool {
    ["fn ", "struct ", "enum "].iter().any(|keyword| {
        let item = format!("{keyword}{name}");
        content.match_indices(&item).any(|(at, _)| {
            let next = content.get(at.saturating_add(item.len())..).and_then(|rest| rest.chars().next());
            next.is_none_or(|next| !next.is_alphanumeric() && next != '_')
        })
    })
}
