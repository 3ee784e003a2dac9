//! `sed`: scripts of line numbers with `p`, `q`, `d` and `=`. Other sed commands can write files and run
//! programs.

use super::options::{Numbers, Options};
use super::{DoubtKind, Effects, Recorder};

/// `-e` is parsed separately, because its value is assessed.
const OPTIONS: Options = Options {
    known: "n E r s z u quiet silent regexp-extended separate null-data posix sandbox",
    numbers: Numbers::Unknown,
};

pub(super) fn assess(effects: &mut Effects, arguments: &[String]) {
    let (mut scripts, mut others) = (Vec::new(), Vec::new());
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--" => {
                others.push(word.clone());
                others.extend(words.by_ref().cloned());
            }
            "-e" | "--expression" | "-ne" => scripts.extend(words.next().map(String::as_str)),
            other => match other.strip_prefix("--expression=") {
                Some(script) => scripts.push(script),
                None => others.push(word.clone()),
            },
        }
    }
    let doubts = effects.doubts.len();
    let given = OPTIONS.walk("sed", &others, effects);
    if effects.doubts.len() > doubts {
        super::unknown::may_write(effects, &others);
    }
    let mut files = given.operands.as_slice();
    if scripts.is_empty() {
        let Some((script, rest)) = files.split_first() else {
            return effects.doubt(DoubtKind::Operand, "sed", "sed");
        };
        scripts.push(script);
        files = rest;
    }
    for script in scripts {
        if !script.split(';').all(is_reading) {
            effects.doubt(DoubtKind::Operand, "sed", script);
        }
    }
    for file in files {
        effects.read(file);
    }
}

/// Returns whether a sed command only reads: `3p`, `1,5p`, `$p`, `2,$d`, `10q`, `$=`.
fn is_reading(command: &str) -> bool {
    let command = command.trim();
    let Some(addresses) = command.strip_suffix(['p', 'q', 'd', '=']) else { return false };
    let address =
        |text: &str| text == "$" || (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
    match addresses.split_once(',') {
        Some((first, last)) => address(first) && address(last),
        None => addresses.is_empty() || address(addresses),
    }
}
