//! Detection of a file's character encoding.

use std::fmt;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, WINDOWS_1252};

/// Window of bytes that the detector reads. It starts `LEAD_BYTES` before the first non-ASCII byte.
const LOOKED_BYTES: usize = 256 * 1024;
const LEAD_BYTES: usize = 1024;
/// Minimum run of non-ASCII bytes that rules out Western text, in which accented letters occur between ASCII
/// letters.
const FOREIGN_RUN: usize = 4;
/// Bytes that are undefined in Windows-1252.
const UNDEFINED: [u8; 5] = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

/// Character encoding of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Charset {
    /// UTF-8, with or without a BOM.
    Utf8,
    /// UTF-16, little endian, with a BOM.
    Utf16Le,
    /// UTF-16, big endian, with a BOM.
    Utf16Be,
    /// Windows-1252, a superset of the printable part of Latin-1.
    Windows1252,
    /// Any other encoding. Only its ASCII characters can be read reliably.
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

/// Returns the most likely encoding of bytes that are neither UTF-8 nor UTF-16.
pub(crate) fn guess(bytes: &[u8]) -> &'static Encoding {
    let first = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let rest = bytes.get(first.saturating_sub(LEAD_BYTES)..).unwrap_or(bytes);
    let looked = rest.get(..LOOKED_BYTES).unwrap_or(rest);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(looked, looked.len() == rest.len());
    detector.guess(None, Utf8Detection::Deny)
}

/// Returns true if the bytes are Windows-1252 with enough certainty to write further letters in it. The
/// detector falls back to Windows-1252 for unknown input, so this also checks the bytes themselves.
pub(crate) fn is_western(bytes: &[u8]) -> bool {
    let plain = |byte: u8| !UNDEFINED.contains(&byte) && !is_odd(byte);
    let foreign = bytes.windows(FOREIGN_RUN).any(|run| run.iter().all(|byte| !byte.is_ascii()));
    !foreign && bytes.iter().all(|byte| plain(*byte)) && guess(bytes) == WINDOWS_1252
}

/// Returns true for a control character that does not occur in text.
pub(crate) fn is_odd(byte: u8) -> bool {
    byte.is_ascii_control() && !b"\t\n\r\x0c\x08\x1b".contains(&byte)
}
