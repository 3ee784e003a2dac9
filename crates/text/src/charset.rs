//! Which encoding a file's bytes are in, as far as that is sure.

use std::fmt;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, WINDOWS_1252};

/// How much of a file the detector looks at, from shortly before the first byte that is no ASCII.
const LOOKED_BYTES: usize = 256 * 1024;
const LEAD_BYTES: usize = 1024;
/// So many bytes in a row that are no ASCII are no Western text: there accents stand between plain letters.
const FOREIGN_RUN: usize = 4;
/// Bytes that Windows-1252 gives no meaning.
const UNDEFINED: [u8; 5] = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

/// The encoding of a file's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Charset {
    /// UTF-8, with or without a mark at the start.
    Utf8,
    /// UTF-16, the low byte first, with a mark at the start.
    Utf16Le,
    /// UTF-16, the high byte first, with a mark at the start.
    Utf16Be,
    /// Windows-1252, of which Latin-1 texts are a part.
    Windows1252,
    /// Another one, which nobody named: only its ASCII is sure.
    Unknown,
}

impl fmt::Display for Charset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le => "UTF-16LE",
            Self::Utf16Be => "UTF-16BE",
            Self::Windows1252 => "Windows-1252",
            Self::Unknown => "an unknown encoding",
        })
    }
}

/// The likeliest encoding of what is neither UTF-8 nor UTF-16.
pub(crate) fn guess(bytes: &[u8]) -> &'static Encoding {
    let first = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let rest = bytes.get(first.saturating_sub(LEAD_BYTES)..).unwrap_or(bytes);
    let looked = rest.get(..LOOKED_BYTES).unwrap_or(rest);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(looked, looked.len() == rest.len());
    detector.guess(None, Utf8Detection::Deny)
}

/// Whether it is so surely Windows-1252 that letters may be added to it. The detector falls back to it where it
/// knows nothing, so the bytes have to look like it too.
pub(crate) fn is_western(bytes: &[u8]) -> bool {
    let plain = |byte: u8| !UNDEFINED.contains(&byte) && !is_odd(byte);
    let foreign = bytes.windows(FOREIGN_RUN).any(|run| run.iter().all(|byte| !byte.is_ascii()));
    !foreign && bytes.iter().all(|byte| plain(*byte)) && guess(bytes) == WINDOWS_1252
}

/// A control character that no text has.
pub(crate) fn is_odd(byte: u8) -> bool {
    byte.is_ascii_control() && !b"\t\n\r\x0c\x08\x1b".contains(&byte)
}
