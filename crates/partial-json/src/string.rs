//! Strings and keys: runs of plain text, and escapes that may be cut anywhere.

use memchr::memchr2;

use crate::ErrorKind;
use crate::cursor::Cursor;
use crate::document::narrow;
use crate::parser::{Parser, State};

/// Where in an escape the text stands. A half escape, and a high surrogate whose partner may still come, are
/// held here and not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escape {
    /// In plain text.
    None,
    /// After a backslash; `high` is the surrogate before it, or 0.
    Backslash { high: u16 },
    /// After `\u` and `count` digits.
    Hex { high: u16, digits: [u8; 4], count: u8 },
    /// After a high surrogate.
    High(u16),
}

/// Below this length of a run, looking at eight bytes at a time beats a call of `memchr`.
const SHORT: usize = 32;
/// How far `memchr` looks ahead of what has been seen to hold no control character.
const WINDOW: usize = 512;

impl Parser {
    pub(crate) fn read_text(&mut self, escape: Escape, cursor: &mut Cursor<'_>) {
        match escape {
            Escape::None => self.read_plain(cursor),
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

    fn read_plain(&mut self, cursor: &mut Cursor<'_>) {
        loop {
            let run = plain_run(cursor.bytes());
            if run > 0 {
                self.document.text.push_str(cursor.take(run));
            }
            match cursor.peek() {
                None => return,
                Some(b'"') => {
                    cursor.bump();
                    self.end_text();
                    return;
                }
                Some(b'\\') => {
                    cursor.bump();
                    let Some((character, length)) = whole_escape(cursor.bytes()) else {
                        self.state = State::Text(Escape::Backslash { high: 0 });
                        return;
                    };
                    cursor.take(length);
                    self.document.text.push(character);
                }
                Some(_) => {
                    self.forgive(ErrorKind::ControlCharacter, cursor.len());
                    self.document.text.push_str(cursor.take(1));
                }
            }
        }
    }

    fn end_text(&mut self) {
        if let Some(key) = &mut self.key {
            key.end = self.document.text_end();
            self.state = State::Colon;
        } else {
            self.complete_open(narrow(self.document.records.len().saturating_sub(1)));
            self.after_value();
        }
    }

    fn read_escaped(&mut self, high: u16, cursor: &mut Cursor<'_>) {
        let Some(byte) = cursor.peek() else { return };
        if byte == b'u' {
            cursor.bump();
            self.state = State::Text(Escape::Hex { high, digits: [0; 4], count: 0 });
            return;
        }
        if high != 0 {
            self.replace_surrogate(cursor.len().saturating_add(1));
        }
        self.state = State::Text(Escape::None);
        if let Some(character) = unescaped(byte) {
            cursor.bump();
            self.document.text.push(character);
        } else {
            self.forgive(ErrorKind::UnknownEscape, cursor.len().saturating_add(1));
            self.document.text.push('\\');
        }
    }

    fn read_hex(&mut self, high: u16, mut digits: [u8; 4], mut count: u8, cursor: &mut Cursor<'_>) {
        while let Some(byte) = cursor.peek() {
            let Some(slot) = digits.get_mut(usize::from(count)).filter(|_| byte.is_ascii_hexdigit()) else {
                break;
            };
            *slot = byte;
            count = count.saturating_add(1);
            cursor.bump();
        }
        let shown = digits.get(..usize::from(count)).and_then(|digits| std::str::from_utf8(digits).ok());
        let shown = shown.unwrap_or_default();
        // The backslash, the `u` and the digits lie before what is left of the push.
        let left = cursor.len().saturating_add(2).saturating_add(shown.len());
        if count == 4 {
            let unit = u16::from_str_radix(shown, 16).unwrap_or_default();
            self.state = State::Text(self.take_unit(high, unit, left));
        } else if cursor.len() > 0 {
            if high != 0 {
                self.replace_surrogate(left);
            }
            self.forgive(ErrorKind::UnknownEscape, left);
            self.document.text.push_str("\\u");
            self.document.text.push_str(shown);
            self.state = State::Text(Escape::None);
        } else {
            self.state = State::Text(Escape::Hex { high, digits, count });
        }
    }

    /// Takes one UTF-16 unit whose escape began `left` bytes before the end of the push.
    fn take_unit(&mut self, high: u16, unit: u16, left: usize) -> Escape {
        if high != 0 {
            if let Some(Ok(character)) = char::decode_utf16([high, unit]).next() {
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

    /// Shows U+FFFD for half a pair, whose escape ended `left` bytes before the end of the push.
    fn replace_surrogate(&mut self, left: usize) {
        let offset = self.read.saturating_sub(left).saturating_sub(6);
        self.note(ErrorKind::LoneSurrogate, offset);
        self.document.text.push(char::REPLACEMENT_CHARACTER);
    }

    fn forgive(&mut self, kind: ErrorKind, left: usize) {
        self.forgiven = self.forgiven.saturating_add(1);
        let offset = self.read.saturating_sub(left);
        self.note(kind, offset);
    }
}

fn unescaped(byte: u8) -> Option<char> {
    Some(match byte {
        b'n' => '\n',
        b'"' => '"',
        b'\\' => '\\',
        b't' => '\t',
        b'/' => '/',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        _ => return None,
    })
}

/// The character of an escape that has come whole and is right, and its length after the backslash.
/// Everything else is left to the states, which stop anywhere.
#[inline]
fn whole_escape(bytes: &[u8]) -> Option<(char, usize)> {
    let (first, after) = bytes.split_first()?;
    if *first != b'u' {
        return Some((unescaped(*first)?, 1));
    }
    let (digits, after) = after.split_first_chunk::<4>()?;
    let unit = hex(*digits)?;
    if let Some(character) = char::from_u32(unit) {
        return Some((character, 5));
    }
    let (digits, _) = after.strip_prefix(b"\\u")?.split_first_chunk::<4>()?;
    let pair = [u16::try_from(unit).ok()?, u16::try_from(hex(*digits)?).ok()?];
    Some((char::decode_utf16(pair).next()?.ok()?, 11))
}

#[inline]
fn hex(digits: [u8; 4]) -> Option<u32> {
    let mut unit = 0;
    for digit in digits {
        unit = (unit << 4) | char::from(digit).to_digit(16)?;
    }
    Some(unit)
}

/// The length of the run before the first quote, backslash or control character.
#[inline]
fn plain_run(bytes: &[u8]) -> usize {
    let mut length = 0usize;
    let mut rest = bytes;
    while let Some((word, after)) = rest.split_first_chunk::<8>() {
        let stops = stops_in(u64::from_le_bytes(*word));
        if stops != 0 {
            return length.wrapping_add(first_stop(stops));
        }
        length = length.wrapping_add(8);
        rest = after;
        if length >= SHORT && rest.len() >= SHORT {
            let window = rest.get(..WINDOW).unwrap_or(rest);
            let run = long_run(window);
            length = length.wrapping_add(run);
            if run < window.len() {
                return length;
            }
            rest = rest.get(run..).unwrap_or_default();
        }
    }
    length.wrapping_add(short_run(bytes, rest.len()))
}

/// The length of the run in the last `tail` bytes, fewer than eight, of which none before is a stop.
#[inline]
fn short_run(bytes: &[u8], tail: usize) -> usize {
    if let Some(word) = bytes.last_chunk::<8>() {
        // The word reaches back over bytes that are known to be plain, which its low end shifts out.
        let known = 8usize.wrapping_sub(tail).wrapping_mul(8) & 63;
        let stops = stops_in(u64::from_le_bytes(*word)) >> known;
        return if tail == 0 || stops == 0 { tail } else { first_stop(stops) };
    }
    if let (Some(low), Some(high)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let word = (u64::from(u32::from_le_bytes(*high)) << 32) | u64::from(u32::from_le_bytes(*low));
        let stops = stops_in(word);
        let at = first_stop(stops);
        // The halves overlap by what is missing to eight bytes.
        let at = if at < 4 { at } else { at.wrapping_add(tail).wrapping_sub(8) };
        return if stops == 0 { tail } else { at };
    }
    bytes.iter().take_while(|&&byte| !matches!(byte, b'"' | b'\\' | 0..0x20)).count()
}

fn long_run(window: &[u8]) -> usize {
    let quoted = memchr2(b'"', b'\\', window).unwrap_or(window.len());
    let run = window.get(..quoted).unwrap_or_default();
    // Without a branch inside, this is a vector loop.
    let controls = run.iter().fold(0u8, |seen, &byte| seen | u8::from(byte < 0x20));
    if controls == 0 { run.len() } else { run.iter().take_while(|&&byte| byte >= 0x20).count() }
}

/// A set top bit in each byte that is a quote, a backslash or a control character; bytes above the lowest
/// such byte may be marked wrongly, because of the borrow.
#[inline]
fn stops_in(word: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const TOPS: u64 = u64::from_le_bytes([0x80; 8]);
    const QUOTES: u64 = u64::from_le_bytes([b'"'; 8]);
    const BACKSLASHES: u64 = u64::from_le_bytes([b'\\'; 8]);
    const SPACES: u64 = u64::from_le_bytes([0x20; 8]);
    let quote = word ^ QUOTES;
    let backslash = word ^ BACKSLASHES;
    let quote = quote.wrapping_sub(ONES) & !quote;
    let backslash = backslash.wrapping_sub(ONES) & !backslash;
    let control = word.wrapping_sub(SPACES) & !word;
    (quote | backslash | control) & TOPS
}

#[inline]
fn first_stop(stops: u64) -> usize {
    usize::try_from(stops.trailing_zeros() / 8).unwrap_or(0)
}
