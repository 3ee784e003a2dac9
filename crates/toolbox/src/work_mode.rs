//! Modes: a kind of work and the tools that are granted for it.

use std::fmt::{self, Write as _};

use regex::{Regex, RegexBuilder};
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::ToolGroup;

/// The maximum length of a pattern and the maximum size of its compiled form, in bytes.
const PATTERN_BYTES: usize = 1_000;
const COMPILED_BYTES: usize = 128 * 1024;

/// A mode: a kind of work, such as planning or answering questions, and the tools that are granted for it.
///
/// A mode only restricts. Policy still decides about every call of a granted tool. The degree of autonomy is
/// independent of the mode; see `windlass_hitl::Autonomy`.
///
/// ```
/// use windlass_toolbox::{FilePattern, ToolGroup, WorkMode};
/// let mode = WorkMode::new("docs", "Documentation", "You write documentation.")
///     .with_group(ToolGroup::Read)
///     .with_files(ToolGroup::Edit, FilePattern::new(r"\.md$")?.with_description("Markdown"));
/// assert!(mode.gives(ToolGroup::Edit) && !mode.gives(ToolGroup::Command));
/// assert!(mode.files(ToolGroup::Edit).is_some_and(|files| files.has("docs/a.md") && !files.has("src/a.rs")));
/// # Ok::<(), windlass_toolbox::PatternError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WorkMode {
    /// The identifier in files, on the command line and for the model: lowercase letters, digits and dashes.
    pub slug: String,
    /// The name for a human.
    pub name: String,
    /// The model's role, a part of the system prompt.
    pub role: String,
    /// Guidance for the model and the human on when to use the mode.
    pub when_to_use: String,
    groups: Vec<(ToolGroup, Option<FilePattern>)>,
}

impl WorkMode {
    /// Creates a mode without groups. It has only the tools that every mode has.
    pub fn new(slug: impl Into<String>, name: impl Into<String>, role: impl Into<String>) -> Self {
        let (slug, name, role) = (slug.into(), name.into(), role.into());
        Self { slug, name, role, when_to_use: String::new(), groups: Vec::new() }
    }

    /// Sets the guidance on when to use the mode.
    pub fn when(mut self, when_to_use: impl Into<String>) -> Self {
        self.when_to_use = when_to_use.into();
        self
    }

    /// Grants a group.
    pub fn with_group(self, group: ToolGroup) -> Self {
        self.give(group, None)
    }

    /// Grants a group restricted to the files of a pattern. The pattern restricts reads for
    /// [`ToolGroup::Read`] and writes for [`ToolGroup::Edit`]. For another group it only refuses calls whose
    /// effects are unknown.
    pub fn with_files(self, group: ToolGroup, files: FilePattern) -> Self {
        self.give(group, Some(files))
    }

    fn give(mut self, group: ToolGroup, files: Option<FilePattern>) -> Self {
        self.groups.retain(|(known, _)| *known != group);
        self.groups.push((group, files));
        self
    }

    /// Returns whether the mode grants a group.
    pub fn gives(&self, group: ToolGroup) -> bool {
        group == ToolGroup::Modes || self.groups.iter().any(|(known, _)| *known == group)
    }

    /// Returns the file pattern of a group: for `read` the files that may be read, for `edit` the files that
    /// may be written.
    pub fn files(&self, group: ToolGroup) -> Option<&FilePattern> {
        self.groups.iter().find(|(known, _)| *known == group).and_then(|(_, files)| files.as_ref())
    }

    /// Iterates over the granted groups in the order of definition.
    pub fn groups(&self) -> impl Iterator<Item = (ToolGroup, Option<&FilePattern>)> {
        self.groups.iter().map(|(group, files)| (*group, files.as_ref()))
    }

    /// Returns the text for the system prompt.
    pub fn prompt(&self) -> String {
        let mut text = format!("You are in the mode {} ({}). {}", self.name, self.slug, self.role);
        for (group, files) in self.groups() {
            if let Some(files) = files {
                let verb = if group == ToolGroup::Read { "read" } else { "write" };
                let _ = write!(text, "\nIn this mode the tools of the group {group} {verb} only {files}.");
            }
        }
        text
    }
}

/// A pattern of the files that tools of a mode may access: a regular expression that is searched in the path.
/// Paths are relative to the workspace and use `/` as separator.
#[derive(Clone, Debug)]
pub struct FilePattern {
    regex: Regex,
    description: Option<String>,
}

/// Error of [`FilePattern::new`].
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// The pattern is too long.
    #[error("the pattern has {len} bytes, at most {PATTERN_BYTES} are allowed")]
    TooLong {
        /// The length in bytes.
        len: usize,
    },
    /// The pattern is not a valid regular expression, or its compiled form is too large.
    #[error("the pattern {pattern:?} is refused")]
    Regex {
        /// The refused pattern.
        pattern: String,
        /// The error of the regular-expression compiler.
        source: regex::Error,
    },
}

impl FilePattern {
    /// Compiles a pattern. Matching takes time linear in the length of the path.
    ///
    /// # Errors
    /// Returns an error if the pattern is not a valid regular expression, is too long, or its compiled form
    /// is too large.
    pub fn new(pattern: &str) -> Result<Self, PatternError> {
        if pattern.len() > PATTERN_BYTES {
            return Err(PatternError::TooLong { len: pattern.len() });
        }
        let regex =
            RegexBuilder::new(pattern).size_limit(COMPILED_BYTES).dfa_size_limit(COMPILED_BYTES).build();
        let regex = regex.map_err(|source| PatternError::Regex { pattern: pattern.to_owned(), source })?;
        Ok(Self { regex, description: None })
    }

    /// Checks the syntax of a pattern that is not used. Unlike [`new`](Self::new) it compiles nothing: the compiler
    /// stops at its first instruction, because the size limit is 0.
    pub(crate) fn check_syntax(pattern: &str) -> Result<(), PatternError> {
        if pattern.len() > PATTERN_BYTES {
            return Err(PatternError::TooLong { len: pattern.len() });
        }
        match RegexBuilder::new(pattern).size_limit(0).build() {
            Ok(_) | Err(regex::Error::CompiledTooBig(_)) => Ok(()),
            Err(source) => Err(PatternError::Regex { pattern: pattern.to_owned(), source }),
        }
    }

    /// Sets the description of the files.
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Returns the regular expression.
    pub fn as_str(&self) -> &str {
        self.regex.as_str()
    }

    /// Returns the description of the files.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Returns whether the pattern matches a path.
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

/// A mode in a configuration file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModeFile {
    pub(crate) slug: String,
    pub(crate) name: String,
    pub(crate) role: String,
    #[serde(default)]
    pub(crate) when_to_use: String,
    pub(crate) groups: Vec<ModeFileGroup>,
}

/// A group in a configuration file: a word, or a table with a pattern.
#[derive(Debug)]
pub(crate) struct ModeFileGroup {
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

/// Implemented by hand because serde's untagged enums do not report which key is wrong.
impl<'de> Deserialize<'de> for ModeFileGroup {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(GroupVisitor)
    }
}

struct GroupVisitor;

impl<'de> Visitor<'de> for GroupVisitor {
    type Value = ModeFileGroup;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "read, edit, command, browser, mcp, modes, or a table with group, file_regex and description",
        )
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<ModeFileGroup, E> {
        let group = ToolGroup::deserialize(de::value::StrDeserializer::new(word))?;
        Ok(ModeFileGroup { group, file_regex: None, description: None })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ModeFileGroup, A::Error> {
        let table = Table::deserialize(de::value::MapAccessDeserializer::new(map))?;
        Ok(ModeFileGroup { group: table.group, file_regex: table.file_regex, description: table.description })
    }
}
