//! The collection of modes: built-in modes, the user's and the project's.

use std::sync::Arc;

use serde::Deserialize;

use crate::work_mode::{ModeFile, ModeFileGroup};
use crate::{FilePattern, PatternError, ToolGroup, WorkMode};

/// The maximum number of modes, and the maximum lengths of their texts in bytes.
const MOST_MODES: usize = 32;
/// The most entries in the list of a mode's groups.
const MOST_GROUPS: usize = 8;
const SLUG_BYTES: usize = 64;
const TEXT_BYTES: usize = 20_000;
/// The maximum length of a file of modes, in bytes. Parsing takes about a hundred times that memory.
const FILE_BYTES: usize = 256 * 1024;

/// The available modes, in order.
///
/// ```
/// use windlass_toolbox::{ModeOwner, WorkModes};
/// let file = r#"
/// [[mode]]
/// slug = "docs"
/// name = "Documentation"
/// role = "You write documentation."
/// groups = ["read", { group = "edit", file_regex = '\.md$', description = "Markdown" }]
/// "#;
/// let modes = WorkModes::builtin().with_file(file, ModeOwner::User)?;
/// assert_eq!(modes.iter().map(|mode| mode.slug.as_str()).collect::<Vec<_>>(),
///     ["architect", "code", "ask", "debug", "orchestrator", "docs"]);
/// # Ok::<(), windlass_toolbox::ModeError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct WorkModes {
    modes: Vec<Arc<WorkMode>>,
    replaced_errors: Vec<ModeError>,
}

/// The owner of a file with modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModeOwner {
    /// The user, whose file may replace an existing mode.
    User,
    /// The project, which may be untrusted; its file can only add modes.
    Project,
}

/// Error of [`WorkModes::with_file`]. It names the key; the reader of the file should add the file name.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModeError {
    /// The text is not a valid file of modes; the source names the position and the key.
    #[error("not a file of modes")]
    Toml(#[source] Box<toml::de::Error>),
    /// The slug is not valid.
    #[error("slug {slug:?}: use 1 to {SLUG_BYTES} lower-case letters, digits and dashes")]
    Slug {
        /// The invalid slug.
        slug: String,
    },
    /// Two modes in the file have the same slug.
    #[error("slug {slug:?}: two modes have this slug")]
    Twice {
        /// The repeated slug.
        slug: String,
    },
    /// A project's file redefines an existing mode.
    #[error("slug {slug:?}: a project's file can add modes, but not change an existing mode")]
    NotTheProjects {
        /// The slug of the mode.
        slug: String,
    },
    /// A text is empty or too long.
    #[error("mode {slug:?}, {key}: expected 1 to {TEXT_BYTES} bytes")]
    Text {
        /// The slug of the mode.
        slug: String,
        /// The key of the text: `name`, `role` or `when_to_use`.
        key: &'static str,
    },
    /// The file pattern is not valid.
    #[error("mode {slug:?}, group {group}, file_regex")]
    Pattern {
        /// The slug of the mode.
        slug: String,
        /// The group of the pattern.
        group: ToolGroup,
        /// The error of the pattern.
        source: PatternError,
    },
    /// The files that tools of the group access are unknown before they run, so a pattern would not be
    /// enforced.
    #[error("mode {slug:?}, group {group}: file_regex is allowed for read and edit only")]
    NoFiles {
        /// The slug of the mode.
        slug: String,
        /// The group of the pattern.
        group: ToolGroup,
    },
    /// The file is too long.
    #[error("it has {bytes} bytes, at most {FILE_BYTES} are allowed")]
    TooLong {
        /// The length of the file in bytes.
        bytes: usize,
    },
    /// The number of modes exceeds the maximum.
    #[error("there are more than {MOST_MODES} modes")]
    TooMany,
    /// A mode lists more groups than there could be.
    #[error("mode {slug}: more than {MOST_GROUPS} groups")]
    TooManyGroups {
        /// The slug of the mode.
        slug: String,
    },
}

/// Error for a slug without a mode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown mode {slug}; the modes are: {modes}")]
#[non_exhaustive]
pub struct UnknownMode {
    /// The requested slug.
    pub slug: String,
    /// The slugs of the available modes, separated by commas.
    pub modes: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, rename = "mode")]
    modes: Vec<ModeFile>,
}

impl WorkModes {
    /// Returns the built-in modes: architect, code, ask, debug, orchestrator.
    pub fn builtin() -> Self {
        let modes = crate::builtin_modes::modes();
        Self { modes: modes.into_iter().map(Arc::new).collect(), replaced_errors: Vec::new() }
    }

    /// Adds a mode. It replaces a mode of the same slug.
    pub fn with_mode(mut self, mode: WorkMode) -> Self {
        let mode = Arc::new(mode);
        match self.modes.iter_mut().find(|known| known.slug == mode.slug) {
            Some(known) => *known = mode,
            None => self.modes.push(mode),
        }
        self
    }

    /// Adds the modes of a TOML file: `[[mode]]` tables with `slug`, `name`, `role`, `when_to_use` and
    /// `groups`.
    ///
    /// # Errors
    /// Returns an error if the file is not valid: an unknown key, an unknown group, a bad pattern, or a
    /// repeated slug. No mode of such a file is added. An entry that a later entry of the same group replaces
    /// has no effect, so its invalid pattern is not an error; see [`replaced_errors`](Self::replaced_errors).
    pub fn with_file(mut self, text: &str, owner: ModeOwner) -> Result<Self, ModeError> {
        if text.len() > FILE_BYTES {
            return Err(ModeError::TooLong { bytes: text.len() });
        }
        let file: File = toml::from_str(text).map_err(|error| ModeError::Toml(Box::new(error)))?;
        // Before any pattern is built: each takes time and memory.
        if file.modes.len() > MOST_MODES {
            return Err(ModeError::TooMany);
        }
        let before = self.clone();
        let mut seen = Vec::new();
        for written in file.modes {
            let mode = checked(written, &mut self.replaced_errors)?;
            if seen.contains(&mode.slug) {
                return Err(ModeError::Twice { slug: mode.slug });
            }
            // A project's file must not turn `ask` into a mode that edits.
            if owner == ModeOwner::Project && before.get(&mode.slug).is_some() {
                return Err(ModeError::NotTheProjects { slug: mode.slug });
            }
            seen.push(mode.slug.clone());
            self = self.with_mode(mode);
        }
        if self.modes.len() > MOST_MODES {
            return Err(ModeError::TooMany);
        }
        Ok(self)
    }

    /// Returns the mode of a slug.
    pub fn get(&self, slug: &str) -> Option<&Arc<WorkMode>> {
        self.modes.iter().find(|mode| mode.slug == slug)
    }

    /// Returns the mode of a slug, or an error that lists the available modes.
    ///
    /// # Errors
    /// Returns an error if no mode has this slug.
    pub fn find(&self, slug: &str) -> Result<&Arc<WorkMode>, UnknownMode> {
        self.get(slug).ok_or_else(|| {
            let modes: Vec<_> = self.iter().map(|mode| mode.slug.as_str()).collect();
            UnknownMode { slug: slug.to_owned(), modes: modes.join(", ") }
        })
    }

    /// Iterates over all modes in order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<WorkMode>> {
        self.modes.iter()
    }

    /// Returns the errors of entries that a later entry of the same group replaces, in the order of the files.
    /// Such an entry has no effect, but its author should know that it is not valid. Only the syntax of its
    /// pattern is checked, not the size of the compiled form, because it is not compiled.
    pub fn replaced_errors(&self) -> &[ModeError] {
        &self.replaced_errors
    }

    /// Returns whether no mode is defined.
    pub fn is_empty(&self) -> bool {
        self.modes.is_empty()
    }
}

/// Checks a mode of a file. Appends the errors of replaced entries to `replaced_errors`.
fn checked(written: ModeFile, replaced_errors: &mut Vec<ModeError>) -> Result<WorkMode, ModeError> {
    let ModeFile { slug, name, role, when_to_use, groups } = written;
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if slug.is_empty() || slug.len() > SLUG_BYTES || !slug.chars().all(legal) {
        return Err(ModeError::Slug { slug });
    }
    for (key, text, may_be_empty) in
        [("name", &name, false), ("role", &role, false), ("when_to_use", &when_to_use, true)]
    {
        if text.len() > TEXT_BYTES || (text.trim().is_empty() && !may_be_empty) {
            return Err(ModeError::Text { slug, key });
        }
    }
    if groups.len() > MOST_GROUPS {
        return Err(ModeError::TooManyGroups { slug });
    }
    let mut mode = WorkMode::new(slug, name, role).when(when_to_use);
    // The last entry of a group counts, so the patterns of earlier ones are not compiled.
    let listed: Vec<ToolGroup> = groups.iter().map(|written| written.group).collect();
    for (at, written) in groups.into_iter().enumerate() {
        if listed.iter().skip(at.saturating_add(1)).any(|later| *later == written.group) {
            replaced_errors.extend(check_replaced(&mode.slug, &written).err());
        } else {
            mode = with_group(mode, written)?;
        }
    }
    Ok(mode)
}

/// Checks an entry that a later one replaces, without compiling its pattern.
fn check_replaced(slug: &str, written: &ModeFileGroup) -> Result<(), ModeError> {
    let Some(pattern) = &written.file_regex else { return Ok(()) };
    check_group(slug, written.group)?;
    FilePattern::check_syntax(pattern).map_err(|source| ModeError::Pattern {
        slug: slug.to_owned(),
        group: written.group,
        source,
    })
}

/// Checks that a pattern of a group is enforced: the files that commands and servers access are unknown before
/// they run, so a pattern would promise more.
fn check_group(slug: &str, group: ToolGroup) -> Result<(), ModeError> {
    if matches!(group, ToolGroup::Read | ToolGroup::Edit) {
        return Ok(());
    }
    Err(ModeError::NoFiles { slug: slug.to_owned(), group })
}

fn with_group(mode: WorkMode, written: ModeFileGroup) -> Result<WorkMode, ModeError> {
    let ModeFileGroup { group, file_regex, description } = written;
    let Some(pattern) = file_regex else { return Ok(mode.with_group(group)) };
    check_group(&mode.slug, group)?;
    let refuse = |source| ModeError::Pattern { slug: mode.slug.clone(), group, source };
    let pattern = FilePattern::new(&pattern).map_err(refuse)?;
    let pattern = description.into_iter().fold(pattern, FilePattern::with_description);
    Ok(mode.with_files(group, pattern))
}
