//! What a file would be, beside what it is.

use std::time::Duration;

use similar::TextDiff;

const DIFF_TIME: Duration = Duration::from_millis(500);
/// How much of a change a human is shown; the rest is counted.
pub(crate) const MAX_SHOWN_BYTES: usize = 200_000;
/// How long both sides together may be to be compared.
const MAX_COMPARED_BYTES: usize = 16 * 1024 * 1024;
const NO_FILE: &str = "/dev/null";

/// The two sides of a change; nothing where no file is.
pub(crate) struct Sides<'b> {
    pub(crate) path: &'b str,
    pub(crate) before: Option<&'b [u8]>,
    pub(crate) after: Option<&'b [u8]>,
}

impl Sides<'_> {
    /// The unified diff, at most so many lines and bytes of it, with the exact number of all lines.
    pub(crate) fn diff(&self, max_lines: usize, max_bytes: usize) -> String {
        let name = |side: Option<&[u8]>, letter| {
            side.map_or_else(|| NO_FILE.to_owned(), |_| format!("{letter}/{}", self.path))
        };
        let (old, new) = (name(self.before, 'a'), name(self.after, 'b'));
        let (before, after) = (self.before.unwrap_or_default(), self.after.unwrap_or_default());
        let told = |what: &str| {
            let (before, after) = (before.len(), after.len());
            format!("--- {old}\n+++ {new}\n[{what}: {before} bytes become {after}]\n")
        };
        if before.contains(&0) || after.contains(&0) {
            return told("binary");
        }
        if before.len().saturating_add(after.len()) > MAX_COMPARED_BYTES {
            return told("too long to be compared");
        }
        let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
        let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(&*before, &*after);
        cut(&diff.unified_diff().header(&old, &new).to_string(), max_lines, max_bytes)
    }
}

fn cut(whole: &str, max_lines: usize, max_bytes: usize) -> String {
    let total = whole.lines().count();
    let mut shown = String::new();
    for (count, line) in whole.lines().enumerate() {
        if count == max_lines || shown.len().saturating_add(line.len()) > max_bytes {
            return format!("{shown}[{count} of {total} lines of the diff shown]\n");
        }
        shown.push_str(line);
        shown.push('\n');
    }
    shown
}
