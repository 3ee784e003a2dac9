//! The two forms of a streamed response: events, or the plain body that was sent instead.

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// One event of a streamed response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StreamEvent<'a> {
    /// The number of the event, from 1.
    pub number: usize,
    /// The type of the event; `message` if the stream does not specify one.
    pub name: &'a str,
    /// The data of the event.
    pub data: &'a str,
}

/// The kind of a response's body, known at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a stream, or something else")]
pub enum Body {
    /// At least one event.
    Events,
    /// No event: the complete body if it looks like JSON or HTML, otherwise its first bytes.
    Plain(Vec<u8>),
}

/// The form of a response, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Only white space or parts of a byte order mark (BOM) up to now.
    Unknown,
    Events,
    Plain,
}

/// Returns the form of a response that begins with these bytes.
pub(crate) fn detect_form(bytes: &[u8]) -> Form {
    let mut bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes).iter();
    // A BOM can be split between chunks. None of its bytes begins JSON or a field.
    match bytes.find(|byte| !byte.is_ascii_whitespace() && !BYTE_ORDER_MARK.contains(byte)) {
        None => Form::Unknown,
        Some(b'{' | b'[' | b'<') => Form::Plain,
        Some(_) => Form::Events,
    }
}
