//! The removed text may have been anything.

use super::is_recorded;

#[test]
fn a_redacted_part_matches_any_text() {
    for (recorded, met, is_same) in [
        ("plain", "plain", true),
        ("plain", "plain!", false),
        ("key [redacted]!", "key sk-other!", true),
        ("key [redacted]!", "key sk-other", false),
        ("[redacted]", "", true),
        ("a [redacted] b [redacted]", "a x b y", true),
        ("a [redacted] b [redacted] c", "a x c", false),
        ("a [redacted]", "b x", false),
    ] {
        assert_eq!(is_recorded(recorded, met), is_same, "{recorded} / {met}");
    }
}
