//! Bytes that come in pieces, without the secrets in them.

use std::collections::VecDeque;
use std::fmt;

use secrecy::zeroize::Zeroizing;

use crate::Redactor;
use crate::automaton::State;

/// Takes secrets out of bytes that come in pieces. However they are cut, the output is that of the whole.
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
    state: State,
    /// What came and was not given back. All places count from its beginning.
    held: Zeroizing<Vec<u8>>,
    /// Where the secrets are that were found behind `covered_to`, in order, none reaching into another.
    found: VecDeque<(usize, usize)>,
    /// The end of the last secret whose mark was given.
    covered_to: usize,
}

impl RedactStream {
    pub(crate) fn new(redactor: Redactor) -> Self {
        Self {
            redactor,
            state: State::default(),
            held: Zeroizing::default(),
            found: VecDeque::new(),
            covered_to: 0,
        }
    }

    /// More bytes. What may be the beginning of a secret is held back.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        if self.redactor.is_empty() {
            return bytes.to_vec();
        }
        let mut end = self.held.len();
        self.hold(bytes);
        for &byte in bytes {
            let automaton = self.redactor.automaton();
            self.state = automaton.step(self.state, byte);
            let length = automaton.found(self.state);
            end = end.saturating_add(1);
            if length > 0 {
                self.cover(end.saturating_sub(length), end);
            }
        }
        let open = self.redactor.automaton().open(self.state);
        self.give(end.saturating_sub(open))
    }

    /// What is still held, when nothing more comes. The stream can be used again, as a new one.
    pub fn finish(&mut self) -> Vec<u8> {
        let rest = self.give(self.held.len());
        *self = Self::new(self.redactor.clone());
        rest
    }

    /// How many bytes are held back.
    pub fn held(&self) -> usize {
        self.held.len()
    }

    fn hold(&mut self, bytes: &[u8]) {
        // A vector that grows by itself leaves its bytes behind.
        let needed = self.held.len().saturating_add(bytes.len());
        if needed > self.held.capacity() {
            let mut grown = Zeroizing::new(Vec::with_capacity(needed.saturating_mul(2)));
            grown.extend_from_slice(&self.held);
            self.held = grown;
        }
        self.held.extend_from_slice(bytes);
    }

    fn cover(&mut self, mut from: usize, to: usize) {
        while let Some(&(start, end)) = self.found.back() {
            if end <= from {
                break;
            }
            from = from.min(start);
            self.found.pop_back();
        }
        if from < self.covered_to {
            self.covered_to = self.covered_to.max(to);
        } else {
            self.found.push_back((from, to));
        }
    }

    /// Gives back what lies before a place that no secret to come reaches.
    fn give(&mut self, until: usize) -> Vec<u8> {
        let mut clean = Vec::with_capacity(until);
        let mut at = 0;
        while at < until {
            let next = self.found.front().copied().filter(|(from, _)| *from < until);
            let plain_to = next.map_or(until, |(from, _)| from);
            let plain = self.held.get(at.max(self.covered_to)..plain_to);
            clean.extend_from_slice(plain.unwrap_or_default());
            at = plain_to;
            if let Some((_, to)) = next {
                clean.extend_from_slice(Redactor::MARK.as_bytes());
                self.found.pop_front();
                self.covered_to = to;
                at = to.min(until);
            }
        }
        let given = until.min(self.held.len());
        self.held.drain(..given);
        self.covered_to = self.covered_to.saturating_sub(until);
        for (from, to) in &mut self.found {
            *from = from.saturating_sub(until);
            *to = to.saturating_sub(until);
        }
        clean
    }
}

impl fmt::Debug for RedactStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedactStream").field("held", &self.held.len()).finish_non_exhaustive()
    }
}
