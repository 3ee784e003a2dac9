//! Standard base64 (RFC 4648). Text documents arrive from clients as plain text, and `File` stores base64, so
//! both directions are needed. The code is here because a base64 crate would be one more dependency for a few
//! lines.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes `bytes` as padded base64.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3).saturating_mul(4));
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = (byte(0) << 16) | (byte(1) << 8) | byte(2);
        for at in 0..4_usize {
            let shift = 18_usize.saturating_sub(at.saturating_mul(6));
            let index = usize::try_from((bits >> shift) & 63).unwrap_or(0);
            let letter = ALPHABET.get(index).copied().unwrap_or(b'=');
            text.push(if at > group.len() { '=' } else { char::from(letter) });
        }
    }
    text
}

/// Decodes base64 into text. Returns `None` if the input is not base64 or the decoded bytes are not UTF-8.
pub(crate) fn decode_text(base64: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(base64.len());
    let (mut bits, mut count) = (0_u32, 0_u32);
    for letter in base64.trim_end_matches('=').bytes() {
        let value = ALPHABET.iter().position(|known| *known == letter)?;
        bits = (bits << 6) | u32::try_from(value).ok()?;
        count = count.saturating_add(6);
        if count >= 8 {
            count = count.saturating_sub(8);
            bytes.push(u8::try_from((bits >> count) & 0xFF).ok()?);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests;
