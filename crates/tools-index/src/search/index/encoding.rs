//! Encoding of numbers as LEB128, and of bytes with their length.

/// Appends a number in groups of seven bits, the lowest first.
pub(super) fn push_number(out: &mut Vec<u8>, mut number: u64) {
    loop {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        if number == 0 {
            out.push(low & 0x7f);
            return;
        }
        out.push(low | 0x80);
    }
}

/// Appends bytes after their length.
pub(super) fn push_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    push_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Removes a number from the start. Returns `None` if the bytes do not begin with one.
pub(super) fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    let mut shift = 0_u32;
    while shift < u64::BITS {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(first & 0x7f) << shift;
        if *first < 0x80 {
            return Some(number);
        }
        shift = shift.saturating_add(7);
    }
    None
}

/// Removes a number of at most 32 bits.
pub(super) fn take_small(bytes: &mut &[u8]) -> Option<u32> {
    u32::try_from(take_number(bytes)?).ok()
}

/// Removes bytes that follow their length.
pub(super) fn take_bytes<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let len = usize::try_from(take_number(bytes)?).ok()?;
    let (taken, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    Some(taken)
}

/// Removes a text that follows its length.
pub(super) fn take_text<'b>(bytes: &mut &'b [u8]) -> Option<&'b str> {
    std::str::from_utf8(take_bytes(bytes)?).ok()
}

/// Returns a count of things in memory as 32 bits. More than four billion do not occur: a file has at most
/// a megabyte, and a workspace 100,000 files.
pub(super) fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{push_bytes, push_number, take_bytes, take_number};

    proptest! {
        #[test]
        fn numbers_and_bytes_are_read_as_written(numbers: Vec<u64>, text: Vec<u8>) {
            let mut out = Vec::new();
            for number in &numbers {
                push_number(&mut out, *number);
            }
            push_bytes(&mut out, &text);
            let mut rest = out.as_slice();
            for number in numbers {
                prop_assert_eq!(take_number(&mut rest), Some(number));
            }
            prop_assert_eq!(take_bytes(&mut rest), Some(text.as_slice()));
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes: Vec<u8>) {
            let mut rest = bytes.as_slice();
            while take_bytes(&mut rest).is_some() {}
        }
    }
}
