//! Random files in all encodings, with mixed line ends, marks, tabs and no final newline: an edit keeps all
//! bytes that it does not name, and a refused edit changes none.

use proptest::prelude::*;
use serde_json::{Value, json};
use windlass_text::{Charset, Text};

use crate::scene::Scene;

const TOOLS: [&str; 3] = ["edit_file", "apply_diff", "apply_patch"];
const OLD: &str = "<the old line>";

#[derive(Clone, Debug)]
struct Random {
    charset: Charset,
    mark: bool,
    /// Text and line end of each line; those that the edit names are from `first` to `last`, the old line between.
    lines: Vec<(String, &'static str)>,
    old: usize,
    shown: (usize, usize),
    final_newline: bool,
    /// True if the model leaves out white space at line ends.
    trimmed: bool,
    new: Vec<String>,
}

fn line() -> impl Strategy<Value = (String, &'static str)> {
    let text = "[ab\t]{0,3}( |  |\t)?[a\u{e9}\u{fc}]?[a-c]{0,2}[ \t]{0,2}";
    (text, prop::sample::select(vec!["\n", "\r\n"]))
}

fn random() -> impl Strategy<Value = Random> {
    let charsets =
        vec![Charset::Utf8, Charset::Utf16Le, Charset::Utf16Be, Charset::Windows1252, Charset::Unknown];
    let new = prop::collection::vec("[x\u{e9} ]{0,3}[y\u{20ac}]", 0..4);
    let lines = prop::collection::vec(line(), 0..12);
    let places = (0..12_usize, 0..3_usize, 0..3_usize);
    (prop::sample::select(charsets), any::<[bool; 3]>(), lines, places, new).prop_map(
        |(charset, [mark, final_newline, trimmed], mut lines, (old, above, below), new)| {
            let old = old.min(lines.len());
            lines.insert(old, (OLD.to_owned(), if mark { "\r\n" } else { "\n" }));
            // An empty line without its line end does not exist.
            let final_newline = final_newline || lines.last().is_some_and(|(text, _)| text.is_empty());
            let shown = (old.saturating_sub(above), (old + below).min(lines.len() - 1));
            Random { charset, mark, lines, old, shown, final_newline, trimmed, new }
        },
    )
}

impl Random {
    /// The bytes of some lines; those of a legacy encoding are Latin-1 or nothing that is known.
    fn bytes(&self, lines: std::ops::Range<usize>) -> Vec<u8> {
        let last = self.lines.len() - 1;
        let mut text = String::new();
        for at in lines {
            let (line, end) = &self.lines[at];
            text.push_str(line);
            text.push_str(if at == last && !self.final_newline { "" } else { end });
        }
        match self.charset {
            Charset::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Charset::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            Charset::Windows1252 => text.chars().map(|letter| u8::try_from(letter).unwrap()).collect(),
            // Bytes that Windows-1252 has no letters for.
            Charset::Unknown => {
                text.chars().map(|letter| if letter.is_ascii() { letter as u8 } else { 0x81 }).collect()
            }
            _ => text.into_bytes(),
        }
    }

    fn mark(&self) -> &'static [u8] {
        match self.charset {
            Charset::Utf16Le => b"\xff\xfe",
            Charset::Utf16Be => b"\xfe\xff",
            Charset::Utf8 if self.mark => b"\xef\xbb\xbf",
            _ => b"",
        }
    }

    fn whole(&self) -> Vec<u8> {
        [self.mark(), &self.bytes(0..self.lines.len())].concat()
    }

    /// The call that puts the new lines in place of the old one, with lines around it.
    fn call(&self, tool: &str, old: &str) -> Value {
        let around = |at: usize| {
            let text = self.lines[at].0.as_str();
            if self.trimmed { text.trim_end().to_owned() } else { text.to_owned() }
        };
        let above: Vec<String> = (self.shown.0..self.old).map(around).collect();
        let below: Vec<String> = (self.old + 1..=self.shown.1).map(around).collect();
        let search = [above.as_slice(), &[old.to_owned()], &below].concat().join("\n");
        let replace = [above.as_slice(), &self.new, &below].concat();
        match tool {
            "edit_file" => {
                // Whole lines with their ends, so that nothing new leaves no empty line.
                json!({"path": "a.txt", "old_text": format!("{search}\n"), "new_text": signed("", &replace)})
            }
            "apply_diff" => {
                let lines = signed("", &replace);
                let diff = format!("<<<<<<< SEARCH\n{search}\n=======\n{lines}>>>>>>> REPLACE\n");
                json!({"path": "a.txt", "diff": diff})
            }
            _ => {
                let hunk = signed(" ", &above)
                    + &signed("-", &[old.to_owned()])
                    + &signed("+", &self.new)
                    + &signed(" ", &below);
                json!({"patch": format!("*** Begin Patch\n*** Update File: a.txt\n@@\n{hunk}*** End Patch\n")})
            }
        }
    }
}

fn signed(sign: &str, lines: &[String]) -> String {
    lines.iter().flat_map(|line| [sign, line, "\n"]).collect()
}

/// The lines of a piece of a file without their ends. A piece of a legacy file is too short to be known by itself.
fn lines_of(random: &Random, charset: Charset, bytes: &[u8]) -> Vec<String> {
    let latin = |byte: &u8| if *byte == 0x80 { '\u{20ac}' } else { char::from(*byte) };
    let body = match charset {
        Charset::Windows1252 => bytes.iter().map(latin).collect(),
        _ => Text::decode(&[random.mark(), bytes].concat()).unwrap().body().to_owned(),
    };
    body.lines().map(str::to_owned).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    // E1, E3, E8
    #[test]
    fn bytes_outside_the_hunk_are_identical(random in random()) {
        let before = random.whole();
        let charset = Text::decode(&before).unwrap().charset();
        for tool in TOOLS {
            let scene = Scene::new(&[("a.txt", &before)]);
            let told = scene.call(tool, &random.call(tool, OLD));
            let after = scene.bytes("a.txt");
            if let Err(told) = &told {
                prop_assert_eq!(&after, &before);
                // Only letters with an unknown meaning or encoding are refused.
                let plain = random.new.iter().all(|line| line.is_ascii());
                let known = matches!(charset, Charset::Utf8 | Charset::Utf16Le | Charset::Utf16Be | Charset::Windows1252);
                let western = random.shown.0 == random.shown.1 && plain;
                prop_assert!(!known && !western, "{} {}", tool, told);
                continue;
            }
            let head = [random.mark(), &random.bytes(0..random.old)].concat();
            let tail = random.bytes(random.old + 1..random.lines.len());
            // A line that becomes the last one or stops being it gets or keeps its own line end; all other lines are
            // unchanged.
            let is_last = random.old + 1 == random.lines.len();
            prop_assert!(after.starts_with(&head), "{}: {:x?} {:x?}", tool, before, after);
            prop_assert!(after.ends_with(&tail), "{}: {:x?} {:x?}", tool, before, after);
            let middle = &after[head.len()..after.len() - tail.len()];
            prop_assert_eq!(lines_of(&random, charset, middle), random.new.clone(), "{}", tool);
            if is_last && !random.new.is_empty() {
                let ends = |bytes: &[u8]| match random.charset {
                    Charset::Utf16Le => bytes.ends_with(b"\n\0"),
                    _ => bytes.ends_with(b"\n"),
                };
                prop_assert_eq!(ends(&after), random.final_newline, "{}", tool);
            }
        }
    }

    // E1
    #[test]
    fn a_refused_edit_leaves_every_byte(random in random(), twice in any::<bool>()) {
        let mut random = random;
        if twice {
            // The line occurs twice.
            let end = random.lines[random.old].1;
            random.lines.push((OLD.to_owned(), end));
            random.final_newline = true;
            random.shown = (random.old, random.old);
        }
        let before = random.whole();
        for tool in TOOLS {
            let scene = Scene::new(&[("a.txt", &before)]);
            let told = scene.call(tool, &random.call(tool, if twice { OLD } else { "<no such line>" }));
            prop_assert!(told.is_err(), "{} {:?}", tool, told);
            prop_assert_eq!(scene.bytes("a.txt"), before.clone());
        }
    }
}
