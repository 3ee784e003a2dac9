//! Search criteria, compiled from the arguments before the walk begins.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use ignore::types::{Types, TypesBuilder};
use windlass_text::Glob;
use windlass_tool::ToolError;

use crate::grep::GrepArguments;

/// Line end in a multi-line pattern.
const LINE_END: &str = r"(?:\r?\n)";
const MAX_CONTEXT: usize = 10;
/// Maximum size of a line, or of a file in a multi-line search, in bytes. Larger ones are skipped and
/// reported.
pub(crate) const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;
/// Maximum length of a pattern, in bytes. Parsing takes about a hundred times that memory.
const MAX_TEXT_BYTES: usize = 16 * 1024;
/// Maximum size of a compiled pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 2 * 1024 * 1024;

/// Compiled search criteria.
pub(crate) struct SearchCriteria {
    pub(crate) matcher: RegexMatcher,
    is_multiline: bool,
    context: usize,
    glob: Option<NameGlob>,
    types: Option<Types>,
}

/// A glob that selects files, or excludes them if it is negated.
struct NameGlob {
    glob: Glob,
    is_negated: bool,
}

impl SearchCriteria {
    pub(crate) fn new(arguments: &GrepArguments) -> Result<Self, ToolError> {
        Ok(Self {
            matcher: matcher(arguments)?,
            is_multiline: arguments.multiline.unwrap_or(false),
            context: arguments.context.unwrap_or(0).min(MAX_CONTEXT),
            glob: arguments.glob.as_deref().map(NameGlob::new).transpose()?,
            types: arguments.r#type.as_deref().map(types).transpose()?,
        })
    }

    /// Returns true if a file is searched, given its path relative to the workspace.
    pub(crate) fn includes(&self, below: &Path) -> bool {
        self.glob.as_ref().is_none_or(|glob| glob.fits(below))
            && self.types.as_ref().is_none_or(|types| !types.matched(below, false).is_ignore())
    }

    /// Returns the number of context lines around each match.
    pub(crate) fn context(&self) -> usize {
        self.context
    }

    /// Returns a searcher without line numbers, which is faster, for counting.
    pub(crate) fn counter(&self) -> Searcher {
        self.builder().line_number(false).build()
    }

    /// Returns a searcher with line numbers and context, for the results.
    pub(crate) fn shower(&self) -> Searcher {
        let context = self.context;
        self.builder().line_number(true).before_context(context).after_context(context).build()
    }

    fn builder(&self) -> SearcherBuilder {
        let mut builder = SearcherBuilder::new();
        builder
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(MAX_LINE_BYTES))
            .multi_line(self.is_multiline);
        if !self.is_multiline {
            builder.line_terminator(LineTerminator::crlf());
        }
        builder
    }
}

/// Compiles the pattern. Lines end with `\n` or `\r\n`: `$` matches before both, and in a multi-line pattern
/// `\n` matches both.
fn matcher(arguments: &GrepArguments) -> Result<RegexMatcher, ToolError> {
    let bytes = arguments.pattern.len();
    if bytes > MAX_TEXT_BYTES {
        return Err(ToolError::model(format!(
            "the pattern has {bytes} bytes, at most {MAX_TEXT_BYTES} are allowed"
        ))
        .with_advice("Look for a shorter part of it."));
    }
    let is_multiline = arguments.multiline.unwrap_or(false);
    let is_literal = arguments.literal.unwrap_or(false);
    let mut builder = RegexMatcherBuilder::new();
    builder
        .case_insensitive(arguments.ignore_case.unwrap_or(false))
        .fixed_strings(is_literal && !is_multiline)
        .multi_line(true)
        .dot_matches_new_line(is_multiline)
        .size_limit(MAX_PATTERN_BYTES)
        .dfa_size_limit(MAX_PATTERN_BYTES)
        .crlf(true);
    let pattern = match (is_multiline, is_literal) {
        (false, _) => Cow::Borrowed(arguments.pattern.as_str()),
        (true, true) => Cow::Owned(escape_plain(&arguments.pattern)),
        (true, false) => Cow::Owned(match_both_line_ends(&arguments.pattern)),
    };
    if is_multiline {
        builder.line_terminator(None);
    }
    builder.build(&pattern).map_err(|error| {
        ToolError::model(format!(
            "the pattern is not a regular expression that can be searched line by line: {error}"
        ))
        .with_advice(
            "To find it as plain text put `\\` before each of . ( ) [ ] { } * + ? ^ $ | \\ or set literal; to match \
             over several lines set multiline.",
        )
    })
}

/// Rewrites `\n` outside of brackets so that it also matches `\r\n`.
fn match_both_line_ends(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let (mut letters, mut depth) = (pattern.chars(), 0_usize);
    // In verbose mode, literal line ends are only layout.
    let is_verbose = pattern.starts_with("(?x");
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n') if depth == 0 => out.push_str(LINE_END),
                next => out.extend(['\\'].into_iter().chain(next)),
            },
            '\n' if depth == 0 && !is_verbose => out.push_str(LINE_END),
            _ => {
                match letter {
                    '[' => depth = depth.saturating_add(1),
                    ']' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                out.push(letter);
            }
        }
    }
    // Where the pattern itself has `\r\n`, remove the additional `\r`.
    out.replace(&format!("\\r{LINE_END}"), LINE_END)
}

/// Escapes plain text to a pattern in which each line end matches both forms.
fn escape_plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.replace("\r\n", "\n").chars() {
        match letter {
            '\n' => out.push_str(LINE_END),
            _ if letter.is_ascii() && !letter.is_ascii_alphanumeric() => {
                // Writing into a string cannot fail.
                let _ = write!(out, "\\x{:02x}", u32::from(letter));
            }
            _ => out.push(letter),
        }
    }
    out
}

impl NameGlob {
    fn new(text: &str) -> Result<Self, ToolError> {
        let positive = text.strip_prefix('!').unwrap_or(text);
        let glob = Glob::new(positive).map_err(|error| ToolError::model(error.to_string()))?;
        Ok(Self { glob, is_negated: positive.len() < text.len() })
    }

    fn fits(&self, below: &Path) -> bool {
        self.glob.fits(below) != self.is_negated
    }
}

fn types(name: &str) -> Result<Types, ToolError> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults().select(name);
    builder.build().map_err(|_| {
        ToolError::model(format!("unknown file type `{name}`")).with_advice(
            "Use one of ripgrep's, as rust, py, js, ts, go, java, c, cpp, sh, md, json, toml, yaml, or a glob as \
             `*.ext`.",
        )
    })
}

#[cfg(test)]
mod tests;
