//! The last output of a running call.

use crate::status::format_count;

/// Maximum number of stored bytes; older output is removed.
const STORED: usize = 64 * 1024;
/// Maximum number of bytes of a line that are displayed.
const SHOWN: usize = 4 * 1024;

/// The end of a command's output.
#[derive(Debug, Default)]
pub(super) struct RecentOutput {
    text: String,
}

impl RecentOutput {
    /// Appends output, and removes old output.
    pub(super) fn push(&mut self, text: &str) {
        // Of a large piece only the end is copied.
        let from = text.ceil_char_boundary(text.len().saturating_sub(STORED));
        self.text.push_str(text.get(from..).unwrap_or_default());
        // Twice the limit, so that removing takes constant time per byte.
        if self.text.len() > 2 * STORED {
            let from = self.text.ceil_char_boundary(self.text.len().saturating_sub(STORED));
            self.text.drain(..from);
        }
    }

    /// Notes that output is missing here.
    pub(super) fn skip(&mut self, bytes: u64) {
        self.push(&format!("\n[{} bytes of output are missing]\n", format_count(bytes)));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the last `rows` lines as a terminal shows them: a carriage return restarts its line. Sequences that
    /// only change colors are removed; other sequences are left to be escaped.
    pub(super) fn last_lines(&self, rows: usize) -> Vec<String> {
        let last = self.text.lines().rev().take(rows);
        let mut lines: Vec<String> = last.map(|line| remove_colors(end_of(skip_returns(line)))).collect();
        lines.reverse();
        lines
    }
}

/// Returns the end of a line that is longer than a screen.
fn end_of(line: &str) -> &str {
    line.get(line.ceil_char_boundary(line.len().saturating_sub(SHOWN))..).unwrap_or_default()
}

/// Returns the text after the last carriage return that is followed by text.
fn skip_returns(line: &str) -> &str {
    line.trim_end_matches('\r').rsplit('\r').next().unwrap_or(line)
}

/// Removes the sequences of ECMA-48 that select colors (SGR).
fn remove_colors(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, sequence)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        let after = sequence.trim_start_matches(|it: char| it.is_ascii_digit() || matches!(it, ';' | ':'));
        if let Some(after) = after.strip_prefix('m') {
            rest = after;
        } else {
            plain.push_str("\u{1b}[");
            rest = sequence;
        }
    }
    plain.push_str(rest);
    plain
}
