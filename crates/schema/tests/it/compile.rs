//! Schemas in every dialect: the properties of `testkit`'s oracle on many drawn schemas (N5, N6).

use proptest::prelude::*;
use windlass_testkit::oracle::schema_compile;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_schema_is_legal_and_means_the_same_where_no_loss_is_told(
        bytes in proptest::collection::vec(any::<u8>(), 0..160),
    ) {
        // A first byte that no JSON has makes the rest a recipe.
        let recipe = [&[0xff], bytes.as_slice()].concat();
        schema_compile(&recipe);
    }
}
