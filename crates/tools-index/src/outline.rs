//! Outline of a file: its symbols, imports and line counts.

mod lines;
mod names;
#[cfg(test)]
mod tests;
mod walk;

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use tree_sitter::{ParseOptions, Parser, Tree};

use crate::grammar::Ready;
use crate::language::Language;
use crate::place::now;
use crate::symbol::Symbol;

pub use self::lines::LineCounts;

/// Maximum size of a source file that is parsed, in bytes.
pub const MAX_SOURCE_BYTES: usize = 2 * 1024 * 1024;
/// Maximum number of symbols of one file.
const MAX_SYMBOLS: usize = 20_000;
/// Maximum time for parsing and walking one file.
const MAX_PARSE_TIME: Duration = Duration::from_secs(2);

/// Outline of a source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outline {
    /// Name of the language; `None` if it is unknown.
    pub language: Option<&'static str>,
    /// Symbols, ordered by their start.
    pub symbols: Vec<Symbol>,
    /// Line and text of each import.
    pub imports: Vec<(usize, String)>,
    /// Numbers of lines, by kind.
    pub lines: LineCounts,
    /// Reason why symbols may be missing; `None` if the outline is complete.
    pub gap: Option<Gap>,
}

/// Reason why symbols of a file are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Gap {
    /// This build contains no grammar for the language.
    NoGrammar,
    /// The file is longer than [`MAX_SOURCE_BYTES`].
    TooLong,
    /// Parsing took too long or was cancelled.
    Stopped,
    /// The grammar cannot parse parts of the text.
    Errors,
    /// The file has more symbols than the limit.
    TooMany,
}

impl Gap {
    /// Returns a description for the model.
    pub fn words(self) -> &'static str {
        match self {
            Self::NoGrammar => "its language has no grammar",
            Self::TooLong => "it is too long to be parsed",
            Self::Stopped => "the parse took too long",
            Self::Errors => "parts of it cannot be parsed, so some symbols may be missing",
            Self::TooMany => "it has too many symbols, the later ones are missing",
        }
    }
}

/// Parses a source file. It never fails: parts that cannot be parsed are missing, and [`Outline::gap`] is the
/// reason.
///
/// `stopped` is polled while parsing; return true to cancel.
///
/// ```
/// use windlass_tools_index::{Kind, outline};
/// let found = outline("a.py".as_ref(), b"def add(a, b):\n    return a + b\n", &|| false);
/// let symbol = found.symbols.first().ok_or("nothing found")?;
/// assert_eq!((symbol.kind, symbol.name.as_str(), symbol.last), (Kind::Function, "add", 2));
/// # Ok::<(), &str>(())
/// ```
pub fn outline(path: &Path, source: &[u8], stopped: &dyn Fn() -> bool) -> Outline {
    let language = Language::detect(path, source).map(|(language, _)| language);
    outline_in(language, source, stopped)
}

pub(crate) fn outline_in(
    language: Option<&'static Language>,
    source: &[u8],
    stopped: &dyn Fn() -> bool,
) -> Outline {
    let name = language.map(|language| language.name);
    let comments = language.map(|language| language.comments).unwrap_or_default();
    let plain = |gap| {
        let lines = lines::count_by_marks(source, comments);
        Outline { language: name, lines, gap: Some(gap), ..Outline::default() }
    };
    let Some(grammar) = language.and_then(|language| language.grammar) else { return plain(Gap::NoGrammar) };
    if source.len() > MAX_SOURCE_BYTES {
        return plain(Gap::TooLong);
    }
    let ready = grammar.ready();
    let start = now();
    let is_over = || stopped() || start.elapsed() > MAX_PARSE_TIME;
    let Some(tree) = parse(ready, source, &is_over) else { return plain(Gap::Stopped) };
    let mut outline = walk::walk(ready, &tree, source, MAX_SYMBOLS, &is_over);
    outline.language = name;
    outline
}

/// Parses a source. Returns `None` when `is_over` returns true.
fn parse(ready: &Ready, source: &[u8], is_over: &dyn Fn() -> bool) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&ready.language).ok()?;
    let mut progress = |_: &tree_sitter::ParseState| {
        if is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut piece = |at: usize, _| source.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut piece, None, Some(options))
}
