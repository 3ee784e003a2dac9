//! Spellings that Windows interprets in a different way than they look.

use super::WindowsPath::{
    self, Absolute, Character, Climbs, Device, DriveRelative, Relative, Reserved, Rooted, Share, Short,
    Stream, Trailing,
};

#[track_caller]
fn check(expected: WindowsPath, texts: &[&str]) {
    for text in texts {
        assert_eq!(WindowsPath::classify(text), expected, "{text}");
        assert_eq!(WindowsPath::classify(&text.replace('\\', "/")), expected, "{text} with slashes");
    }
}

// F52
#[test]
fn each_spelling_has_its_class() {
    check(
        Relative,
        &["a", r"src\main.rs", r"a/b\c.txt", r".\a", r"a\..\b", ".git", "..a", "a~", "~1", "ü", "notes~2023"],
    );
    check(Absolute, &[r"C:\x", r"c:\a\..\b"]);
    check(DriveRelative, &["C:x", "c:", "C:..", r"z:a\b"]);
    check(Rooted, &[r"\x", r"\windows\x"]);
    check(Share, &[r"\\server\share\x", r"\\x", r"\\localhost\c$"]);
    check(
        Device,
        &[r"\\?\C:\x", r"\\.\pipe\x", r"\??\UNC\attacker\share\x", r"\\?\UNC\h\s", r"\\?\GLOBALROOT\x"],
    );
    check(Climbs, &["..", r"..\outside", r"a\..\..\b", r"C:\..\x"]);
    check(Reserved, &["NUL", "nul", "con.txt", r"a\COM1", "LPT9.log"]);
    check(Reserved, &["COM¹", "nul .txt", "CONIN$", "COM0", r"a\prn.tar.gz"]);
    check(Stream, &["file:stream", "file::$DATA", r"a\b.txt:x", ".git::$INDEX_ALLOCATION"]);
    check(Trailing, &[".git.", ".git ", r".git...\config", "a. .", "...", "aux.", " con "]);
    check(Short, &["GIT~1", r"GIT~1\config", "PROGRA~1", "abc~12.txt", "GIT~1.CFG"]);
    check(Character, &["a?b", "a*", "a\"b", "a|b", "a\nb", "<x>"]);
}

#[test]
fn names_similar_to_device_names_are_plain() {
    check(
        Relative,
        &["COM", "COM10", "CONSOLE", "nullable.rs", "aux_", "LPT", "a~b", "longername~1", "a~1.html"],
    );
}

// For any text: a path that is plain to Windows has no drive, root, stream or parent component.
#[test]
fn plain_names_stay_below_the_root() {
    let parts = ["a", "..", ".", "C:", "NUL", "x:y", "GIT~1", "b.", "", " "];
    for first in parts {
        for second in parts {
            for third in parts {
                let text = format!(r"{first}\{second}/{third}");
                if !WindowsPath::classify(&text).is_plain() {
                    continue;
                }
                let names = ["a", "..", ".", ""];
                assert!([first, second, third].iter().all(|part| names.contains(part)), "{text}");
                let depth = |part: &str| match part {
                    "a" => 1,
                    ".." => -1,
                    _ => 0,
                };
                assert!(
                    !first.is_empty() && depth(first) >= 0 && depth(first) + depth(second) >= 0,
                    "{text}"
                );
            }
        }
    }
}
