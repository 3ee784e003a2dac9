//! Call ids in the form that a server accepts (RULES P1).

use std::borrow::Cow;

use crate::CallIds;

const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Returns the id in the given form: unchanged if it has that form, otherwise a hash of it.
pub(crate) fn wire_id(form: CallIds, id: &str) -> Cow<'_, str> {
    let is_legal = match form {
        CallIds::Any => true,
        CallIds::AtMostForty => id.chars().count() <= 40,
        CallIds::NineAlphanumerics => id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
    };
    if is_legal {
        return Cow::Borrowed(id);
    }
    let letters = if form == CallIds::NineAlphanumerics { 9 } else { 11 };
    let mut rest = fnv1a(id);
    let hash: String = (0..letters)
        .map(|_| {
            let at = usize::try_from(rest % 62).unwrap_or(0);
            rest /= 62;
            LETTERS.get(at).copied().map_or('0', char::from)
        })
        .collect();
    Cow::Owned(if form == CallIds::NineAlphanumerics { hash } else { format!("call_{hash}") })
}

/// Hashes `text` with FNV-1a (64 bits), which gives the same value in every process.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}
