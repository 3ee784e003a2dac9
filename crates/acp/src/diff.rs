//! Unified diffs as the old and the new texts that the protocol has.

use std::path::Path;

use serde_json::{Value, json};

/// Largest number of hunks that are shown of one diff.
const MAX_HUNKS: usize = 200;

/// Part of a change, with its unchanged lines around it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Hunk {
    pub(crate) old: String,
    pub(crate) new: String,
}

/// Change of a file in a diff.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FileChange {
    pub(crate) path: String,
    pub(crate) is_new: bool,
    pub(crate) hunks: Vec<Hunk>,
}

/// Parses a unified diff of any number of files. Lines that are not part of one have no effect.
pub(crate) fn parse(diff: &str) -> Vec<FileChange> {
    let mut files: Vec<FileChange> = Vec::new();
    let (mut old_path, mut rest) = ("", (0_usize, 0_usize));
    let mut last = ' ';
    for line in diff.split_inclusive('\n') {
        let sign = line.chars().next().unwrap_or(' ');
        if rest == (0, 0) && sign != '\\' {
            if let Some(path) = line.strip_prefix("--- ") {
                old_path = path.trim_end();
            } else if let Some(path) = line.strip_prefix("+++ ") {
                files.push(begin_file(old_path, path.trim_end()));
            } else if let (Some(lengths), Some(file)) = (hunk_lengths(line), files.last_mut()) {
                file.hunks.push(Hunk::default());
                rest = lengths;
            }
            continue;
        }
        let Some(hunk) = files.last_mut().and_then(|file| file.hunks.last_mut()) else { continue };
        let text = line.get(1..).unwrap_or_default();
        match sign {
            '-' => {
                hunk.old.push_str(text);
                rest.0 = rest.0.saturating_sub(1);
            }
            '+' => {
                hunk.new.push_str(text);
                rest.1 = rest.1.saturating_sub(1);
            }
            // The previous line has no line end in its file.
            '\\' => trim_end(hunk, last),
            _ => {
                hunk.old.push_str(text);
                hunk.new.push_str(text);
                rest = (rest.0.saturating_sub(1), rest.1.saturating_sub(1));
            }
        }
        last = sign;
    }
    files
}

fn begin_file(old: &str, new: &str) -> FileChange {
    let name = if new == "/dev/null" { old } else { new };
    let path = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name);
    FileChange { path: path.to_owned(), is_new: old == "/dev/null", hunks: Vec::new() }
}

/// Removes the end of the last line of the sides that had the line with this sign.
fn trim_end(hunk: &mut Hunk, sign: char) {
    if sign != '+' && hunk.old.ends_with('\n') {
        hunk.old.pop();
    }
    if sign != '-' && hunk.new.ends_with('\n') {
        hunk.new.pop();
    }
}

/// Returns the numbers of old and new lines of a hunk from its first line, such as `@@ -1,2 +1 @@`.
fn hunk_lengths(line: &str) -> Option<(usize, usize)> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let length = |range: &str| range.split_once(',').map_or(Some(1), |(_, length)| length.parse().ok());
    Some((length(old)?, length(new)?))
}

/// Returns a change as content of a tool call, one part for each hunk.
pub(crate) fn change_content(root: &Path, file: &FileChange) -> Vec<Value> {
    let path = root.join(&file.path);
    let hunks = file.hunks.iter().take(MAX_HUNKS);
    let content = hunks.map(|hunk| {
        let old = (!file.is_new).then_some(&hunk.old);
        json!({"type": "diff", "path": path, "oldText": old, "newText": hunk.new})
    });
    content.collect()
}

/// Returns one file's diff as content of a tool call. A text that is not a diff is shown as it is.
pub(crate) fn to_content(root: &Path, path: &str, diff: &str) -> Vec<Value> {
    let mut content = Vec::new();
    for mut file in parse(diff) {
        path.clone_into(&mut file.path);
        content.extend(change_content(root, &file));
    }
    content.truncate(MAX_HUNKS);
    if content.is_empty() && !diff.trim().is_empty() {
        content.push(crate::updates::text_content(diff));
    }
    content
}

#[cfg(test)]
mod tests;
