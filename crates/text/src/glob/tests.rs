//! The extent of a pattern.

use super::*;

#[track_caller]
fn check(text: &str, expected: Option<u64>) {
    assert_eq!(choices(text), expected, "{text}");
}

#[test]
fn braces_multiply_and_commas_add() {
    check("*.rs", Some(1));
    check("{a,b}", Some(2));
    check("{a,b}{c,d,e}", Some(6));
    check("{a,{b,c}{d,e}}", Some(5));
    check("a,b", Some(1));
    check(r"\{a,b}", Some(1));
    check("{}}}{", Some(1));
    check(&"{a,b}".repeat(24), Some(1 << 24));
    check(&"{a,b}".repeat(100), Some(u64::MAX));
    check(&"{".repeat(17), None);
}

// RES-017
#[test]
fn a_bomb_is_refused_and_a_plain_pattern_taken() {
    let refused = |text: &str| Glob::new(text).unwrap_err().to_string();
    assert!(refused(&"{a,b}".repeat(24)).contains("more than 1000 patterns"));
    assert!(refused(&"{".repeat(500)).contains("deep"));
    assert!(refused(&"*".repeat(2_000)).contains("2000 bytes"));
    assert!(refused("[x").contains("a glob is like"));
    assert!(Glob::new("src/**/*.{rs,toml}").is_ok());
}
