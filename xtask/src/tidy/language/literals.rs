//! Finds the texts in the string literals of a Rust file: messages, help and descriptions.

use super::sentences::{Sentence, split_text};

/// Shorter texts are names, keys and fragments.
const MIN_WORDS: usize = 4;

/// Returns the sentences in the string literals of a file, except those of its inline test module. The strings in
/// a literal with JSON are texts of their own.
pub(super) fn read_literals(content: &str) -> Vec<Sentence> {
    let product = content.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut scanner = Scanner { rest: product, line: 1 };
    let mut sentences = Vec::new();
    while let Some((line, text)) = scanner.next_literal() {
        let is_json = text.starts_with(['{', '[']) && text.ends_with(['}', ']']);
        let separator = if is_json { '"' } else { '\0' };
        let found = text.split(separator).flat_map(split_text);
        let texts = found.filter(|text| text.split(' ').count() >= MIN_WORDS);
        sentences.extend(texts.map(|text| Sentence { line, text }));
    }
    sentences
}

struct Scanner<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Scanner<'a> {
    /// Returns the line and the text of the next literal.
    fn next_literal(&mut self) -> Option<(usize, String)> {
        loop {
            let at = self.rest.find(['"', '\'', '/', 'r'])?;
            let before = self.skip(at);
            let line = self.line;
            let follows_word = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            if self.rest.starts_with('"') {
                self.skip(1);
                return Some((line, self.read_escaped()));
            } else if self.rest.starts_with("//") {
                self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if let Some(hashes) = self.raw_hashes().filter(|_| !follows_word) {
                self.skip(hashes.saturating_add(2));
                return Some((line, self.raw(hashes)));
            } else {
                self.skip(self.char_literal().unwrap_or(1));
            }
        }
    }

    /// Skips bytes, and returns them.
    fn skip(&mut self, bytes: usize) -> &'a str {
        let (skipped, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.line = self.line.saturating_add(skipped.matches('\n').count());
        self.rest = rest;
        skipped
    }

    /// Reads the rest of a literal with escapes. An escaped end of line joins its lines, and other escapes
    /// become spaces, because none of them is part of a word.
    fn read_escaped(&mut self) -> String {
        let mut text = String::new();
        while let Some(at) = self.rest.find(['"', '\\']) {
            text.push_str(self.skip(at));
            let is_end = self.skip(1) == "\"";
            if is_end {
                break;
            }
            let escaped = self.rest.chars().next().map_or(0, char::len_utf8);
            match self.skip(escaped) {
                "\n" => {
                    let indentation = self.rest.len().saturating_sub(self.rest.trim_start().len());
                    self.skip(indentation);
                }
                quote @ ("\"" | "'") => text.push_str(quote),
                _ => text.push(' '),
            }
        }
        text
    }

    /// Reads the rest of a raw literal.
    fn raw(&mut self, hashes: usize) -> String {
        let end = format!("\"{}", "#".repeat(hashes));
        let text = self.skip(self.rest.find(&end).unwrap_or(self.rest.len())).to_owned();
        self.skip(end.len());
        text
    }

    /// Returns the number of `#` if the rest begins with a raw literal.
    fn raw_hashes(&self) -> Option<usize> {
        let after = self.rest.strip_prefix('r')?;
        let content = after.trim_start_matches('#');
        content.starts_with('"').then(|| after.len().saturating_sub(content.len()))
    }

    /// Returns the length of a character literal at the start of the rest; a lifetime is not one.
    fn char_literal(&self) -> Option<usize> {
        let after = self.rest.strip_prefix('\'')?;
        let mut chars = after.char_indices();
        let (_, first) = chars.next()?;
        let searched = if first == '\\' { chars.nth(1)?.0 } else { chars.next()?.0 };
        let end = after.get(searched..)?.find('\'')?;
        let is_literal = first == '\\' || end == 0;
        is_literal.then(|| searched.saturating_add(end).saturating_add(2))
    }
}
