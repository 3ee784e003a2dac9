//! Finds the end of a run of plain text in a string.

use memchr::memchr2;

/// After so many plain bytes a call of `memchr` pays.
const LONG: usize = 48;
/// How far `memchr` looks ahead of what has been seen to hold no control character.
const WINDOW: usize = 512;

/// The length of the run before the first quote, backslash or control character of `rest`, the end of `bytes`.
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

/// Fewer than eight bytes, the end of `bytes`, and zeros. The zeros count as stops, so a run ends with the bytes.
#[inline]
fn last_word(bytes: &[u8], rest: &[u8]) -> u64 {
    match bytes.last_chunk::<8>() {
        // The word that reaches back is shifted to begin with `rest`.
        Some(word) => u64::from_le_bytes(*word) >> (8usize.wrapping_sub(rest.len()).wrapping_mul(8) & 63),
        None => short_word(rest),
    }
}

/// The run at the start of fewer than eight bytes.
#[inline]
pub(crate) fn short_run(bytes: &[u8]) -> usize {
    first_stop(stops_in(short_word(bytes)))
}

/// Fewer than eight bytes, and zeros.
#[inline]
fn short_word(bytes: &[u8]) -> u64 {
    if let (Some(low), Some(high)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        // The halves overlap by what is missing to eight bytes.
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

/// The length of a run of plain text that has gone on for a while.
#[inline(never)]
fn long_run(bytes: &[u8]) -> usize {
    let mut length = 0usize;
    for window in bytes.chunks(WINDOW) {
        let quoted = memchr2(b'"', b'\\', window).unwrap_or(window.len());
        let run = window.get(..quoted).unwrap_or_default();
        // Without a branch inside, this is a vector loop.
        let controls = run.iter().fold(0u8, |seen, &byte| seen | u8::from(byte < 0x20));
        let plain = if controls == 0 { quoted } else { run.iter().take_while(|&&byte| byte >= 0x20).count() };
        length = length.wrapping_add(plain);
        if plain < window.len() {
            break;
        }
    }
    length
}

/// A set top bit in each byte that is a quote, a backslash or a control character; bytes above the lowest
/// such byte may be marked wrongly, because of the borrow.
///
/// All stops are ASCII, so one look at the top bits of the word itself rules everything else out of the
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
