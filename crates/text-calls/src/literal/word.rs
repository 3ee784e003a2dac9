//! Unquoted words of a literal: numbers, booleans and null.

use serde_json::value::RawValue;

use super::string::{Prefix, QuotedString};
use super::{Language, Literal, State, Step, language};
use crate::escape::quote;

impl Literal {
    /// Processes the next character of a word, or the character after it.
    pub(super) fn word(&mut self, c: char, json: &mut String) -> Step {
        let language = language(&self.stack);
        let State::Word(word) = &mut self.state else { return Step::Broken };
        if matches!(c, '"' | '\'') && language == Language::Python {
            let (Some(prefix), Some(text)) = (Prefix::from_word(word), QuotedString::open(c)) else {
                return Step::Broken;
            };
            json.push('"');
            self.state = State::Text(text.with_prefix(prefix));
            return Step::Taken;
        }
        // An opening bracket would be a call or an index; a double quote is not allowed in a word.
        if matches!(c, '(' | '[' | '{' | '"') {
            return Step::Broken;
        }
        if !c.is_whitespace() && !matches!(c, ',' | ')' | ']' | '}' | ':') {
            word.push(c);
            return Step::Taken;
        }
        if language == Language::Relaxed {
            word_into(word, json);
        } else if let Some(value) = python_word(word) {
            json.push_str(&value);
        } else {
            return Step::Broken;
        }
        self.state = State::After;
        Step::Again
    }
}

/// Appends a word of relaxed JSON as JSON. An unknown word becomes a string.
fn word_into(word: &str, json: &mut String) {
    let known = match word {
        "True" | "true" => "true",
        "False" | "false" => "false",
        "None" | "null" => "null",
        _ => "",
    };
    if !known.is_empty() {
        json.push_str(known);
        return;
    }
    let plain = word.strip_prefix('+').unwrap_or(word).replace('_', "");
    let is_number = plain.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        && serde_json::from_str::<&RawValue>(&plain).is_ok();
    if is_number {
        json.push_str(&plain);
    } else {
        json.push_str(&quote(word));
    }
}

/// Converts an unquoted Python literal to JSON. Returns `None` for a variable, a complex number or another
/// word.
fn python_word(word: &str) -> Option<String> {
    match word {
        // Models that were trained on both languages mix Python's words with JSON's.
        "True" | "true" => return Some("true".to_owned()),
        "False" | "false" => return Some("false".to_owned()),
        "None" | "null" => return Some("null".to_owned()),
        _ => {}
    }
    let (sign, digits) = match word.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", word.strip_prefix('+').unwrap_or(word)),
    };
    let plain = strip_separators(digits)?;
    let radix = match plain.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0x") => Some(16),
        Some("0o") => Some(8),
        Some("0b") => Some(2),
        _ => None,
    };
    if let Some(radix) = radix {
        let number = u128::from_str_radix(plain.get(2..)?, radix).ok()?;
        return Some(format!("{sign}{number}"));
    }
    // Python allows `.5` and `5.`, JSON does not.
    let (number, exponent) = match plain.find(['e', 'E']) {
        Some(at) => plain.split_at_checked(at)?,
        None => (plain.as_str(), ""),
    };
    let start = if number.starts_with('.') { "0" } else { "" };
    let end = if number.ends_with('.') { "0" } else { "" };
    let json = format!("{sign}{start}{number}{end}{exponent}");
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && number.contains(|c: char| c.is_ascii_digit())
        && serde_json::from_str::<&RawValue>(&json).is_ok();
    is_number.then_some(json)
}

/// Removes the `_` separators between digits. Returns `None` if one is misplaced.
fn strip_separators(digits: &str) -> Option<String> {
    let is_wrong = digits.starts_with('_') || digits.ends_with('_') || digits.contains("__");
    (!is_wrong).then(|| digits.replace('_', ""))
}
