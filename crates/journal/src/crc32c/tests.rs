//! Known checksums, and the definition bit by bit.

use super::{POLYNOMIAL, crc32c};

/// The checksum as it is defined.
fn slow(bytes: &[u8]) -> u32 {
    let mut sum = !0_u32;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ POLYNOMIAL } else { sum >> 1 };
        }
    }
    !sum
}

#[test]
fn the_checksums_of_rfc_3720_are_right() {
    assert_eq!(crc32c(b""), 0);
    assert_eq!(crc32c(b"123456789"), 0xe306_9283);
    assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
    assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
    let rising: Vec<u8> = (0..32).collect();
    assert_eq!(crc32c(&rising), 0x46dd_794e);
}

#[test]
fn every_length_and_alignment_follows_the_definition() {
    let bytes: Vec<u8> =
        (0..200_u32).map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()[3]).collect();
    for start in 0..9 {
        for end in start..bytes.len() {
            assert_eq!(crc32c(&bytes[start..end]), slow(&bytes[start..end]), "{start}..{end}");
        }
    }
}
