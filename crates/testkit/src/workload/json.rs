//! Tool arguments: a written file, a list of edits, and deep nesting.

use std::fmt::Write;

use crate::split::SplitMix64;

const WORDS: &[&str] = &[
    "let", "mut", "value", "return", "match", "self", "buffer", "parser", "impl", "struct", "push", "index",
    "result", "state", "while", "token",
];

/// W1: a file written by a model, as `path` and `content`, of about this many bytes, with line feeds, quotes,
/// backslashes, tabs, and non-ASCII characters, half of them escaped; about one backslash per 22 bytes.
pub fn w1(bytes: usize) -> String {
    let pieces: &[&str] = &[
        "\\n",
        "\\n    ",
        "\\\"",
        "\\\\",
        "\\t",
        "\\n",
        "é",
        "\\u00e9",
        "豆",
        "\\u8c46",
        "😀",
        "\\ud83d\\ude00",
        "\\n\\t",
    ];
    generate(bytes, 1, |text, random| {
        for _ in 0..random.in_range(2, 4) {
            text.push_str(random.pick(WORDS));
            text.push_str(random.pick(&[" ", " ", "(", ") ", "; ", " = ", "."]));
        }
        text.push_str(random.pick(pieces));
    })
}

/// W1u: like W1, with non-ASCII characters as raw UTF-8 and without surrogate escapes.
pub fn w1u(bytes: usize) -> String {
    generate(bytes, 2, |text, random| {
        for _ in 0..random.in_range(2, 4) {
            text.push_str(random.pick(WORDS));
            text.push(' ');
        }
        text.push_str(random.pick(&["\\n", "\\\"", "é", "豆腐", "😀", "\\t", "\\n    "]));
    })
}

/// W1p: prose with one escape per 400 bytes.
pub fn w1p(bytes: usize) -> String {
    generate(bytes, 3, |text, random| {
        let end = text.len() + 398;
        while text.len() < end {
            text.push_str(random.pick(WORDS));
            text.push(' ');
        }
        text.push_str("\\n");
    })
}

fn generate(bytes: usize, seed: u64, mut add: impl FnMut(&mut String, &mut SplitMix64)) -> String {
    let mut random = SplitMix64::new(seed);
    let mut text = String::from("{\"path\": \"src/generated/module.rs\", \"content\": \"");
    while text.len() + 2 < bytes {
        add(&mut text, &mut random);
    }
    text.push_str("\"}");
    text
}

/// W2: the arguments of an edit tool, 200 objects with 8 fields each.
pub fn w2() -> String {
    let mut random = SplitMix64::new(4);
    let mut text = String::from("{\"edits\": [");
    for edit in 0..200 {
        if edit > 0 {
            text.push_str(", ");
        }
        // Writing to a `String` cannot fail.
        let _ = write!(
            text,
            "{{\"line\": {}, \"column\": {}, \"score\": {}.{}, \"weight\": {}e-{}, \"applied\": {}, \"note\": null, \
             \"old\": \"{} {}\", \"new\": \"{} {}\"}}",
            random.in_range(1, 99_999),
            random.in_range(1, 200),
            random.in_range(0, 99),
            random.in_range(10, 9_999),
            random.in_range(1, 9),
            random.in_range(1, 30),
            random.pick(&["true", "false"]),
            random.pick(WORDS),
            random.pick(WORDS),
            random.pick(WORDS),
            random.pick(WORDS),
        );
    }
    text.push_str("]}");
    text
}

/// W3: 100 levels of alternating objects and arrays.
pub fn w3() -> String {
    let mut text = String::new();
    for level in 0..100 {
        text.push_str(if level % 2 == 0 { "{\"inner\": " } else { "[1, " });
    }
    text.push_str("\"core\"");
    for level in (0..100).rev() {
        text.push(if level % 2 == 0 { '}' } else { ']' });
    }
    text
}
