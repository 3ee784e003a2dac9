//! The outline of a JSON document that arrives in pieces: its members with the count of tokens, but without the contents
//! of lists, objects and long strings.

/// Keys of the count of tokens, in all formats.
const COUNT_KEYS: [&[u8]; 2] = [b"\"usage\"", b"\"usageMetadata\""];
/// Keys of the object around an answer, in events.
const ANSWER_KEYS: [&[u8]; 2] = [b"\"response\"", b"\"message\""];
/// Maximum bytes of a string; a longer one is empty in the outline.
const STRING_BYTES: usize = 1024;
/// Maximum bytes of an outline.
const OUTLINE_BYTES: usize = 64 << 10;

/// The outline of a document. Its memory is bounded, whatever the size of the document.
///
/// The members of the document are kept: strings, numbers and the object with the count as they are, other objects and
/// lists empty. The members of an object named `response` or `message` are kept like those of the document. Of the
/// elements of a list of answers, the last one and the last one with a count are kept.
#[derive(Debug, Default)]
pub(crate) struct JsonOutline {
    text: Vec<u8>,
    /// Open containers whose members are kept.
    open: usize,
    /// Open containers within a value that is copied or left out as a whole.
    inner: usize,
    is_copied: bool,
    string: Option<OpenString>,
    /// The start of the last string that ended outside of an inner value.
    key_start: usize,
    key: Key,
    /// The start of the newest element, if the document is a list.
    element: Option<usize>,
    has_count: bool,
    is_broken: bool,
}

/// A string that has not ended.
#[derive(Debug)]
struct OpenString {
    start: usize,
    is_escaped: bool,
    is_long: bool,
}

/// The key of the value that follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Key {
    Count,
    Answer,
    #[default]
    Other,
}

/// Memory for the outline of a usual answer.
const FIRST_BYTES: usize = 512;

/// Returns true for a byte of a number, `true`, `false` or `null`.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

impl JsonOutline {
    /// Reads the next bytes of the document.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some((byte, after)) = rest.split_first() {
            if self.is_broken {
                return;
            }
            if self.string.is_some() {
                rest = self.push_string(rest);
                continue;
            }
            if self.inner > 0 && !self.is_copied {
                rest = self.skip(rest);
                continue;
            }
            rest = match byte {
                b'"' => {
                    self.begin_string();
                    after
                }
                b' ' | b'\n' | b'\r' | b'\t' => after,
                byte if is_plain(*byte) => self.push_plain(rest),
                byte if self.inner > 0 => {
                    self.push_inner(*byte);
                    after
                }
                byte => {
                    self.push_outer(*byte);
                    after
                }
            };
        }
    }

    /// Skips the next bytes of a value that is left out, and returns the bytes after it.
    fn skip<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']')) {
            let Some((byte, after)) = rest.get(at..).and_then(<[u8]>::split_first) else { break };
            rest = after;
            match byte {
                b'"' => {
                    let Some(end) = find_end_of_string(after) else {
                        self.begin_string();
                        return after;
                    };
                    rest = after.get(end..).unwrap_or_default();
                }
                b'{' | b'[' => self.inner = self.inner.saturating_add(1),
                _ => self.inner = self.inner.saturating_sub(1),
            }
            if self.inner == 0 {
                // The end of a value belongs to the outline, like its beginning.
                self.keep(&[*byte]);
                return rest;
            }
        }
        &[]
    }

    /// Reads the bytes of a number or a word, and returns the bytes after it.
    fn push_plain<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let length = bytes.iter().position(|byte| !is_plain(*byte)).unwrap_or(bytes.len());
        let (piece, after) = bytes.split_at_checked(length).unwrap_or((bytes, &[]));
        self.is_broken |= self.open == 0;
        self.keep(piece);
        after
    }

    /// Returns the outline of a complete document.
    pub(crate) fn finish(self) -> Option<Vec<u8>> {
        let is_complete = !self.is_broken && self.open == 0 && !self.text.is_empty();
        is_complete.then_some(self.text)
    }

    fn begin_string(&mut self) {
        self.string = Some(OpenString { start: self.text.len(), is_escaped: false, is_long: false });
        self.keep(b"\"");
    }

    /// Reads the next bytes of a string, and returns the bytes after it.
    fn push_string<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let Some(string) = &mut self.string else { return bytes };
        let (length, is_end) = if std::mem::take(&mut string.is_escaped) {
            (1, false)
        } else {
            match memchr::memchr2(b'"', b'\\', bytes) {
                Some(at) => {
                    string.is_escaped = bytes.get(at) == Some(&b'\\');
                    (at.saturating_add(1), !string.is_escaped)
                }
                None => (bytes.len(), false),
            }
        };
        let (piece, after) = bytes.split_at_checked(length).unwrap_or((bytes, &[]));
        let held = self.text.len().saturating_sub(string.start);
        string.is_long |= held.saturating_add(piece.len()) > STRING_BYTES;
        if !string.is_long {
            self.keep(piece);
        }
        if is_end {
            self.end_string();
        }
        after
    }

    fn end_string(&mut self) {
        let Some(OpenString { start, is_long, .. }) = self.string.take() else { return };
        if is_long {
            self.text.truncate(start);
            self.keep(b"\"\"");
        }
        if self.inner == 0 {
            self.key_start = start;
        }
    }

    /// Reads a byte of a value that is copied.
    fn push_inner(&mut self, byte: u8) {
        match byte {
            b'{' | b'[' => self.inner = self.inner.saturating_add(1),
            b'}' | b']' => self.inner = self.inner.saturating_sub(1),
            _ => {}
        }
        self.keep(&[byte]);
    }

    fn push_outer(&mut self, byte: u8) {
        match byte {
            b'{' | b'[' => return self.open_value(byte),
            b'}' | b']' => match self.open.checked_sub(1) {
                Some(open) => self.open = open,
                None => self.is_broken = true,
            },
            b':' => self.key = self.last_key(),
            b',' => self.key = Key::Other,
            // A byte order mark can precede the document.
            0xef | 0xbb | 0xbf if self.text.is_empty() => return,
            _ => self.is_broken |= self.open == 0,
        }
        self.keep(&[byte]);
    }

    fn open_value(&mut self, byte: u8) {
        let key = std::mem::take(&mut self.key);
        let is_object = byte == b'{';
        if self.open == 0 {
            self.is_broken |= !self.text.is_empty();
            self.text.reserve(FIRST_BYTES);
            (self.element, self.open) = ((!is_object).then_some(1), 1);
        } else if let (1, Some(element), true) = (self.open, self.element, is_object) {
            self.begin_element(element);
            self.open = 2;
        } else if is_object && key == Key::Answer {
            self.open = self.open.saturating_add(1);
        } else {
            self.is_copied = is_object && key == Key::Count;
            self.has_count |= self.is_copied;
            // The beginning of a value that is left out is kept.
            self.keep(&[byte]);
            self.inner = 1;
            return;
        }
        self.keep(&[byte]);
    }

    /// Removes the elements before the newest one with a count.
    fn begin_element(&mut self, newest: usize) {
        if std::mem::take(&mut self.has_count) {
            self.text.drain(1..newest.max(1));
        } else {
            self.text.truncate(newest);
        }
        self.element = Some(self.text.len());
    }

    fn last_key(&self) -> Key {
        let key = self.text.get(self.key_start..).unwrap_or_default();
        if COUNT_KEYS.contains(&key) {
            Key::Count
        } else if ANSWER_KEYS.contains(&key) {
            Key::Answer
        } else {
            Key::Other
        }
    }

    /// Appends bytes, unless they are inside of a value that is left out.
    fn keep(&mut self, bytes: &[u8]) {
        if self.inner > 0 && !self.is_copied {
            return;
        }
        if self.text.len().saturating_add(bytes.len()) > OUTLINE_BYTES {
            self.is_broken = true;
            self.text = Vec::new();
            return;
        }
        self.text.extend_from_slice(bytes);
    }
}

/// Returns the place after the quotation mark that ends a string; `None` if the string continues.
fn find_end_of_string(text: &[u8]) -> Option<usize> {
    let mut start = 0_usize;
    loop {
        let at = start.saturating_add(memchr::memchr2(b'"', b'\\', text.get(start..)?)?);
        if text.get(at) == Some(&b'"') {
            return Some(at.saturating_add(1));
        }
        // The byte after a backslash is part of the string.
        start = at.saturating_add(2);
    }
}

#[cfg(test)]
mod tests;
