//! Redaction of byte streams.

use std::fmt;

use secrecy::zeroize::Zeroizing;

use crate::Redactor;
use crate::scan::{JOINED, Scan};

/// Removes secrets from a byte stream. The output does not depend on the division into chunks.
///
/// ```
/// use windlass_redact::Redactor;
/// let mut stream = Redactor::new(["hunter22".into()]).stream();
/// assert_eq!(stream.push(b"a hunter"), b"a ");
/// assert_eq!(stream.push(b"2"), b"");
/// assert_eq!(stream.push(b"2!"), b"[redacted]!");
/// assert_eq!(stream.finish(), b"");
/// ```
pub struct RedactStream {
    redactor: Redactor,
    scan: Scan,
    /// Bytes that were received and not returned yet.
    held: Zeroizing<Vec<u8>>,
    /// Position of the first held byte in the stream.
    start: u64,
    /// True to keep line breaks inside of a secret.
    keeps_lines: bool,
    /// True if the last returned byte was a line break inside of a secret.
    is_next_line: bool,
}

impl RedactStream {
    pub(crate) fn new(redactor: Redactor) -> Self {
        Self {
            redactor,
            scan: Scan::default(),
            held: Zeroizing::default(),
            start: 0,
            keeps_lines: false,
            is_next_line: false,
        }
    }

    /// Keeps all line breaks: a secret of several lines leaves a mark in each line.
    pub(crate) fn with_lines(mut self) -> Self {
        self.keeps_lines = true;
        self
    }

    /// Pushes bytes and returns redacted output. Holds back bytes that may be the start of a secret.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        if self.redactor.is_empty() {
            return bytes.to_vec();
        }
        let read = self.held.len();
        self.hold(bytes);
        let (needles, mut end) = (self.redactor.needles(), self.start.saturating_add(read as u64));
        let mut at = read;
        while let Some(rest) = self.held.get(at..).filter(|rest| !rest.is_empty()) {
            let skipped = self.scan.skippable(needles, rest);
            at = at.saturating_add(skipped);
            end = end.saturating_add(skipped as u64);
            if let Some(&byte) = self.held.get(at) {
                self.scan.read(needles, self.held.get(..at).unwrap_or_default(), byte, end);
                at = at.saturating_add(1);
                end = end.saturating_add(1);
            }
        }
        let safe = self.scan.safe_end(needles, end);
        self.give(safe)
    }

    /// Ends the stream and returns the held bytes, redacted. The value can then be used for a new stream.
    pub fn finish(&mut self) -> Vec<u8> {
        let rest = self.give(self.start.saturating_add(self.held.len() as u64));
        *self = Self { keeps_lines: self.keeps_lines, ..Self::new(self.redactor.clone()) };
        rest
    }

    /// Returns the number of bytes that are held back.
    pub fn pending_bytes(&self) -> usize {
        self.held.len()
    }

    fn hold(&mut self, bytes: &[u8]) {
        // Grow manually and zero the old buffer, because a growing vector leaves a copy in freed memory.
        let needed = self.held.len().saturating_add(bytes.len());
        if needed > self.held.capacity() {
            let mut grown = Zeroizing::new(Vec::with_capacity(needed.saturating_mul(2)));
            grown.extend_from_slice(&self.held);
            self.held = grown;
        }
        self.held.extend_from_slice(bytes);
    }

    /// Returns the redacted bytes before `until`. The caller guarantees that a secret that is found later
    /// starts at `until` or after it.
    fn give(&mut self, until: u64) -> Vec<u8> {
        let part = self.start..until;
        let count =
            usize::try_from(until.saturating_sub(self.start)).unwrap_or(usize::MAX).min(self.held.len());
        let given = self.held.get(..count).unwrap_or_default();
        let clean = match self.scan.marks(&part) {
            None => given.to_vec(),
            Some(marks) => {
                let mut clean = Vec::with_capacity(count);
                for (&byte, mark) in given.iter().zip(marks) {
                    let is_kept = mark == 0 || self.keeps_lines && matches!(byte, b'\n' | b'\r');
                    if is_kept {
                        clean.push(byte);
                    } else if mark & JOINED == 0 || self.is_next_line {
                        clean.extend_from_slice(Redactor::MARK.as_bytes());
                    }
                    self.is_next_line = is_kept && mark != 0;
                }
                clean
            }
        };
        self.held.drain(..count);
        self.start = until;
        self.scan.forget(until);
        clean
    }
}

impl fmt::Debug for RedactStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedactStream").field("held", &self.held.len()).finish_non_exhaustive()
    }
}
