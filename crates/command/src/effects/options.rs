//! Parses the arguments of a program by its list of known options. Each option outside the list adds a doubt.

use super::{DoubtKind, Effects, Recorder};

/// The value of an option.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    /// Optional text: after `=` for a long option, glued to the letter for a short one.
    Maybe,
    Text,
    File,
}

/// The known options of a program. An entry of the list is a letter or a long name, followed by a sign for
/// its value: nothing for no value, `?` for an optional text, `=` for a text, `<` for a file that is read.
#[derive(Clone, Copy)]
pub(super) struct Options {
    pub(super) known: &'static str,
    /// Set to `Options` if a number such as `-20` is an option.
    pub(super) numbers: Numbers,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    Options,
    Unknown,
}

/// The parsed options and operands. Doubts and files are recorded in the effects during parsing.
#[derive(Default)]
pub(super) struct ParsedOptions<'a> {
    pub(super) options: Vec<&'a str>,
    pub(super) operands: Vec<&'a str>,
}

impl Options {
    fn takes(&self, name: &str) -> Option<Takes> {
        if name.contains(['=', '?', '<']) {
            return None;
        }
        self.known.split_ascii_whitespace().find_map(|entry| match entry.strip_prefix(name)? {
            "" => Some(Takes::Nothing),
            "?" => Some(Takes::Maybe),
            "=" => Some(Takes::Text),
            "<" => Some(Takes::File),
            _ => None,
        })
    }

    /// Parses the arguments in the way of GNU programs: options may follow operands, and `--` ends the
    /// options.
    pub(super) fn walk<'a>(
        &self,
        program: &str,
        arguments: &'a [String],
        effects: &mut Effects,
    ) -> ParsedOptions<'a> {
        let mut given = ParsedOptions::default();
        let mut rest = arguments.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            if word == "--" {
                given.operands.extend(rest.by_ref());
            } else if let Some(long) = word.strip_prefix("--") {
                self.long(program, (word, long), &mut rest, effects, &mut given);
            } else if word.len() > 1 && word.starts_with('-') {
                self.short(program, word, &mut rest, effects, &mut given);
            } else {
                given.operands.push(word);
            }
        }
        given
    }

    fn long<'a>(
        &self,
        program: &str,
        (word, long): (&'a str, &'a str),
        rest: &mut impl Iterator<Item = &'a str>,
        effects: &mut Effects,
        given: &mut ParsedOptions<'a>,
    ) {
        let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        // A single letter is a short option; as a long one it would be an abbreviation.
        let takes = if name.chars().count() > 1 { self.takes(name) } else { None };
        given.options.push(name);
        match (takes, value) {
            (Some(Takes::Nothing | Takes::Maybe), None) | (Some(Takes::Text | Takes::Maybe), Some(_)) => {}
            (Some(Takes::File), Some(file)) => effects.read(file),
            (Some(takes @ (Takes::Text | Takes::File)), None) => {
                note_value(takes, rest.next(), effects, (program, word));
            }
            (None, _) | (Some(Takes::Nothing), Some(_)) => {
                effects.doubt(DoubtKind::UnknownOption, program, word);
            }
        }
    }

    fn short<'a>(
        &self,
        program: &str,
        word: &'a str,
        rest: &mut impl Iterator<Item = &'a str>,
        effects: &mut Effects,
        given: &mut ParsedOptions<'a>,
    ) {
        let cluster = word.get(1..).unwrap_or_default();
        if self.numbers == Numbers::Options && cluster.bytes().all(|byte| byte.is_ascii_digit()) {
            return;
        }
        for (index, char) in cluster.char_indices() {
            let end = index.saturating_add(char.len_utf8());
            let (letter, behind) = (cluster.get(index..end), cluster.get(end..).unwrap_or_default());
            let letter = letter.unwrap_or_default();
            given.options.push(letter);
            match self.takes(letter) {
                Some(Takes::Nothing) => {}
                Some(takes @ (Takes::Text | Takes::File)) => {
                    let value = if behind.is_empty() { rest.next() } else { Some(behind) };
                    return note_value(takes, value, effects, (program, word));
                }
                Some(Takes::Maybe) => return,
                None => return effects.doubt(DoubtKind::UnknownOption, program, word),
            }
        }
    }
}

fn note_value(takes: Takes, value: Option<&str>, effects: &mut Effects, (program, word): (&str, &str)) {
    match value {
        Some(file) if takes == Takes::File => effects.read(file),
        Some(_) => {}
        None => effects.doubt(DoubtKind::Operand, program, word),
    }
}
