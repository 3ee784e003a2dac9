//! Decoding of files into text, and encoding of the text into the same bytes.

use std::borrow::Cow;

use encoding_rs::{EncoderResult, Encoding, WINDOWS_1252, X_USER_DEFINED};

use crate::Charset;
use crate::charset::{guess, is_odd, is_western};

const MARK: &str = "\u{feff}";
/// Number of bytes at the start of a file in which `Text::show` searches for zero bytes.
const HEAD_BYTES: usize = 8_192;

/// Decoded text of a file, which encodes to the same bytes again.
///
/// In an unknown encoding each non-ASCII byte is decoded to one character of Unicode's private use area. Text
/// between such bytes can be searched and edited, and the bytes are preserved.
///
/// ```
/// use windlass_text::{Charset, Text};
/// let text = Text::decode(b"\xff\xfec\0a\0f\0\xe9\0")?;
/// assert_eq!((text.charset(), text.body()), (Charset::Utf16Le, "café"));
/// assert_eq!(text.encode("thé")?, b"\xff\xfet\0h\0\xe9\0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text<'b> {
    charset: Charset,
    has_mark: bool,
    body: Cow<'b, str>,
}

/// Text of a file for display only.
///
/// ```
/// use windlass_text::Text;
/// let shown = Text::show(b"\x83e\x83X\x83g\n")?;
/// assert_eq!((&*shown.text, shown.charset.as_str(), shown.is_sure), ("テスト\n", "Shift_JIS", false));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DisplayText<'b> {
    /// Text without its BOM.
    pub text: Cow<'b, str>,
    /// Name of the encoding.
    pub charset: String,
    /// False if the encoding is a guess.
    pub is_sure: bool,
}

/// Reason why bytes cannot be decoded as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotText {
    /// They contain bytes that do not occur in text.
    #[error("a binary file")]
    Binary,
    /// They start with a UTF-16 BOM and are not valid UTF-16.
    #[error("not complete UTF-16 text, although it begins as such (byte {at})")]
    Utf16 {
        /// Offset of the first invalid byte.
        at: usize,
    },
    /// They start with a UTF-32 BOM.
    #[error("UTF-32 text, which is not supported")]
    Utf32,
    /// Even the most likely encoding cannot decode them.
    #[error("not text in UTF-8 (byte {at}) or another known encoding")]
    Unknown {
        /// Offset of the first byte that is not UTF-8.
        at: usize,
    },
}

/// Error of [`Text::encode`]: the file's encoding lacks a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{letter}` cannot be written in {charset}")]
#[non_exhaustive]
pub struct Unwritable {
    /// The first such character.
    pub letter: char,
    /// Encoding of the file.
    pub charset: Charset,
}

impl<'b> Text<'b> {
    /// Decodes the content of a file that will be written back.
    ///
    /// # Errors
    /// If the bytes are binary, UTF-32 or invalid UTF-16.
    pub fn decode(bytes: &'b [u8]) -> Result<Self, NotText> {
        let text = |charset, has_mark, body| Ok(Self { charset, has_mark, body });
        if let Some((charset, units)) = wide(bytes)? {
            return text(charset, true, Cow::Owned(units));
        }
        if bytes.contains(&0) {
            return Err(NotText::Binary);
        }
        if let Ok(whole) = std::str::from_utf8(bytes) {
            let body = whole.strip_prefix(MARK).unwrap_or(whole);
            return text(Charset::Utf8, body.len() < whole.len(), Cow::Borrowed(body));
        }
        let (charset, encoding) = if is_western(bytes) {
            (Charset::Windows1252, WINDOWS_1252)
        } else {
            (Charset::Unknown, X_USER_DEFINED)
        };
        text(charset, false, encoding.decode_without_bom_handling(bytes).0)
    }

    /// Decodes the content of a file for display only. Uses the most likely encoding if none is certain.
    ///
    /// # Errors
    /// If the bytes are not text, or the most likely encoding cannot decode them.
    pub fn show(bytes: &'b [u8]) -> Result<DisplayText<'b>, NotText> {
        let shown =
            |text, charset: &str, is_sure| Ok(DisplayText { text, charset: charset.to_owned(), is_sure });
        if let Some((charset, units)) = wide(bytes)? {
            return shown(Cow::Owned(units), &charset.to_string(), true);
        }
        if bytes.iter().take(HEAD_BYTES).any(|byte| *byte == 0) {
            return Err(NotText::Binary);
        }
        let at = match std::str::from_utf8(bytes) {
            Ok(whole) => {
                let body = whole.strip_prefix(MARK).unwrap_or(whole);
                return shown(Cow::Borrowed(body), "UTF-8", true);
            }
            Err(error) => error.valid_up_to(),
        };
        if bytes.iter().any(|byte| is_odd(*byte)) {
            return Err(NotText::Binary);
        }
        let (encoding, is_sure) =
            if is_western(bytes) { (WINDOWS_1252, true) } else { (guess(bytes), false) };
        let (text, has_errors) = encoding.decode_without_bom_handling(bytes);
        if has_errors { Err(NotText::Unknown { at }) } else { shown(text, name(encoding), is_sure) }
    }

    /// Returns the encoding.
    pub fn charset(&self) -> Charset {
        self.charset
    }

    /// Returns the text without its BOM.
    pub fn body(&self) -> &str {
        &self.body
    }

    /// Returns true if the file starts with a BOM.
    pub fn has_mark(&self) -> bool {
        self.has_mark
    }

    /// Encodes another text in this file's encoding, with a BOM if the file has one.
    ///
    /// # Errors
    /// If the encoding lacks a character. An unknown encoding accepts only ASCII and the characters that
    /// [`Text::decode`] made of its own bytes.
    pub fn encode(&self, body: &str) -> Result<Vec<u8>, Unwritable> {
        let mark = if self.has_mark { MARK } else { "" };
        match self.charset {
            Charset::Utf8 => Ok([mark, body].concat().into_bytes()),
            Charset::Utf16Le => Ok(units(mark, body).flat_map(u16::to_le_bytes).collect()),
            Charset::Utf16Be => Ok(units(mark, body).flat_map(u16::to_be_bytes).collect()),
            Charset::Windows1252 => {
                narrow(WINDOWS_1252, body).map_err(|letter| Unwritable { letter, charset: self.charset })
            }
            Charset::Unknown => {
                narrow(X_USER_DEFINED, body).map_err(|letter| Unwritable { letter, charset: self.charset })
            }
        }
    }
}

fn name(encoding: &'static Encoding) -> &'static str {
    if encoding == WINDOWS_1252 { "Windows-1252" } else { encoding.name() }
}

fn units<'t>(mark: &'t str, body: &'t str) -> impl Iterator<Item = u16> + 't {
    mark.encode_utf16().chain(body.encode_utf16())
}

/// Decodes bytes that start with a UTF-16 BOM. Returns `None` for bytes without one.
fn wide(bytes: &[u8]) -> Result<Option<(Charset, String)>, NotText> {
    let (charset, rest) = match bytes {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => return Err(NotText::Utf32),
        [0xff, 0xfe, rest @ ..] => (Charset::Utf16Le, rest),
        [0xfe, 0xff, rest @ ..] => (Charset::Utf16Be, rest),
        _ => return Ok(None),
    };
    let (pairs, odd) = rest.as_chunks::<2>();
    let unit = |pair: &[u8; 2]| match charset {
        Charset::Utf16Le => u16::from_le_bytes(*pair),
        _ => u16::from_be_bytes(*pair),
    };
    let mut body = String::with_capacity(pairs.len());
    let mut at: usize = 2;
    for letter in char::decode_utf16(pairs.iter().map(unit)) {
        match letter {
            Ok('\0') => return Err(NotText::Binary),
            Ok(letter) => body.push(letter),
            Err(_) => return Err(NotText::Utf16 { at }),
        }
        at = at.saturating_add(letter.map_or(2, |letter| letter.len_utf16().saturating_mul(2)));
    }
    if odd.is_empty() { Ok(Some((charset, body))) } else { Err(NotText::Utf16 { at }) }
}

fn narrow(encoding: &'static Encoding, body: &str) -> Result<Vec<u8>, char> {
    let mut encoder = encoding.new_encoder();
    // Each character of these encodings is one byte.
    let mut bytes = vec![0; body.len()];
    match encoder.encode_from_utf8_without_replacement(body, &mut bytes, true) {
        (EncoderResult::Unmappable(letter), ..) => Err(letter),
        (_, _, written) => {
            bytes.truncate(written);
            Ok(bytes)
        }
    }
}
