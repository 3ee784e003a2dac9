//! Invisible characters that are part of ordinary text: joiners of scripts and emoji, and emoji presentation.

/// Returns whether an invisible character between these two neighbours is part of ordinary text:
///
/// * U+200C and U+200D between letters of a script in which they choose the shape of a letter (Unicode 16,
///   section 23.2): Arabic, Syriac, Mongolian and the scripts of India and South-East Asia;
/// * U+200D between emoji, as in a family or a profession;
/// * U+FE0E and U+FE0F after a symbol or an emoji, which choose its monochrome or its coloured form.
///
/// Elsewhere, for instance between Latin letters, it is displayed as an escape.
pub(super) fn is_ordinary(before: Option<char>, character: char, after: Option<char>) -> bool {
    let (Some(before), after) = (before, after.unwrap_or(' ')) else { return false };
    match character {
        '\u{200c}' => has_joiners(before) && has_joiners(after),
        '\u{200d}' => (has_joiners(before) && has_joiners(after)) || (ends_emoji(before) && is_emoji(after)),
        '\u{fe0e}' | '\u{fe0f}' => is_emoji(before),
        _ => false,
    }
}

fn has_joiners(letter: char) -> bool {
    matches!(
        letter,
        '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{f00}'..='\u{109f}' | '\u{1780}'..='\u{17b3}'
            | '\u{17b6}'..='\u{17ff}' | '\u{1820}'..='\u{18aa}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
    ) && letter != '\u{61c}'
}

/// Returns whether an emoji sequence can continue after this character: an emoji, its presentation selector,
/// or its skin tone.
fn ends_emoji(character: char) -> bool {
    is_emoji(character) || character == '\u{fe0f}'
}

/// Returns whether a character has an emoji form: symbols of the Basic Multilingual Plane, the emoji blocks,
/// and the digits and signs of keycaps.
fn is_emoji(character: char) -> bool {
    matches!(
        character,
        '#' | '*' | '0'..='9' | '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2100}'..='\u{27bf}'
            | '\u{2900}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}'
    )
}

#[cfg(test)]
mod tests {
    use crate::{display_safe, escape_unsafe, has_invisible};

    #[test]
    fn joiners_of_ordinary_text_stay() {
        for text in [
            "👨\u{200d}👩\u{200d}👧",
            "❤\u{fe0f}\u{200d}🔥",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "1\u{fe0f}",
            "☺\u{fe0e}",
        ] {
            assert_eq!(display_safe(text), text);
            assert_eq!(escape_unsafe(text), text);
            assert!(has_invisible(text), "a path with it is looked at all the same");
        }
    }

    #[test]
    fn misplaced_joiners_are_escaped() {
        for text in [
            "rm\u{200d} x",
            "a\u{200c}b",
            "a\u{fe0f}",
            "\u{200d}👩",
            "می\u{200c}",
            "👩\u{200d}x",
            "x\u{200d}👩",
        ] {
            assert!(
                !display_safe(text).chars().any(|it| matches!(it, '\u{200c}' | '\u{200d}' | '\u{fe0f}')),
                "{text:?}"
            );
        }
    }

    #[test]
    fn escaping_twice_changes_nothing() {
        for text in ["a\u{1b}[0m", r"\u{1b}", r"\\", "\r\n\tx", "\u{202e}é\u{200b}", r"\d\r"] {
            let safe = display_safe(text);
            assert_eq!(escape_unsafe(&safe), safe, "{text:?}");
            let once = escape_unsafe(text).into_owned();
            assert_eq!(escape_unsafe(&once), once, "{text:?}");
        }
    }
}
