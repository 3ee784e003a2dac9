//! Escapes in strings and keys, including escapes that are split between pushes.

use crate::ErrorKind;
use crate::cursor::Cursor;
use crate::parser::{Parser, State};

/// Position inside an escape. An incomplete escape, and a high surrogate whose low surrogate may still
/// arrive, are held here and do not appear in snapshots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escape {
    /// In plain text, outside of an escape.
    None,
    /// After a backslash; `high` is the pending high surrogate before it, or 0.
    Backslash { high: u16 },
    /// After `\u` and `count` digits, packed into `digits` as ASCII bytes with the last one lowest.
    Hex { high: u16, digits: u32, count: u8 },
    /// After a high surrogate, which is held.
    High(u16),
}

impl Parser {
    /// Starts an escape that the end of the push cuts or that JSON does not define. Returns the rest of the
    /// push for the byte-wise states, which can stop anywhere.
    pub(crate) fn begin_escape<'a>(&mut self, rest: &'a str) -> &'a str {
        if let [_, b'u', digits @ ..] = rest.as_bytes()
            && digits.len() < 4
            && digits.iter().all(u8::is_ascii_hexdigit)
        {
            let count = u8::try_from(digits.len()).unwrap_or_default();
            let digits = digits.iter().fold(0, |digits, &byte| (digits << 8) | u32::from(byte));
            self.state = State::Text(Escape::Hex { high: 0, digits, count });
            return "";
        }
        self.state = State::Text(Escape::Backslash { high: 0 });
        rest.get(1..).unwrap_or_default()
    }

    /// Fast path for an escape that an earlier push cut: if the escape is complete now, consumes it in one
    /// step. Returns the rest of the push.
    pub(crate) fn resume_escape<'a>(&mut self, escape: Escape, delta: &'a str) -> &'a str {
        let bytes = delta.as_bytes();
        let (character, length) = match (escape, bytes) {
            (Escape::Backslash { high: 0 }, [byte, ..]) if let Some(byte) = unescape(*byte) => {
                (char::from(byte & 0x7F), 1)
            }
            (Escape::Backslash { high: 0 }, [b'u', digits @ ..])
                if let Some((character, length)) = whole_hex(digits) =>
            {
                (character, length.wrapping_add(1))
            }
            (Escape::Hex { high: 0, digits, count }, _)
                if let Some(rest) = 4usize.checked_sub(count.into()) =>
            {
                let Some(missing) = bytes.get(..rest) else { return delta };
                let digits = missing.iter().fold(digits, |digits, &byte| (digits << 8) | u32::from(byte));
                match unit_of(digits.to_be_bytes()).and_then(|unit| char::from_u32(unit.into())) {
                    Some(character) => (character, rest),
                    None => return delta,
                }
            }
            _ => return delta,
        };
        self.state = State::Text(Escape::None);
        self.document.text.push(character);
        match delta.get(length..) {
            Some(rest) if !rest.is_empty() => self.read_plain(rest),
            _ => "",
        }
    }

    /// Continues an escape that an earlier push cut, byte by byte.
    pub(crate) fn read_escape(&mut self, escape: Escape, cursor: &mut Cursor<'_>) {
        match escape {
            Escape::None => {}
            Escape::Backslash { high } => self.read_escaped(high, cursor),
            Escape::Hex { high, digits, count } => self.read_hex(high, digits, count, cursor),
            Escape::High(high) if cursor.peek() == Some(b'\\') => {
                cursor.bump();
                self.state = State::Text(Escape::Backslash { high });
            }
            Escape::High(_) => {
                self.replace_surrogate(cursor.len());
                self.state = State::Text(Escape::None);
            }
        }
    }

    fn read_escaped(&mut self, high: u16, cursor: &mut Cursor<'_>) {
        let Some(byte) = cursor.peek() else { return };
        if byte == b'u' {
            cursor.bump();
            self.state = State::Text(Escape::Hex { high, digits: 0, count: 0 });
            return;
        }
        if high != 0 {
            self.replace_surrogate(cursor.len().saturating_add(1));
        }
        self.state = State::Text(Escape::None);
        if let Some(character) = unescape(byte) {
            cursor.bump();
            self.document.text.push(char::from(character));
        } else {
            self.forgive(ErrorKind::UnknownEscape, cursor.len().saturating_add(1));
            self.document.text.push('\\');
        }
    }

    fn read_hex(&mut self, high: u16, mut digits: u32, mut count: u8, cursor: &mut Cursor<'_>) {
        let missing = usize::from(4u8.wrapping_sub(count));
        let digits_here = cursor.bytes().iter().take(missing).take_while(|byte| byte.is_ascii_hexdigit());
        let here = digits_here.fold(0usize, |here, &byte| {
            digits = (digits << 8) | u32::from(byte);
            here.wrapping_add(1)
        });
        cursor.take(here);
        count = count.wrapping_add(u8::try_from(here).unwrap_or(0));
        // The bytes from the backslash to the end of the push: the backslash, the `u`, the digits and the
        // unread bytes.
        let left = cursor.len().saturating_add(2).saturating_add(usize::from(count));
        if count == 4 {
            let unit = unit_of(digits.to_be_bytes()).unwrap_or_default();
            self.state = State::Text(self.take_unit(high, unit, left));
        } else if cursor.len() > 0 {
            self.state = State::Text(Escape::None);
            let shown = digits.to_be_bytes();
            self.show_half_hex(
                high,
                shown.get(4usize.wrapping_sub(count.into())..).unwrap_or_default(),
                left,
            );
        } else {
            self.state = State::Text(Escape::Hex { high, digits, count });
        }
    }

    /// Appends an incomplete `\u` escape as it was written.
    #[cold]
    fn show_half_hex(&mut self, high: u16, digits: &[u8], left: usize) {
        if high != 0 {
            self.replace_surrogate(left);
        }
        self.forgive(ErrorKind::UnknownEscape, left);
        self.document.text.push_str("\\u");
        self.document.text.extend(digits.iter().map(|&digit| char::from(digit)));
    }

    /// Handles one UTF-16 code unit whose escape started `left` bytes before the end of the push.
    fn take_unit(&mut self, high: u16, unit: u16, left: usize) -> Escape {
        if high != 0 {
            if let Some(character) = pair(high, unit) {
                self.document.text.push(character);
                return Escape::None;
            }
            self.replace_surrogate(left);
        }
        match unit {
            0xD800..=0xDBFF => return Escape::High(unit),
            0xDC00..=0xDFFF => self.replace_surrogate(left.saturating_sub(6)),
            _ => self
                .document
                .text
                .push(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER)),
        }
        Escape::None
    }

    /// Appends U+FFFD for half of a pair whose escape ended `left` bytes before the end of the push.
    #[cold]
    fn replace_surrogate(&mut self, left: usize) {
        let offset = self.read.saturating_sub(left).saturating_sub(6);
        self.note(ErrorKind::LoneSurrogate, offset);
        self.document.text.push(char::REPLACEMENT_CHARACTER);
    }

    #[cold]
    pub(crate) fn forgive(&mut self, kind: ErrorKind, left: usize) {
        self.forgiven = self.forgiven.saturating_add(1);
        let offset = self.read.saturating_sub(left);
        self.note(kind, offset);
    }
}

/// Returns the byte that the escape of a backslash and `byte` decodes to, or `None` if JSON does not define
/// the escape.
#[inline]
pub(crate) fn unescape(byte: u8) -> Option<u8> {
    Some(match byte {
        b'n' => b'\n',
        b'"' | b'\\' | b'/' => byte,
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 8,
        b'f' => 12,
        _ => return None,
    })
}

/// Decodes a complete, valid `\u` escape. Returns its character and the length of its digits (and of the
/// second escape of a pair). Returns `None` for all other input, which the byte-wise states handle.
#[inline]
pub(crate) fn whole_hex(bytes: &[u8]) -> Option<(char, usize)> {
    let (digits, after) = bytes.split_first_chunk::<4>()?;
    let unit = unit_of(*digits)?;
    if let Some(character) = char::from_u32(u32::from(unit)) {
        return Some((character, 4));
    }
    let ([b'\\', b'u', digits @ ..], _) = after.split_first_chunk::<6>()? else { return None };
    Some((pair(unit, unit_of(*digits)?)?, 10))
}

/// Combines a high and a low surrogate into a character.
#[inline]
fn pair(high: u16, low: u16) -> Option<char> {
    char::decode_utf16([high, low]).next()?.ok()
}

/// Parses four hexadecimal digits.
#[inline]
fn unit_of(digits: [u8; 4]) -> Option<u16> {
    let [a, b, c, d] = digits.map(|byte| DIGITS.get(usize::from(byte)).copied().unwrap_or(NO_DIGIT));
    // `NO_DIGIT` has bits above the four that a digit fills.
    let is_right = (a | b | c | d) < 0x10;
    is_right.then_some(u16::from(a) << 12 | u16::from(b) << 8 | u16::from(c) << 4 | u16::from(d))
}

const NO_DIGIT: u8 = 0xFF;

/// Maps each byte to its value as a hexadecimal digit, or to `NO_DIGIT`.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler, which refuses an index outside")]
const DIGITS: [u8; 256] = {
    let mut table = [NO_DIGIT; 256];
    let mut value = 0u8;
    while value < 16 {
        let (lower, upper) = if value < 10 { (b'0', b'0') } else { (b'a' - 10, b'A' - 10) };
        table[(lower + value) as usize] = value;
        table[(upper + value) as usize] = value;
        value += 1;
    }
    table
};
