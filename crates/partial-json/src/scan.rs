//! Search for the end of a run of plain text in a string.

use memchr::memchr2;

/// Run length in bytes from which calling `memchr` is faster than the word loop.
const LONG: usize = 48;
/// Number of bytes that one `memchr` call searches, so that it does not run far past a control character.
const WINDOW: usize = 512;

/// Returns the length of the run before the first quote, backslash or control character of `rest`, which must
/// be the tail of `bytes`.
#[inline]
pub(crate) fn plain_run(bytes: &[u8], mut rest: &[u8]) -> usize {
    let mut length = 0usize;
    loop {
        let (word, after) = match rest.split_first_chunk::<8>() {
            Some((word, after)) => (u64::from_le_bytes(*word), after),
            None if rest.is_empty() => return length,
            None => (last_word(bytes, rest), rest),
        };
        let stops = stops_in(word);
        if stops != 0 {
            return length.wrapping_add(first_stop(stops));
        }
        length = length.wrapping_add(8);
        rest = after;
        if length >= LONG {
            return length.wrapping_add(long_run(rest));
        }
    }
}

/// Loads fewer than eight bytes, the tail of `bytes`, padded with zeros. The zeros count as stops, so a run
/// ends at the end of the bytes.
#[inline]
fn last_word(bytes: &[u8], rest: &[u8]) -> u64 {
    match bytes.last_chunk::<8>() {
        // The last eight bytes of `bytes` include bytes before `rest`; the shift removes those.
        Some(word) => u64::from_le_bytes(*word) >> (8usize.wrapping_sub(rest.len()).wrapping_mul(8) & 63),
        None => short_word(rest),
    }
}

/// Returns the length of the plain run at the start of fewer than eight bytes.
#[inline]
pub(crate) fn short_run(bytes: &[u8]) -> usize {
    first_stop(stops_in(short_word(bytes)))
}

/// Loads fewer than eight bytes, padded with zeros.
#[inline]
fn short_word(bytes: &[u8]) -> u64 {
    if let (Some(low), Some(high)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        // Two overlapping loads of four bytes; the shift aligns the second one.
        let shift = bytes.len().wrapping_sub(4).wrapping_mul(8) & 63;
        return u64::from(u32::from_le_bytes(*low)) | (u64::from(u32::from_le_bytes(*high)) << shift);
    }
    match bytes {
        [] => 0,
        [a] => u64::from(*a),
        [a, b] => u64::from(u16::from_le_bytes([*a, *b])),
        [a, b, c, ..] => u64::from(u32::from_le_bytes([*a, *b, *c, 0])),
    }
}

/// Continues a long run of plain text with `memchr`, and returns its remaining length.
#[inline(never)]
fn long_run(bytes: &[u8]) -> usize {
    let mut length = 0usize;
    for window in bytes.chunks(WINDOW) {
        let quoted = memchr2(b'"', b'\\', window).unwrap_or(window.len());
        let run = window.get(..quoted).unwrap_or_default();
        // The loop body has no branch, so the compiler vectorises it.
        let controls = run.iter().fold(0u8, |seen, &byte| seen | u8::from(byte < 0x20));
        let plain = if controls == 0 { quoted } else { run.iter().take_while(|&&byte| byte >= 0x20).count() };
        length = length.wrapping_add(plain);
        if plain < window.len() {
            break;
        }
    }
    length
}

/// SWAR search: sets the top bit of each byte of `word` that is a quote, a backslash or a control character.
/// Bytes above the lowest such byte can be marked wrongly, because the subtractions borrow.
///
/// All stops are ASCII, so one mask with the inverted top bits of `word` excludes non-ASCII bytes from all
/// three subtractions.
#[inline]
fn stops_in(word: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const TOPS: u64 = u64::from_le_bytes([0x80; 8]);
    const QUOTES: u64 = u64::from_le_bytes([b'"'; 8]);
    const BACKSLASHES: u64 = u64::from_le_bytes([b'\\'; 8]);
    const SPACES: u64 = u64::from_le_bytes([0x20; 8]);
    let quote = (word ^ QUOTES).wrapping_sub(ONES);
    let backslash = (word ^ BACKSLASHES).wrapping_sub(ONES);
    let control = word.wrapping_sub(SPACES);
    (quote | backslash | control) & !word & TOPS
}

#[inline]
fn first_stop(stops: u64) -> usize {
    usize::try_from(stops.trailing_zeros() / 8).unwrap_or(0)
}
