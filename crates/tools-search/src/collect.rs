//! What a search keeps: the first lines up to a limit, and the number of all.

use std::io;

use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};
use windlass_redact::Redactor;

const MAX_LINE_CHARS: usize = 500;
const MAX_BYTES: usize = 60_000;

/// The lines found so far, over all files.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) text: String,
    pub(crate) limit: u64,
    pub(crate) shown: u64,
    pub(crate) found: u64,
    pub(crate) files: u64,
    /// Secrets that no line may show.
    pub(crate) redactor: Redactor,
    /// How many files could not be searched.
    pub(crate) unread: u64,
    /// How many files were not searched because their names are those of secrets.
    pub(crate) secrets: u64,
}

/// The sink for one file.
pub(crate) struct OneFile<'c> {
    pub(crate) path: &'c str,
    pub(crate) all: &'c mut Collected,
    pub(crate) found: u64,
}

impl OneFile<'_> {
    fn write(&mut self, number: Option<u64>, mark: char, bytes: &[u8]) {
        let whole = String::from_utf8_lossy(bytes);
        // Before it is cut: half a secret is not found.
        let line = self.all.redactor.redact(whole.trim_end_matches(['\n', '\r'])).into_owned();
        let number = number.unwrap_or_default();
        let head = format!("{}{mark}{number}{mark} ", self.path);
        self.all.text.push_str(&head);
        match line.char_indices().nth(MAX_LINE_CHARS) {
            None => self.all.text.push_str(&line),
            Some((end, _)) => {
                self.all.text.push_str(line.get(..end).unwrap_or_default());
                let count = line.chars().count();
                let notice = format!(" [line cut: {MAX_LINE_CHARS} of {count} characters shown]");
                self.all.text.push_str(&notice);
            }
        }
        self.all.text.push('\n');
    }

    fn is_full(&self) -> bool {
        self.all.shown >= self.all.limit || self.all.text.len() > MAX_BYTES
    }
}

impl Sink for OneFile<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.found += 1;
        if !self.is_full() {
            self.all.shown += 1;
            self.write(found.line_number(), ':', found.bytes());
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, around: &SinkContext<'_>) -> Result<bool, io::Error> {
        if !self.is_full() {
            self.write(around.line_number(), '-', around.bytes());
        }
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> Result<(), io::Error> {
        // A file that turned out to be binary is not counted: its lines say nothing.
        if finish.binary_byte_offset().is_none() && self.found > 0 {
            self.all.files += 1;
            self.all.found += self.found;
        }
        Ok(())
    }
}
