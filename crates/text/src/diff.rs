//! Unified diffs of file contents.

use std::borrow::Cow;
use std::time::Duration;

use similar::TextDiff;

use crate::{Charset, Text};

const DIFF_TIME: Duration = Duration::from_millis(500);
/// Default maximum size of a diff, in bytes.
pub const MAX_SHOWN_BYTES: usize = 200_000;
/// Maximum total size of both sides, in bytes; larger files are not compared.
const MAX_COMPARED_BYTES: usize = 16 * 1024 * 1024;

/// One side of a diff: a file's name and content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side<'b> {
    name: &'b str,
    bytes: &'b [u8],
}

impl<'b> Side<'b> {
    /// Returns a side with this file name and content.
    pub fn new(name: &'b str, bytes: &'b [u8]) -> Self {
        Self { name, bytes }
    }
}

/// Maximum size of a diff's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Room {
    /// Maximum number of lines.
    pub lines: usize,
    /// Maximum number of bytes.
    pub bytes: usize,
}

impl Default for Room {
    /// Returns the limits for a diff that a human reads: [`MAX_SHOWN_BYTES`] and any number of lines.
    fn default() -> Self {
        Self { lines: usize::MAX, bytes: MAX_SHOWN_BYTES }
    }
}

impl Room {
    /// Sets the maximum number of lines.
    pub fn with_lines(mut self, lines: usize) -> Self {
        self.lines = lines;
        self
    }

    /// Sets the maximum number of bytes.
    pub fn with_bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }
}

/// Returns the unified diff of two sides. A diff that exceeds `room` is cut after a complete line and ends
/// with the exact total number of lines. `None` is a file that does not exist; two different names are a
/// rename.
///
/// Files that are binary or larger than 16 MiB together are summarized with their sizes.
///
/// ```
/// use windlass_text::{Room, Side, diff};
/// let (before, after) = (Side::new("a", b"one\ntwo\n"), Side::new("a", b"one\n2\n"));
/// let told = diff(Some(before), Some(after), Room::default());
/// assert_eq!(told, "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
/// ```
pub fn diff(before: Option<Side<'_>>, after: Option<Side<'_>>, room: Room) -> String {
    let name = |side: Option<Side<'_>>, letter| {
        side.map_or_else(|| "/dev/null".to_owned(), |side| format!("{letter}/{}", side.name))
    };
    let (header_old, header_new) = (name(before, 'a'), name(after, 'b'));
    let bytes = |side: Option<Side<'_>>| side.map_or(0, |side| side.bytes.len());
    let (len_old, len_new) = (bytes(before), bytes(after));
    let told = |what: &str| {
        format!("--- {header_old}\n+++ {header_new}\n[{what}: {len_old} bytes become {len_new}]\n")
    };
    let moved = match (before, after) {
        (Some(from), Some(to)) if from.name != to.name => {
            format!("rename from {}\nrename to {}\n", from.name, to.name)
        }
        _ => String::new(),
    };
    if !moved.is_empty() && before.map(|side| side.bytes) == after.map(|side| side.bytes) {
        return moved;
    }
    if len_old.saturating_add(len_new) > MAX_COMPARED_BYTES {
        return told("too long to be compared");
    }
    let (Some(old), Some(new)) = (words(before), words(after)) else { return told("binary") };
    let lines = TextDiff::configure().timeout(DIFF_TIME).diff_lines(&*old, &*new);
    let unified = lines.unified_diff().header(&header_old, &header_new).to_string();
    cut(&(moved + &unified), room)
}

/// Decodes a side for display. Returns `None` for a binary file.
fn words(side: Option<Side<'_>>) -> Option<Cow<'_, str>> {
    let Some(Side { bytes, .. }) = side else { return Some(Cow::Borrowed("")) };
    if let Ok(whole) = std::str::from_utf8(bytes)
        && !bytes.contains(&0)
    {
        return Some(Cow::Borrowed(whole));
    }
    match Text::decode(bytes) {
        Ok(text) if text.charset() == Charset::Unknown => Some(String::from_utf8_lossy(bytes)),
        Ok(text) => Some(Cow::Owned(text.body().to_owned())),
        Err(_) => None,
    }
}

fn cut(whole: &str, room: Room) -> String {
    let total = whole.lines().count();
    let mut shown = String::new();
    for (count, line) in whole.split_inclusive('\n').enumerate() {
        if count == room.lines || shown.len().saturating_add(line.len()) > room.bytes {
            return format!("{shown}[{count} of {total} lines of the diff shown]\n");
        }
        shown.push_str(line);
    }
    shown
}
