//! Tests that odd names are quoted and unquoted without a change.

use super::*;

#[track_caller]
fn check(name: &[u8], expected: &str) {
    let name = from_bytes(name.to_vec()).unwrap();
    assert_eq!(display_name(&name, Position::First), expected);
    assert_eq!(*unquote(expected), *name, "{expected}");
}

// F51
#[test]
fn every_displayed_name_unquotes_to_itself() {
    check(b"a.txt", "a.txt");
    check("ü b.txt".as_bytes(), "ü b.txt");
    check(b"a\nb", r#""a\nb""#);
    check(b"\x1b[2J", r#""\033[2J""#);
    check(b"caf\xe9", r#""caf\351""#);
    check("a\u{85}b".as_bytes(), r#""a\302\205b""#);
    check(b"\"a\"", r#""\"a\"""#);
    check(b"a\\b", "a\\b");
    check(b"a\\\n", r#""a\\\n""#);
    check(b"~", r#""~""#);
    check(b"@outputs", r#""@outputs""#);
    for byte in 1..=255 {
        for name in [vec![byte], vec![b'"', byte, b'"'], vec![b'\\', byte], vec![b'a', byte, b'\n']] {
            if name.contains(&b'/') {
                continue;
            }
            let name = from_bytes(name).unwrap();
            let text = display_name(&name, Position::Later);
            assert_eq!(*unquote(&text), *name, "{text}");
            assert!(!text.chars().any(char::is_control), "{text}");
        }
    }
}

#[test]
fn an_unquoted_name_is_used_unchanged() {
    for text in [r#""a\/b""#, r#""a\057b""#, r#"""#, r#""""#, r#""a\q""#, r#""\400""#, r#""\00""#, r#"a"b"#] {
        assert_eq!(*unquote(text), *OsStr::new(text));
    }
    assert_eq!(*unquote(r#"a/"b\n"/c"#), *OsStr::new("a/b\n/c"));
    // Quotes do not hide a `..`, because the path is normalized after they are removed.
    assert_eq!(*unquote(r#"".."/x"#), *OsStr::new("../x"));
}
