//! Tracks where in prose a call can begin: the start of the answer, the start of a line, and whether the
//! position is in code.

use memchr::{memchr, memchr2, memchr3};

/// Maximum length of one run of backticks; further backticks count as another run.
const RUN: usize = 32;

/// The position in prose after the text that has been emitted.
#[derive(Debug)]
pub(crate) struct Prose {
    /// True if the current line contains only white space so far.
    line_blank: bool,
    /// True if any text other than white space has been emitted.
    started: bool,
    mode: Mode,
    bytes: FirstBytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Plain,
    /// In a code span opened by this many backticks. The span ends with its line, because a stray backtick
    /// does not start code.
    Span(usize),
    /// In the line that opened a fence of this character and length.
    FenceLine(u8, usize),
    /// In a fence of this character and length.
    Fence(u8, usize),
}

/// The set of bytes at which plain prose must be examined.
#[derive(Debug)]
pub(crate) struct FirstBytes {
    table: [bool; 256],
    few: Vec<u8>,
}

/// A position at which prose must be examined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub(crate) at: usize,
    pub(crate) line_blank: bool,
    /// True if this is the first text of the answer.
    pub(crate) first: bool,
    /// True if a form can begin here; `false` in code.
    pub(crate) open: bool,
}

impl FirstBytes {
    pub(crate) fn new() -> Self {
        let mut bytes = Self { table: [false; 256], few: Vec::new() };
        bytes.add(b'`');
        bytes
    }

    pub(crate) fn add(&mut self, byte: u8) {
        if let Some(known) = self.table.get_mut(usize::from(byte))
            && !std::mem::replace(known, true)
        {
            self.few.push(byte);
        }
    }

    pub(crate) fn has(&self, byte: u8) -> bool {
        self.table.get(usize::from(byte)).copied().unwrap_or(false)
    }

    pub(crate) fn find(&self, text: &[u8]) -> Option<usize> {
        match *self.few.as_slice() {
            [one] => memchr(one, text),
            [one, two] => memchr2(one, two, text),
            [one, two, three] => memchr3(one, two, three, text),
            _ => self.find_any(text),
        }
    }
}

impl FirstBytes {
    /// Searches blocks without a branch per byte, which compilers vectorise.
    fn find_any(&self, text: &[u8]) -> Option<usize> {
        const BLOCK: usize = 32;
        const WIDE: usize = 8;
        let mut needles = [b'`'; WIDE];
        let mut before = 0;
        if self.few.len() <= WIDE {
            needles.iter_mut().zip(&self.few).for_each(|(needle, byte)| *needle = *byte);
            // Bitwise OR instead of branches, so that the compiler can vectorise the loop.
            let hits = |byte: u8| needles.iter().fold(0, |any, needle| any | u8::from(*needle == byte));
            for block in text.chunks_exact(BLOCK) {
                if block.iter().fold(0, |any, byte| any | hits(*byte)) != 0 {
                    break;
                }
                before = usize::saturating_add(before, BLOCK);
            }
        }
        let rest = text.get(before..)?;
        rest.iter().position(|byte| self.has(*byte)).map(|at| at.saturating_add(before))
    }
}

impl Prose {
    pub(crate) fn new(mut bytes: FirstBytes) -> Self {
        // Fences of tildes can also contain look-alikes of calls.
        bytes.add(b'~');
        Self { line_blank: true, started: false, mode: Mode::Plain, bytes }
    }

    /// Returns the next position to examine, at or after `from`.
    pub(crate) fn next(&self, text: &str, from: usize) -> Option<Spot> {
        let bytes = text.as_bytes();
        let rest = bytes.get(from..)?;
        let is_first = !self.started && text.get(..from).is_some_and(|before| before.trim_start().is_empty());
        let found = match self.mode {
            Mode::Plain if is_first => rest.iter().position(|byte| !byte.is_ascii_whitespace()),
            Mode::Plain => self.bytes.find(rest),
            Mode::Span(_) => memchr2(b'`', b'\n', rest),
            Mode::FenceLine(byte, _) => memchr2(byte, b'\n', rest),
            Mode::Fence(byte, _) => memchr(byte, rest),
        }?;
        let at = from.saturating_add(found);
        Some(Spot {
            at,
            line_blank: self.blank_at(text, at),
            first: is_first,
            open: self.mode == Mode::Plain,
        })
    }

    /// Processes the newline or the run of backticks or tildes at a position and returns its length. Returns
    /// `None` if the run may continue in the next text.
    pub(crate) fn turn(&mut self, text: &str, spot: Spot, ended: bool) -> Option<usize> {
        let rest = text.as_bytes().get(spot.at..).unwrap_or_default();
        let Some(&byte) = rest.first() else { return Some(0) };
        if byte == b'\n' {
            self.mode = match self.mode {
                Mode::FenceLine(byte, len) => Mode::Fence(byte, len),
                _ => Mode::Plain,
            };
            return Some(1);
        }
        if byte != b'`' && byte != b'~' {
            return Some(1);
        }
        let run = rest.iter().take(RUN).take_while(|other| **other == byte).count();
        if run == rest.len() && run < RUN && !ended {
            return None;
        }
        self.mode = match self.mode {
            Mode::Plain if run >= 3 && spot.line_blank => Mode::FenceLine(byte, run),
            Mode::Plain if byte == b'`' => Mode::Span(run),
            Mode::Span(open) if open == run => Mode::Plain,
            // Backticks in the opening line of a backtick fence: it was a code span.
            Mode::FenceLine(b'`', open) if open == run => Mode::Plain,
            Mode::FenceLine(b'`', open) => Mode::Span(open),
            Mode::Fence(_, open) if run >= open && spot.line_blank => Mode::Plain,
            mode => mode,
        };
        Some(run)
    }

    /// Updates the position after emitting text that has been examined.
    pub(crate) fn pass_examined(&mut self, text: &str) {
        self.line_blank = self.blank_at(text, text.len());
        self.started = self.started || !text.trim_start().is_empty();
    }

    /// Updates the position after emitting text that has not been examined.
    pub(crate) fn pass_unexamined(&mut self, text: &str) {
        let mut at = 0;
        while let Some(spot) = self.next(text, at) {
            let turned = self.turn(text, spot, true).unwrap_or(1).max(1);
            at = spot.at.saturating_add(turned);
            while !text.is_char_boundary(at) {
                at = at.saturating_add(1);
            }
        }
        self.pass_examined(text);
    }

    /// Treats the following text as the start of a line, after a mark, a call or thoughts.
    pub(crate) fn begin_line(&mut self) {
        self.line_blank = true;
    }

    /// Treats the following text as the start of the answer, after thoughts or a template mark.
    pub(crate) fn begin_answer(&mut self) {
        self.line_blank = true;
        self.started = false;
    }

    fn blank_at(&self, text: &str, at: usize) -> bool {
        let before = text.as_bytes().get(..at).unwrap_or_default();
        match before.iter().rposition(|byte| !matches!(byte, b' ' | b'\t')) {
            Some(last) => before.get(last) == Some(&b'\n'),
            None => self.line_blank,
        }
    }
}
