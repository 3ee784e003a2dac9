//! A mode: what kind of work a run does, and what it may use for it.

use std::fmt::{self, Write as _};

use regex::{Regex, RegexBuilder};
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::ToolGroup;

/// The longest pattern, in bytes, and how much memory a compiled one may take.
const PATTERN_BYTES: usize = 1_000;
const COMPILED_BYTES: usize = 128 * 1024;

/// A mode: what kind of work a run does, as planning or answering, and which tools it has for it.
///
/// A mode only restricts. What it gives is still judged by policy, call by call; how far a run goes without asking is
/// another matter, and `windlass_hitl::Mode` is about that.
///
/// ```
/// use windlass_toolbox::{FilePattern, ToolGroup, WorkMode};
/// let mode = WorkMode::new("docs", "Documentation", "You write documentation.")
///     .with(ToolGroup::Read)
///     .with_files(ToolGroup::Edit, FilePattern::new(r"\.md$")?.with_description("Markdown"));
/// assert!(mode.gives(ToolGroup::Edit) && !mode.gives(ToolGroup::Command));
/// assert!(mode.files(ToolGroup::Edit).is_some_and(|files| files.has("docs/a.md") && !files.has("src/a.rs")));
/// # Ok::<(), windlass_toolbox::PatternError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WorkMode {
    /// What it is called in files, on the command line and by the model: letters, digits and dashes.
    pub slug: String,
    /// What a human reads.
    pub name: String,
    /// What the model is told that it is, in the system prompt.
    pub role: String,
    /// When to change into it, for the model and the human.
    pub when_to_use: String,
    groups: Vec<(ToolGroup, Option<FilePattern>)>,
}

impl WorkMode {
    /// A mode that gives only what every mode has.
    pub fn new(slug: impl Into<String>, name: impl Into<String>, role: impl Into<String>) -> Self {
        let (slug, name, role) = (slug.into(), name.into(), role.into());
        Self { slug, name, role, when_to_use: String::new(), groups: Vec::new() }
    }

    /// The same mode, with when to change into it.
    pub fn when(mut self, when_to_use: impl Into<String>) -> Self {
        self.when_to_use = when_to_use.into();
        self
    }

    /// The same mode with a group.
    pub fn with(self, group: ToolGroup) -> Self {
        self.give(group, None)
    }

    /// The same mode with a group whose tools write only files of a pattern.
    pub fn with_files(self, group: ToolGroup, files: FilePattern) -> Self {
        self.give(group, Some(files))
    }

    fn give(mut self, group: ToolGroup, files: Option<FilePattern>) -> Self {
        self.groups.retain(|(known, _)| *known != group);
        self.groups.push((group, files));
        self
    }

    /// Whether its tools have a group.
    pub fn gives(&self, group: ToolGroup) -> bool {
        group == ToolGroup::Modes || self.groups.iter().any(|(known, _)| *known == group)
    }

    /// Which files the tools of a group may write, where that is restricted.
    pub fn files(&self, group: ToolGroup) -> Option<&FilePattern> {
        self.groups.iter().find(|(known, _)| *known == group).and_then(|(_, files)| files.as_ref())
    }

    /// What it gives, in the order in which it says so.
    pub fn groups(&self) -> impl Iterator<Item = (ToolGroup, Option<&FilePattern>)> {
        self.groups.iter().map(|(group, files)| (*group, files.as_ref()))
    }

    /// What the model is told of it in the system prompt.
    pub fn prompt(&self) -> String {
        let mut text = format!("You are in the mode {} ({}). {}", self.name, self.slug, self.role);
        for (group, files) in self.groups() {
            if let Some(files) = files {
                let _ = write!(text, "\nIn this mode the tools of the group {group} write only {files}.");
            }
        }
        text
    }
}

/// Which files a mode lets tools write: a regular expression that is looked for in the path, relative to the workspace
/// with `/` between names.
#[derive(Clone, Debug)]
pub struct FilePattern {
    regex: Regex,
    description: Option<String>,
}

/// Why a text is no pattern of files.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// It has too many bytes.
    #[error("the pattern has {len} bytes, at most {PATTERN_BYTES} are taken")]
    TooLong {
        /// How many.
        len: usize,
    },
    /// It is no regular expression, or one that would take too much memory.
    #[error("the pattern {pattern:?} is refused")]
    Regex {
        /// The pattern.
        pattern: String,
        /// Why.
        source: regex::Error,
    },
}

impl FilePattern {
    /// A pattern. Looking for it takes time in proportion to the path, whatever it is.
    ///
    /// # Errors
    /// If it is no regular expression, is too long, or would take too much memory.
    pub fn new(pattern: &str) -> Result<Self, PatternError> {
        if pattern.len() > PATTERN_BYTES {
            return Err(PatternError::TooLong { len: pattern.len() });
        }
        let regex =
            RegexBuilder::new(pattern).size_limit(COMPILED_BYTES).dfa_size_limit(COMPILED_BYTES).build();
        let regex = regex.map_err(|source| PatternError::Regex { pattern: pattern.to_owned(), source })?;
        Ok(Self { regex, description: None })
    }

    /// The same pattern, with what it means.
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The regular expression.
    pub fn as_str(&self) -> &str {
        self.regex.as_str()
    }

    /// What it means, if somebody said so.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Whether a path is one of its files.
    pub fn has(&self, path: &str) -> bool {
        self.regex.is_match(path)
    }
}

impl fmt::Display for FilePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.description {
            Some(description) => write!(f, "files that match {} ({description})", self.as_str()),
            None => write!(f, "files that match {}", self.as_str()),
        }
    }
}

/// A mode as a file has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Written {
    pub(crate) slug: String,
    pub(crate) name: String,
    pub(crate) role: String,
    #[serde(default)]
    pub(crate) when_to_use: String,
    pub(crate) groups: Vec<WrittenGroup>,
}

/// A group as a file has it: a word, or a table with a pattern.
#[derive(Debug)]
pub(crate) struct WrittenGroup {
    pub(crate) group: ToolGroup,
    pub(crate) file_regex: Option<String>,
    pub(crate) description: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    group: ToolGroup,
    file_regex: Option<String>,
    description: Option<String>,
}

/// By hand, because serde's own way for "one or the other" does not say which key is wrong.
impl<'de> Deserialize<'de> for WrittenGroup {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(GroupVisitor)
    }
}

struct GroupVisitor;

impl<'de> Visitor<'de> for GroupVisitor {
    type Value = WrittenGroup;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "read, edit, command, browser, mcp, modes, or a table with group, file_regex and description",
        )
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<WrittenGroup, E> {
        let group = ToolGroup::deserialize(de::value::StrDeserializer::new(word))?;
        Ok(WrittenGroup { group, file_regex: None, description: None })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<WrittenGroup, A::Error> {
        let table = Table::deserialize(de::value::MapAccessDeserializer::new(map))?;
        Ok(WrittenGroup { group: table.group, file_regex: table.file_regex, description: table.description })
    }
}
