//! The property of path rules over many inputs; the fuzz target finds more.

use windlass_testkit::oracle;

#[test]
fn path_rules_hold_for_many_trees() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..1_500 {
        let bytes: Vec<u8> = (0..40)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state.to_le_bytes()[3]
            })
            .collect();
        oracle::path_rules(&bytes);
    }
}
