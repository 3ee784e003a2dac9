//! Escaping of outside text.

use proptest::prelude::*;
use windlass_screen::{escape_line, escape_text};

#[test]
fn joiners_of_ordinary_text_stay() {
    for text in ["👨\u{200d}👩\u{200d}👧", "می\u{200c}خواهم", "क्\u{200d}ष"] {
        assert_eq!(escape_text(text), text);
    }
    assert_eq!(escape_text("a\u{200d}b"), "a\\u{200d}b");
}

#[test]
fn tabs_reach_the_next_stop() {
    assert_eq!(escape_text("\ta\n12345\tb"), "    a\n12345   b");
}

proptest! {
    #[test]
    fn no_control_character_is_left(text in any::<String>()) {
        let is_unsafe = |character: char| character.is_control() || ('\u{202a}'..='\u{202e}').contains(&character);
        prop_assert!(!escape_line(&text).chars().any(is_unsafe));
        prop_assert!(!escape_text(&text).chars().any(|it| it != '\n' && is_unsafe(it)));
    }

    #[test]
    fn escaping_twice_changes_nothing(text in any::<String>()) {
        let once = escape_text(&text);
        prop_assert_eq!(escape_text(&once), once);
    }
}
