//! Results of a search: first the number of matching lines in each file, then the lines of a page.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;
use std::io;
use std::path::PathBuf;

use grep_searcher::{Searcher, Sink, SinkContext, SinkContextKind, SinkFinish, SinkMatch};
use windlass_redact::Redactor;

const MAX_LINE_CHARS: usize = 500;
const MAX_BYTES: usize = 60_000;
/// Maximum number of files that are kept by name. Of more files, those that sort last are only counted.
const MAX_FILES: usize = 100_000;

/// Results over all files.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Number of matching lines of each file, in path order.
    pub(crate) files: BTreeMap<PathBuf, u64>,
    /// Numbers of all matching lines, and of all files with a match.
    pub(crate) lines: u64,
    pub(crate) matched: u64,
    /// Number of files that could not be searched, and of folders whose ignore rules cannot be read.
    pub(crate) unread: u64,
    /// Number of files that were skipped because of a secret's name.
    pub(crate) secrets: u64,
    /// Number of files that policy refuses to show.
    pub(crate) refused: u64,
    /// Ignore files of the start folder that cannot be read; files of these names were not applied.
    pub(crate) lost_rules: Vec<&'static str>,
    /// True if the search was cancelled.
    pub(crate) is_cut: bool,
}

impl Tally {
    pub(crate) fn push(&mut self, below: PathBuf, lines: u64) {
        self.lines = self.lines.saturating_add(lines);
        self.matched = self.matched.saturating_add(1);
        self.files.insert(below, lines);
        if self.files.len() > MAX_FILES {
            self.files.pop_last();
        }
    }
}

/// Sink that counts the matching lines of one file.
#[derive(Debug, Default)]
pub(crate) struct Count {
    pub(crate) lines: u64,
    /// True if the file turned out to be binary; its matches are then ignored.
    pub(crate) is_binary: bool,
}

impl Sink for Count {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let lines = if searcher.multi_line() { found.lines().count() as u64 } else { 1 };
        self.lines = self.lines.saturating_add(lines);
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> Result<(), io::Error> {
        self.is_binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}

/// The lines of a page, over all files.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) text: String,
    /// Number of matching lines still to be skipped.
    pub(crate) skip: u64,
    pub(crate) limit: u64,
    pub(crate) shown: u64,
    /// Secrets that are removed from every line.
    pub(crate) redactor: Redactor,
}

impl Page {
    pub(crate) fn is_full(&self) -> bool {
        self.shown >= self.limit || self.text.len() > MAX_BYTES
    }
}

/// Sink that writes the lines of one file.
pub(crate) struct Lines<'p> {
    pub(crate) path: &'p str,
    pub(crate) page: &'p mut Page,
    /// Lines that contain a part of a secret, redacted, by line number.
    pub(crate) clean: BTreeMap<u64, String>,
    /// True if the last match was shown, so that its following context is shown too.
    pub(crate) follows: bool,
    /// Last lines that were not shown, as context before the next match. They include lines after a skipped
    /// match.
    pub(crate) held: VecDeque<(u64, Vec<u8>)>,
    pub(crate) context: usize,
}

impl Lines<'_> {
    fn hold(&mut self, number: u64, line: &[u8]) {
        if self.context > 0 {
            self.held.push_back((number, line.to_vec()));
            if self.held.len() > self.context {
                self.held.pop_front();
            }
        }
    }

    /// Writes the held lines that are close enough above a line. The searcher reports each line once, so it
    /// does not repeat the context after a match before the next match.
    fn write_held(&mut self, number: u64) {
        let first = number.saturating_sub(self.context as u64);
        for (at, line) in std::mem::take(&mut self.held) {
            if at >= first {
                self.write(Some(at), '-', &line);
            }
        }
    }

    fn write(&mut self, number: Option<u64>, mark: char, bytes: &[u8]) {
        let number = number.unwrap_or_default();
        let whole = String::from_utf8_lossy(bytes);
        let line = self.clean.get(&number).map_or(&*whole, String::as_str);
        // Redact before cutting, because half a secret is not found.
        let line = self.page.redactor.redact(line.trim_end_matches(['\n', '\r'])).into_owned();
        let text = &mut self.page.text;
        // Writing into a string cannot fail.
        let _ = write!(text, "{}{mark}{number}{mark} ", self.path);
        match line.char_indices().nth(MAX_LINE_CHARS) {
            None => text.push_str(&line),
            Some((end, _)) => {
                text.push_str(line.get(..end).unwrap_or_default());
                let count = line.chars().count();
                // Writing into a string cannot fail.
                let _ = write!(text, " [line cut: {MAX_LINE_CHARS} of {count} characters shown]");
            }
        }
        text.push('\n');
    }
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        for (line, number) in found.lines().zip(found.line_number().unwrap_or(1)..) {
            if self.page.is_full() {
                return Ok(false);
            }
            self.follows = self.page.skip == 0;
            if self.follows {
                self.write_held(number);
                self.page.shown = self.page.shown.saturating_add(1);
                self.write(Some(number), ':', line);
            } else {
                self.page.skip = self.page.skip.saturating_sub(1);
                self.hold(number, line);
            }
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, around: &SinkContext<'_>) -> Result<bool, io::Error> {
        let (number, line) = (around.line_number().unwrap_or_default(), around.bytes());
        match around.kind() {
            SinkContextKind::After if self.follows => self.write(Some(number), '-', line),
            // The next match decides whether this line is shown.
            _ => self.hold(number, line),
        }
        Ok(true)
    }
}
