//! `Skills`: instructions that a person wrote for the model, looked up by name.

use std::fmt::Write as _;
use std::path::Path;

use windlass_sandbox::{Kind, SettingsOwner, WorkspacePath};

use crate::document::{Document, DocumentError};
use crate::folder::{LEADS_OUT, LibraryFolder, Named, OmittedFile, is_name};
use crate::library::{Library, LibraryFile, LibraryItem};

/// The main file of a skill that is a folder.
const SKILL_FILE: &str = "SKILL.md";
const MAX_DESCRIPTION_CHARS: usize = 1_024;
/// The maximum length of the list with descriptions, in bytes. Further skills are listed by name only.
const MAX_LISTED: usize = 20_000;
const MAX_OTHER_FILES: usize = 200;

/// One skill.
#[derive(Clone, Debug)]
pub(crate) struct Skill {
    pub(crate) description: String,
    pub(crate) file: LibraryFile,
    /// The skill's folder, if it has one of its own.
    pub(crate) folder: Option<WorkspacePath>,
}

/// The skills of some folders: files `NAME.md`, or folders with a `SKILL.md`, with `name` and `description`
/// in their front matter.
///
/// If a name occurs twice, the first one is used, so add the user's folder before the project's. `left_out`
/// lists the files that are not offered, with the reasons.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// std::fs::write(
///     folder.path().join("greet.md"),
///     "---\nname: greet\ndescription: How to greet people here.\n---\nSay moin.\n",
/// )?;
/// let skills = windlass_tools_skills::Skills::default().with_folder("user", folder.path());
/// assert_eq!(skills.names().collect::<Vec<_>>(), ["greet"]);
/// assert!(skills.left_out().is_empty());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Skills {
    pub(crate) library: Library<Skill>,
}

impl Skills {
    /// Adds the skills of a folder of the user, under a label such as `user`. A folder that does not exist adds
    /// nothing. The folder may be a link.
    pub fn with_folder(self, label: &str, folder: impl AsRef<Path>) -> Self {
        Self { library: self.library.with_folder(label, folder.as_ref(), SettingsOwner::User) }
    }

    /// Adds the skills of a folder below a project's root, under a label such as `project`. A folder that does not
    /// exist adds nothing. A folder behind a link is left out, and so are links in it, because the model would read
    /// whatever their author made them point to.
    pub fn with_project_folder(self, label: &str, root: impl AsRef<Path>, folder: impl AsRef<Path>) -> Self {
        let owner = SettingsOwner::Project { root: root.as_ref() };
        Self { library: self.library.with_folder(label, folder.as_ref(), owner) }
    }

    /// Returns the names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.library.names()
    }

    /// Returns the files in the folders that are not offered.
    pub fn left_out(&self) -> &[OmittedFile] {
        self.library.left_out()
    }

    /// Returns true if the set is empty; do not offer the tool then.
    pub fn is_empty(&self) -> bool {
        self.library.is_empty()
    }

    /// Returns the list for the model.
    pub(crate) fn list_for_model(&self) -> String {
        let mut list = String::new();
        for (name, skill) in self.library.iter() {
            let fits = list.len().saturating_add(skill.description.len()) <= MAX_LISTED;
            let _ = if fits {
                write!(list, "\n- {name}: {}", skill.description)
            } else {
                write!(list, "\n- {name}")
            };
        }
        list
    }
}

fn parse_name(text: &str) -> Result<(String, String), DocumentError> {
    if !text.trim_start_matches('\u{feff}').starts_with("---") {
        return Err(DocumentError::NoFrontMatter);
    }
    let document = Document::parse(text)?;
    let name = document.words("name", 64)?.ok_or(DocumentError::Missing { key: "name" })?;
    if !is_name(&name) {
        let problem =
            "has to be letters, digits, `-`, `_`, `.` and `:`, beginning with a letter or digit".to_owned();
        return Err(DocumentError::Value { key: "name", problem });
    }
    let description = document.words("description", MAX_DESCRIPTION_CHARS)?;
    Ok((name, description.ok_or(DocumentError::Missing { key: "description" })?))
}

impl LibraryItem for Skill {
    const NOUN: &'static str = "skill";

    /// A folder without the main file is not meant as a skill.
    fn read(
        library: &Library<Self>,
        source: &LibraryFolder,
        (path, name, kind): Named,
    ) -> Result<Option<(String, Self)>, OmittedFile> {
        let (path, folder) = match kind {
            Kind::Folder => (path.join(SKILL_FILE), Some(path)),
            Kind::File if name.strip_suffix(".md").is_some_and(|stem| stem != "README") => (path, None),
            Kind::Link => return Err(source.left_out(&path, LEADS_OUT)),
            _ => return Ok(None),
        };
        if folder.is_some() && source.workspace.kind(&path).is_err() {
            return Ok(None);
        }
        let parsed = source.text(&path).and_then(|text| parse_name(&text).map_err(|error| error.to_string()));
        let (name, description) = parsed
            .and_then(|(name, description)| library.check_name(&name).map(|()| (name, description)))
            .map_err(|why| source.left_out(&path, why))?;
        let file = LibraryFile { source: source.clone(), path };
        Ok(Some((name, Self { description, file, folder })))
    }

    fn file(&self) -> &LibraryFile {
        &self.file
    }
}

impl Skill {
    /// Returns the other files of the skill, as the argument `file` names them. Fails if there are too many.
    pub(crate) fn others(&self) -> Result<Vec<String>, String> {
        let Some(folder) = &self.folder else { return Ok(Vec::new()) };
        let found = self
            .file
            .source
            .workspace
            .list_below(folder, MAX_OTHER_FILES)
            .map_err(|error| error.to_string())?;
        let files =
            found.into_iter().filter(|found| found.kind == Kind::File && found.path != self.file.path);
        let mut names: Vec<_> = files.map(|found| found.path.relative_to(folder).to_string()).collect();
        names.sort_unstable();
        Ok(names)
    }
}
