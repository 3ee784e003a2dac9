//! The property of the cache of encoded histories over many conversations; the fuzz target finds more.

use proptest::prelude::*;
use windlass_testkit::oracle;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    // N6
    #[test]
    fn cached_encodings_equal_fresh_encodings(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        oracle::encoded_history(&bytes);
    }
}
