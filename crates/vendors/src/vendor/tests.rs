//! Tests of patterns for model names.

use super::*;

#[track_caller]
fn check(pattern: &str, name: &str, expected: bool) {
    assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
}

#[test]
fn a_star_matches_any_characters() {
    check("gpt-5*", "gpt-5", true);
    check("gpt-5*", "gpt-5-mini", true);
    check("gpt-5*", "openai/gpt-5", false);
    check("*gpt-5*", "openai/gpt-5", true);
    check("gpt-5", "gpt-5-mini", false);
    check("*non-reasoning*", "grok-4-fast-non-reasoning", true);
    check("*a*b", "aab", true);
    check("*a*b", "aba", false);
    check("*", "", true);
    check("", "", true);
    check("", "x", false);
    check("Qwen*", "qwen3", true);
    check("**", "x", true);
}

#[test]
fn a_hostile_pattern_takes_no_longer_than_pattern_times_name() {
    check(&"*a".repeat(200), &"a".repeat(4000).replace('\0', ""), true);
    check(&format!("{}b", "*a".repeat(200)), &"a".repeat(4000), false);
}
