//! What holds of any text.

use proptest::prelude::*;
use windlass_command::{Command, Effects, Redirection, Scan};

use crate::generator::Generator;

/// Nothing panics; what is accepted and written again is read as the same; the scan finds every program of it.
#[track_caller]
fn check(text: &str) {
    let scan = Scan::of(text);
    let Ok(command) = Command::parse(text) else { return };
    let again = command.to_string();
    assert_eq!(Command::parse(&again), Ok(command.clone()), "{text:?} became {again:?}");
    for simple in command.commands() {
        assert!(scan.runs(&[simple.program()]), "the scan of {text:?} misses {}", simple.program());
        for redirection in simple.redirections() {
            if let Redirection::Write { path, .. } | Redirection::Append { path, .. } = redirection {
                assert!(scan.writes().contains(path), "the scan of {text:?} misses {path:?}");
            }
        }
    }
    let effects = command.effects();
    assert!(effects.programs().len() >= command.commands().len());
}

#[test]
fn the_properties_hold_for_nasty_strings() {
    let mut generator = Generator::new(77);
    for _ in 0..20_000 {
        check(&generator.string());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_properties_hold_for_any_text(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn effects_of_any_words_do_not_panic(
        program in "(find|sed|git|ls|sort|grep|env|sh|timeout|nice|cp|chmod|date|uniq|[a-z]{0,3})",
        words in prop::collection::vec("[-a-z0-9=,.;$%é ]{0,6}", 0..6),
    ) {
        let argv: Vec<String> = std::iter::once(program).chain(words).collect();
        let _ = Effects::of_argv(&argv);
        let _ = Scan::of_argv(&argv);
    }
}
