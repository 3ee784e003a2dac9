//! The last output of a running call.

/// Maximum number of stored bytes; older output is removed.
const STORED: usize = 64 * 1024;

/// The end of a command's output.
#[derive(Debug, Default)]
pub(super) struct RecentOutput {
    text: String,
    left_out: u64,
}

impl RecentOutput {
    /// Appends output, and removes old output.
    pub(super) fn push(&mut self, text: &str) {
        // Of a large piece only the end is copied.
        let from = text.ceil_char_boundary(text.len().saturating_sub(STORED));
        self.left_out = self.left_out.saturating_add(from as u64);
        self.text.push_str(text.get(from..).unwrap_or_default());
        // Twice the limit, so that removing takes constant time per byte.
        if self.text.len() > 2 * STORED {
            let from = self.text.ceil_char_boundary(self.text.len().saturating_sub(STORED));
            self.left_out = self.left_out.saturating_add(from as u64);
            self.text.drain(..from);
        }
    }

    pub(super) fn skip(&mut self, bytes: u64) {
        self.left_out = self.left_out.saturating_add(bytes);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the last `rows` lines as a terminal shows them: a carriage return restarts its line.
    pub(super) fn last_lines(&self, rows: usize) -> Vec<&str> {
        let mut lines: Vec<&str> = self.text.lines().rev().take(rows).map(after_return).collect();
        lines.reverse();
        lines
    }
}

/// Returns the text behind the last carriage return that is followed by text.
fn after_return(line: &str) -> &str {
    line.trim_end_matches('\r').rsplit('\r').next().unwrap_or(line)
}
