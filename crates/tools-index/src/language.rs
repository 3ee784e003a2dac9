//! Detection of a file's language by its name, its first line, or its content.

mod known;

use std::path::Path;

use crate::grammar::Grammar;

pub(crate) use self::known::KNOWN;

/// Number of bytes of a file that are inspected.
pub(crate) const LOOKED_BYTES: usize = 8 * 1024;

/// Comment syntax of a language, for files without a grammar.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Comments {
    pub(crate) line: &'static [&'static str],
    pub(crate) block: Option<(&'static str, &'static str)>,
}

/// A language that can be detected.
#[derive(Debug)]
pub(crate) struct Language {
    pub(crate) name: &'static str,
    pub(crate) extensions: &'static [&'static str],
    pub(crate) names: &'static [&'static str],
    pub(crate) interpreters: &'static [&'static str],
    /// Line prefixes that are rare in other languages.
    pub(crate) marks: &'static [&'static str],
    pub(crate) comments: Comments,
    pub(crate) grammar: Option<&'static Grammar>,
}

/// Basis of a detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    Name,
    FirstLine,
    Content,
}

impl Evidence {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Name => "by its name",
            Self::FirstLine => "by its first line",
            Self::Content => "by its content, so this is a guess",
        }
    }
}

impl Language {
    /// Returns the language with this name or file extension.
    pub(crate) fn find_by_name(name: &str) -> Option<&'static Self> {
        let name = name.trim_start_matches('.').to_ascii_lowercase();
        let by_name = KNOWN.iter().find(|language| language.name == name);
        by_name.or_else(|| KNOWN.iter().find(|language| language.extensions.contains(&name.as_str())))
    }

    /// Returns the names of the languages with a grammar.
    pub(crate) fn with_symbols() -> String {
        let names = KNOWN.iter().filter(|language| language.grammar.is_some()).map(|language| language.name);
        names.collect::<Vec<_>>().join(", ")
    }

    /// Detects the language by the file name only.
    pub(crate) fn detect_by_name(path: &Path) -> Option<&'static Self> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        if let Some(exact) = KNOWN.iter().find(|language| language.names.contains(&name.as_str())) {
            return Some(exact);
        }
        let (stem, extension) = name.rsplit_once('.')?;
        let found = KNOWN.iter().find(|language| language.extensions.contains(&extension));
        // `Dockerfile.dev`
        found.or_else(|| KNOWN.iter().find(|language| language.names.contains(&stem)))
    }

    /// Detects the language by the file name, then the first line, then the content, of which the beginning
    /// is enough.
    pub(crate) fn detect(path: &Path, beginning: &[u8]) -> Option<(&'static Self, Evidence)> {
        let beginning = beginning.get(..LOOKED_BYTES).unwrap_or(beginning);
        let text = String::from_utf8_lossy(beginning);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        if let Some(language) = Self::detect_by_name(path) {
            let is_cpp =
                language.name == "c" && path.extension().is_some_and(|end| end == "h") && is_cpp(text);
            let language = if is_cpp { Self::find_by_name("cpp").unwrap_or(language) } else { language };
            return Some((language, Evidence::Name));
        }
        if let Some(language) = detect_by_first_line(text) {
            return Some((language, Evidence::FirstLine));
        }
        detect_by_marks(text).map(|language| (language, Evidence::Content))
    }
}

/// Returns true if the text of a header is C++ rather than C.
fn is_cpp(text: &str) -> bool {
    let marks = ["class ", "namespace ", "template <", "template<", "public:", "using namespace"];
    text.lines().any(|line| marks.iter().any(|mark| line.trim_start().starts_with(mark)))
}

/// Detects the language by `#!/usr/bin/env -S python3 -u`, or an editor's `-*- mode: python -*-` or `vim:
/// ft=python`.
fn detect_by_first_line(text: &str) -> Option<&'static Language> {
    let line = text.lines().next()?;
    if let Some(command) = line.strip_prefix("#!") {
        let program = command
            .split_whitespace()
            .map(|word| word.rsplit('/').next().unwrap_or(word))
            .find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
        let program = program.trim_end_matches(|last: char| last.is_ascii_digit() || last == '.');
        return KNOWN.iter().find(|language| language.interpreters.contains(&program));
    }
    if line.starts_with("<?xml") {
        return Language::find_by_name("xml");
    }
    text.lines().take(5).find_map(|line| {
        let said = line
            .split_once("-*-")
            .and_then(|(_, rest)| rest.split_once("-*-"))
            .map(|(inner, _)| inner.trim().trim_start_matches("mode:").trim())
            .or_else(|| line.split_once(" ft=").map(|(_, rest)| rest))
            .or_else(|| line.split_once(" filetype=").map(|(_, rest)| rest))?;
        Language::find_by_name(said.split([' ', ';', ':']).next()?)
    })
}

/// Returns the language whose typical line prefixes occur most often. At least two lines are required,
/// because one may be a quotation.
fn detect_by_marks(text: &str) -> Option<&'static Language> {
    let start = text.trim_start();
    let lower = start.get(..15).unwrap_or_default().to_ascii_lowercase();
    if lower.starts_with("<!doctype html") || lower.starts_with("<html") {
        return Language::find_by_name("html");
    }
    if start.starts_with("<?php") {
        return Language::find_by_name("php");
    }
    let after = start.strip_prefix(['{', '[']).map(str::trim_start);
    if after.is_some_and(|rest| rest.starts_with(['"', '{', '}', ']'])) {
        return Language::find_by_name("json");
    }
    let count = |language: &&Language| {
        text.lines().filter(|line| language.marks.iter().any(|mark| line.starts_with(mark))).count()
    };
    let best = KNOWN.iter().map(|language| (count(&language), language)).max_by_key(|(count, _)| *count)?;
    (best.0 >= 2).then_some(best.1)
}
