//! Filters for files and names, which several tools accept.

use std::path::Path;

use regex::bytes::Regex as BytesRegex;
use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use windlass_text::Glob;
use windlass_tool::ToolError;

use crate::language::Language;

const MAX_TEXT_CHARS: usize = 200;
const MAX_PATTERN_BYTES: usize = 1024 * 1024;

/// Way to compare a name with the query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Matching {
    #[default]
    Contains,
    Exact,
    Fuzzy,
    Regex,
}

/// Query for a name.
pub(crate) struct NameQuery {
    matching: Matching,
    name: String,
    lower: String,
    regex: Option<Regex>,
    /// Pattern that every file with a matching name contains.
    prefilter: Option<BytesRegex>,
}

impl NameQuery {
    pub(crate) fn new(text: &str, matching: Matching) -> Result<Self, ToolError> {
        let count = text.chars().count();
        if count == 0 || count > MAX_TEXT_CHARS {
            return Err(ToolError::model(format!(
                "the query has {count} characters, and 1 to {MAX_TEXT_CHARS} are allowed"
            ))
            .with_advice("Give a part of a name."));
        }
        let bad = |error| {
            ToolError::model(format!("the query is not a regular expression: {error}"))
                .with_advice("Use match contains.")
        };
        let build =
            |pattern: &str| RegexBuilder::new(pattern).size_limit(MAX_PATTERN_BYTES).build().map_err(bad);
        let regex = if matching == Matching::Regex { Some(build(text)?) } else { None };
        let pattern = match matching {
            Matching::Regex => None,
            Matching::Exact => Some(regex::escape(text)),
            Matching::Contains => Some(format!("(?i){}", regex::escape(text))),
            Matching::Fuzzy => {
                let letters = text.chars().map(|letter| regex::escape(&letter.to_string()));
                Some(format!("(?i){}", letters.collect::<Vec<_>>().join(r"\w*?")))
            }
        };
        let prefilter = pattern.map(|pattern| {
            regex::bytes::RegexBuilder::new(&pattern).size_limit(MAX_PATTERN_BYTES).build().map_err(bad)
        });
        let lower = text.to_lowercase();
        Ok(Self { matching, name: text.to_owned(), lower, regex, prefilter: prefilter.transpose()? })
    }

    /// Returns false if a file cannot contain a matching name.
    pub(crate) fn may_be_in(&self, bytes: &[u8]) -> bool {
        self.prefilter.as_ref().is_none_or(|filter| filter.is_match(bytes))
    }

    /// Returns the distance of a name from the query, 0 for the best match, or `None` if it does not match.
    pub(crate) fn distance(&self, name: &str) -> Option<usize> {
        if let Some(regex) = &self.regex {
            return regex.is_match(name).then_some(0);
        }
        if name == self.name {
            return Some(0);
        }
        let lower = name.to_lowercase();
        let is_same = lower == self.lower;
        match self.matching {
            Matching::Exact | Matching::Regex => None,
            _ if is_same => Some(1),
            _ if lower.starts_with(&self.lower) => Some(2),
            _ if lower.contains(&self.lower) => Some(3),
            Matching::Contains => None,
            Matching::Fuzzy => gaps(&self.lower, &lower).map(|gaps| gaps.saturating_add(4)),
        }
    }
}

/// Returns the number of letters between the sought letters in a name, or `None` if it does not contain them
/// in order.
pub(crate) fn gaps(sought: &str, name: &str) -> Option<usize> {
    let mut rest = name.chars();
    let mut gaps: usize = 0;
    for (number, letter) in sought.chars().enumerate() {
        let skipped = rest.by_ref().position(|other| other == letter)?;
        // Letters before the first match count at most three.
        gaps = gaps.saturating_add(if number == 0 { skipped.min(3) } else { skipped });
    }
    Some(gaps)
}

/// A glob for file names or, with a `/`, for paths relative to the workspace.
pub(crate) struct FileGlob(Glob);

impl FileGlob {
    pub(crate) fn new(text: &str) -> Result<Self, ToolError> {
        Glob::new(text).map(Self).map_err(|error| ToolError::model(error.to_string()))
    }

    pub(crate) fn fits(&self, below: &Path) -> bool {
        self.0.fits(below)
    }
}

/// Returns the language that a call names.
pub(crate) fn language(name: Option<&str>) -> Result<Option<&'static Language>, ToolError> {
    let Some(name) = name else { return Ok(None) };
    Language::find_by_name(name).map(Some).ok_or_else(|| {
        let known = Language::with_symbols();
        ToolError::model(format!("unknown language `{name}`; languages with symbols: {known}"))
    })
}

/// Returns true if a file may have symbols: its name indicates a language with a grammar, and the requested
/// language if there is one. A file without an extension may indicate its language in the first line.
pub(crate) fn may_have_symbols(below: &Path, asked: Option<&'static Language>) -> bool {
    match Language::detect_by_name(below) {
        Some(language) => language.grammar.is_some() && asked.is_none_or(|asked| asked.name == language.name),
        None => below.extension().is_none(),
    }
}

#[cfg(test)]
mod tests;
