//! The modes that there are: built in, the user's, the project's.

use std::sync::Arc;

use serde::Deserialize;

use crate::work_mode::{Written, WrittenGroup};
use crate::{FilePattern, PatternError, ToolGroup, WorkMode};

/// The most modes, and the longest texts of one.
const MOST_MODES: usize = 64;
/// The most entries in the list of a mode's groups.
const MOST_GROUPS: usize = 8;
const SLUG_BYTES: usize = 64;
const TEXT_BYTES: usize = 20_000;

/// The modes that there are, in order.
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
}

/// Whose a file of modes is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModeOwner {
    /// The user's: it may say what a mode that is there is instead.
    User,
    /// The project's, which may be a stranger's: it may only add modes.
    Project,
}

/// Why modes cannot be taken. Each names the key; whoever read the file adds its name.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModeError {
    /// It is no file of modes; the source says where and which key.
    #[error("not a file of modes")]
    Toml(#[source] Box<toml::de::Error>),
    /// A slug is not one.
    #[error("slug {slug:?}: one to {SLUG_BYTES} small letters, digits and dashes are wanted")]
    Slug {
        /// What stands there.
        slug: String,
    },
    /// Two modes have one slug.
    #[error("slug {slug:?}: there are two modes of this slug")]
    Twice {
        /// The slug.
        slug: String,
    },
    /// A project says what a mode is that was there without it.
    #[error("slug {slug:?}: a project's file adds modes, and does not change one that is there")]
    NotTheProjects {
        /// The slug.
        slug: String,
    },
    /// A text is empty or too long.
    #[error("mode {slug:?}, {key}: one to {TEXT_BYTES} bytes are wanted")]
    Text {
        /// The mode.
        slug: String,
        /// The key.
        key: &'static str,
    },
    /// A pattern of files cannot be taken.
    #[error("mode {slug:?}, group {group}, file_regex")]
    Pattern {
        /// The mode.
        slug: String,
        /// The group.
        group: ToolGroup,
        /// Why.
        source: PatternError,
    },
    /// The files of a group cannot be told, so a pattern would hold nothing.
    #[error("mode {slug:?}, group {group}: file_regex is taken for read and edit only")]
    NoFiles {
        /// The mode.
        slug: String,
        /// The group.
        group: ToolGroup,
    },
    /// There are too many.
    #[error("there are more than {MOST_MODES} modes")]
    TooMany,
    /// A mode lists more groups than there could be.
    #[error("mode {slug}: more than {MOST_GROUPS} groups")]
    TooManyGroups {
        /// Which mode.
        slug: String,
    },
}

/// There is no mode of this slug.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no mode {slug}; the modes are: {modes}")]
#[non_exhaustive]
pub struct UnknownMode {
    /// What was asked for.
    pub slug: String,
    /// Those that there are.
    pub modes: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, rename = "mode")]
    modes: Vec<Written>,
}

impl WorkModes {
    /// Those that everybody has: architect, code, ask, debug, orchestrator.
    pub fn builtin() -> Self {
        let modes = crate::builtin_modes::modes();
        Self { modes: modes.into_iter().map(Arc::new).collect() }
    }

    /// The same modes and one more. One of the same slug takes the place of the one that was there.
    pub fn with(mut self, mode: WorkMode) -> Self {
        let mode = Arc::new(mode);
        match self.modes.iter_mut().find(|known| known.slug == mode.slug) {
            Some(known) => *known = mode,
            None => self.modes.push(mode),
        }
        self
    }

    /// The same modes and those of a file: `[[mode]]` tables with `slug`, `name`, `role`, `when_to_use` and `groups`.
    ///
    /// # Errors
    /// If the file is none of modes: an unknown key, an unknown group, a bad pattern, a slug twice. Nothing of such a
    /// file is taken.
    pub fn with_file(mut self, text: &str, owner: ModeOwner) -> Result<Self, ModeError> {
        let file: File = toml::from_str(text).map_err(|error| ModeError::Toml(Box::new(error)))?;
        // Before any pattern is built: each takes time and memory.
        if file.modes.len() > MOST_MODES {
            return Err(ModeError::TooMany);
        }
        let before = self.clone();
        let mut seen = Vec::new();
        for written in file.modes {
            let mode = checked(written)?;
            if seen.contains(&mode.slug) {
                return Err(ModeError::Twice { slug: mode.slug });
            }
            // A stranger's file must not make `ask` a mode that edits.
            if owner == ModeOwner::Project && before.get(&mode.slug).is_some() {
                return Err(ModeError::NotTheProjects { slug: mode.slug });
            }
            seen.push(mode.slug.clone());
            self = self.with(mode);
        }
        if self.modes.len() > MOST_MODES {
            return Err(ModeError::TooMany);
        }
        Ok(self)
    }

    /// The mode of a slug.
    pub fn get(&self, slug: &str) -> Option<&Arc<WorkMode>> {
        self.modes.iter().find(|mode| mode.slug == slug)
    }

    /// The mode of a slug.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(&self, slug: &str) -> Result<&Arc<WorkMode>, UnknownMode> {
        self.get(slug).ok_or_else(|| {
            let modes: Vec<_> = self.iter().map(|mode| mode.slug.as_str()).collect();
            UnknownMode { slug: slug.to_owned(), modes: modes.join(", ") }
        })
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<WorkMode>> {
        self.modes.iter()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.modes.is_empty()
    }
}

fn checked(written: Written) -> Result<WorkMode, ModeError> {
    let Written { slug, name, role, when_to_use, groups } = written;
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
    for written in groups {
        mode = with_group(mode, written)?;
    }
    Ok(mode)
}

fn with_group(mode: WorkMode, written: WrittenGroup) -> Result<WorkMode, ModeError> {
    let WrittenGroup { group, file_regex, description } = written;
    let Some(pattern) = file_regex else { return Ok(mode.with(group)) };
    let slug = || mode.slug.clone();
    // What a command or a server touches is not known before it runs, so a pattern would promise what nobody holds.
    if !matches!(group, ToolGroup::Read | ToolGroup::Edit) {
        return Err(ModeError::NoFiles { slug: slug(), group });
    }
    let pattern =
        FilePattern::new(&pattern).map_err(|source| ModeError::Pattern { slug: slug(), group, source })?;
    let pattern = description.into_iter().fold(pattern, FilePattern::with_description);
    Ok(mode.with_files(group, pattern))
}
