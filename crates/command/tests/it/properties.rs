//! Properties of any text.

use proptest::prelude::*;
use windlass_command::{Effects, Scan};
use windlass_testkit::oracle;

use crate::generator::Generator;

#[test]
fn the_properties_hold_for_nasty_strings() {
    let mut generator = Generator::new(77);
    for _ in 0..20_000 {
        oracle::command(generator.string().as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_properties_hold_for_any_text(text in any::<String>()) {
        oracle::command(text.as_bytes());
    }

    // security 9
    #[test]
    fn the_work_for_a_command_is_bounded_by_its_length(
        times in 0_u8..9,
        shape in prop_oneof![
            "(xargs|git|find|sudo|env|bash|sh|rm|python3|foo|docker) (-z |-c |a=b |-exec |run |foreach |-S |--x=y |'a b' ){0,3}",
            "[-a-z$(){}|;&<>'`*? =]{1,12}",
            any::<String>(),
        ],
    ) {
        let mut bytes = vec![times];
        bytes.extend(shape.as_bytes());
        oracle::command_work(&bytes);
    }

    #[test]
    fn effects_of_any_argv_do_not_panic(
        program in "(find|sed|git|ls|sort|grep|env|sh|timeout|nice|cp|chmod|date|uniq|[a-z]{0,3})",
        words in prop::collection::vec("[-a-z0-9=,.;$%é ]{0,6}", 0..6),
    ) {
        let argv: Vec<String> = std::iter::once(program).chain(words).collect();
        let _ = Effects::from_argv(&argv);
        let _ = Scan::scan_argv(&argv);
    }
}
