//! What a file would be, beside what it is.

use std::time::Duration;

use similar::TextDiff;

const DIFF_TIME: Duration = Duration::from_millis(500);
/// How much of a change the model is told.
pub(crate) const MAX_TOLD_LINES: usize = 200;
/// How much of a change a human is shown; the rest is counted.
pub(crate) const MAX_SHOWN_BYTES: usize = 200_000;

/// How long both sides together may be to be compared.
const MAX_COMPARED_BYTES: usize = 16 * 1024 * 1024;

/// One side of a change: a file's name and bytes; nothing where no file is.
pub(crate) type Side<'b> = Option<(&'b str, &'b [u8])>;

/// The unified diff, at most so many lines and bytes of it, with the exact number of all lines.
pub(crate) fn diff(before: Side<'_>, after: Side<'_>, max_lines: usize, max_bytes: usize) -> String {
    let name = |side: Side<'_>, letter| {
        side.map_or_else(|| "/dev/null".to_owned(), |(name, _)| format!("{letter}/{name}"))
    };
    let (header_old, header_new) = (name(before, 'a'), name(after, 'b'));
    let len = |side: Side<'_>| side.map_or(0, |(_, bytes)| bytes.len());
    let (len_old, len_new) = (len(before), len(after));
    if len_old.saturating_add(len_new) > MAX_COMPARED_BYTES {
        let told = format!("[too long to be compared: {len_old} bytes become {len_new}]\n");
        return format!("--- {header_old}\n+++ {header_new}\n{told}");
    }
    let text =
        |side: Side<'_>| String::from_utf8_lossy(side.map_or(&[][..], |(_, bytes)| bytes)).into_owned();
    let (old, new) = (text(before), text(after));
    let moved = match (before, after) {
        (Some((from, _)), Some((to, _))) if from != to => format!("rename from {from}\nrename to {to}\n"),
        _ => String::new(),
    };
    let lines = TextDiff::configure().timeout(DIFF_TIME).diff_lines(&old, &new);
    let unified = lines.unified_diff().header(&header_old, &header_new).to_string();
    cut(&(moved + &unified), max_lines, max_bytes)
}

fn cut(whole: &str, max_lines: usize, max_bytes: usize) -> String {
    let total = whole.lines().count();
    let mut shown = String::new();
    for (count, line) in whole.split_inclusive('\n').enumerate() {
        if count == max_lines || shown.len().saturating_add(line.len()) > max_bytes {
            return format!("{shown}[{count} of {total} lines of the diff shown]\n");
        }
        shown.push_str(line);
    }
    shown
}
