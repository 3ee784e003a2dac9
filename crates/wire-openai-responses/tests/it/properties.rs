//! What must be true of any bytes.

use windlass_testkit::oracle;
use windlass_testkit::split::SplitMix64;

use crate::decode::FIXTURES;

// S14
#[test]
fn broken_streams_never_panic_and_read_the_same_however_they_are_split() {
    let mut random = SplitMix64::new(1);
    for fixture in FIXTURES {
        oracle::wire_openai_responses(fixture.stream);
        for _ in 0..40 {
            let mut bytes = fixture.stream.to_vec();
            for _ in 0..random.between(1, 4) {
                let at = random.between(0, bytes.len() - 1);
                match random.between(0, 3) {
                    0 => bytes[at] = u8::try_from(random.between(0, 255)).unwrap(),
                    1 => bytes.truncate(at.max(1)),
                    2 => drop(bytes.drain(at..(at + random.between(1, 9)).min(bytes.len() - 1).max(at))),
                    _ => bytes.insert(at, random.pick(b"{}[]\",:\n\r\\ud0")),
                }
            }
            oracle::wire_openai_responses(&bytes);
        }
    }
}
