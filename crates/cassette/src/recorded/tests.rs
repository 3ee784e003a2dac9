//! What was taken out may have been anything.

use super::is_recorded;

#[test]
fn what_was_taken_out_may_have_been_anything() {
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
