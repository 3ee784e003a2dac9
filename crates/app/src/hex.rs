//! Bytes as hexadecimal digits.

use std::fmt::Write as _;

/// Returns bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Returns the first 16 bytes of a digest as hexadecimal digits.
pub(crate) fn short_hex(digest: &[u8]) -> String {
    hex(digest.get(..16).unwrap_or(digest))
}
