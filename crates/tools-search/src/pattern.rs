//! What is looked for, and in which files: the arguments made ready before the walk begins.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use ignore::types::{Types, TypesBuilder};
use windlass_tool::ToolError;

use crate::grep::GrepArguments;

const MAX_CONTEXT: usize = 10;
/// How long a line may be, and a file where matches span lines; what is longer is passed over and told.
pub(crate) const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;
const MAX_GLOB_BYTES: usize = 1_000;
/// How many bytes of automaton a pattern may need.
const MAX_PATTERN_BYTES: usize = 10 * 1024 * 1024;

/// What is looked for, and in which files.
pub(crate) struct Wanted {
    pub(crate) matcher: RegexMatcher,
    is_multiline: bool,
    context: usize,
    glob: Option<NameGlob>,
    types: Option<Types>,
}

/// A glob, and whether it says which files are not wanted.
struct NameGlob {
    matcher: GlobMatcher,
    is_negated: bool,
    by_name: bool,
}

impl Wanted {
    pub(crate) fn new(arguments: &GrepArguments) -> Result<Self, ToolError> {
        Ok(Self {
            matcher: matcher(arguments)?,
            is_multiline: arguments.multiline.unwrap_or(false),
            context: arguments.context.unwrap_or(0).min(MAX_CONTEXT),
            glob: arguments.glob.as_deref().map(NameGlob::new).transpose()?,
            types: arguments.r#type.as_deref().map(types).transpose()?,
        })
    }

    /// Whether a file is looked into, by its path below the workspace.
    pub(crate) fn includes(&self, below: &Path) -> bool {
        self.glob.as_ref().is_none_or(|glob| glob.fits(below))
            && self.types.as_ref().is_none_or(|types| !types.matched(below, false).is_ignore())
    }

    /// A searcher that only finds, which is quicker than one that knows the lines' numbers.
    pub(crate) fn counter(&self) -> Searcher {
        self.builder().line_number(false).build()
    }

    /// A searcher for what is shown.
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
        builder
    }
}

fn matcher(arguments: &GrepArguments) -> Result<RegexMatcher, ToolError> {
    let is_multiline = arguments.multiline.unwrap_or(false);
    let mut builder = RegexMatcherBuilder::new();
    builder
        .case_insensitive(arguments.ignore_case.unwrap_or(false))
        .fixed_strings(arguments.literal.unwrap_or(false))
        .multi_line(true)
        .dot_matches_new_line(is_multiline)
        .size_limit(MAX_PATTERN_BYTES)
        .dfa_size_limit(MAX_PATTERN_BYTES);
    if !is_multiline {
        builder.line_terminator(Some(b'\n'));
    }
    builder.build(&arguments.pattern).map_err(|error| {
        ToolError::model(format!(
            "the pattern is no regular expression that can be searched line by line: {error}. To find it as plain text put `\\` before each of . ( ) [ ] {{ }} * + ? ^ $ | \\ or set literal; to match over several lines set multiline"
        ))
    })
}

impl NameGlob {
    fn new(text: &str) -> Result<Self, ToolError> {
        let len = text.len();
        if len > MAX_GLOB_BYTES {
            return Err(ToolError::model(format!(
                "the glob has {len} bytes, at most {MAX_GLOB_BYTES} are taken"
            )));
        }
        let positive = text.strip_prefix('!').unwrap_or(text);
        let built = GlobBuilder::new(positive).literal_separator(true).build();
        let matcher = built
            .map(|glob| glob.compile_matcher())
            .map_err(|error| ToolError::model(format!("{error}; give a glob as `*.rs` or `src/**/*.rs`")))?;
        // A glob without `/` is meant for the name, in whatever folder.
        Ok(Self { matcher, is_negated: positive.len() < len, by_name: !positive.contains('/') })
    }

    fn fits(&self, below: &Path) -> bool {
        let is_match = match below.file_name() {
            Some(name) if self.by_name => self.matcher.is_match(name),
            _ => self.matcher.is_match(below),
        };
        is_match != self.is_negated
    }
}

fn types(name: &str) -> Result<Types, ToolError> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults().select(name);
    builder.build().map_err(|_| {
        ToolError::model(format!(
            "there is no file type `{name}`; use one of ripgrep's, as rust, py, js, ts, go, java, c, cpp, sh, md, json, toml, yaml, or a glob as `*.ext`"
        ))
    })
}
