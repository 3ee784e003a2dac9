//! Properties of any sequence of chunks.

use windlass_testkit::{oracle, split::SplitMix64};

#[test]
fn any_sequence_of_chunks_ends_each_call_once() {
    let mut random = SplitMix64::new(1);
    for _ in 0..4000 {
        let length = random.in_range(0, 60);
        let bytes: Vec<u8> = (0..length).map(|_| u8::try_from(random.in_range(0, 255)).unwrap()).collect();
        oracle::assemble(&bytes);
    }
}
