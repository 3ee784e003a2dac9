//! One line of a stream: the WHATWG field grammar.

/// A line without its end, split into field name and value.
pub(crate) enum Line<'a> {
    Blank,
    Comment(&'a [u8]),
    Data(&'a [u8]),
    Event(&'a [u8]),
    Id(&'a [u8]),
    Retry(&'a [u8]),
    Unknown,
}

impl<'a> Line<'a> {
    pub(crate) fn read(line: &'a [u8]) -> Self {
        // Most lines that are carried over from an earlier push are data, so check this prefix before
        // searching for a colon.
        if let Some(value) = line.strip_prefix(b"data:") {
            return Self::Data(strip_space(value));
        }
        match line {
            [] => return Self::Blank,
            [b':', comment @ ..] => return Self::Comment(comment),
            _ => {}
        }
        let (name, value) = match memchr::memchr(b':', line).and_then(|at| line.split_at_checked(at)) {
            Some((name, [_, value @ ..])) => (name, strip_space(value)),
            _ => (line, &[][..]),
        };
        match name {
            b"data" => Self::Data(value),
            b"event" => Self::Event(value),
            b"id" => Self::Id(value),
            b"retry" => Self::Retry(value),
            _ => Self::Unknown,
        }
    }
}

/// Removes one space after the colon, which belongs to the format; a second space is part of the value.
#[inline]
pub(crate) fn strip_space(value: &[u8]) -> &[u8] {
    value.strip_prefix(b" ").unwrap_or(value)
}

/// Parses a value that consists of digits only. Returns `None` for any other value and on overflow; the field
/// is then ignored.
pub(crate) fn milliseconds(value: &[u8]) -> Option<u64> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return None;
    }
    core::str::from_utf8(value).ok()?.parse().ok()
}
