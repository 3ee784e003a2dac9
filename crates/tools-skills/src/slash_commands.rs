//! `SlashCommands`: prompts that a person wrote, looked up by name.

use std::fmt::Write as _;
use std::path::Path;

use windlass_sandbox::{Kind, SettingsOwner};

use crate::document::Document;
use crate::folder::{LEADS_OUT, LibraryFolder, Named, OmittedFile, is_name};
use crate::library::{Library, LibraryFile, LibraryItem};

const MAX_DESCRIPTION_CHARS: usize = 300;
const MAX_HINT_CHARS: usize = 100;

/// One command.
#[derive(Clone, Debug)]
pub(crate) struct SlashCommand {
    pub(crate) description: Option<String>,
    pub(crate) hint: Option<String>,
    pub(crate) file: LibraryFile,
}

/// The commands of some folders: files `NAME.md`, with optional front matter that can have `description` and
/// `argument-hint`.
///
/// If a name occurs twice, the first one is used, so add the user's folder before the project's. `left_out`
/// lists the files that are not offered, with the reasons.
#[derive(Clone, Debug, Default)]
pub struct SlashCommands {
    pub(crate) library: Library<SlashCommand>,
}

impl SlashCommands {
    /// Adds the commands of a folder of the user, under a label such as `user`. A folder that does not exist adds
    /// nothing. The folder may be a link.
    pub fn with_folder(self, label: &str, folder: impl AsRef<Path>) -> Self {
        Self { library: self.library.with_folder(label, folder.as_ref(), SettingsOwner::User) }
    }

    /// Adds the commands of a folder below a project's root, under a label such as `project`. A folder that does not
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
        for (name, command) in self.library.iter() {
            let hint = command.hint.as_ref().map(|hint| format!(" {hint}")).unwrap_or_default();
            let description = command.description.as_deref().unwrap_or("(without a description)");
            let _ = write!(list, "\n- {name}{hint}: {description}");
        }
        list
    }
}

impl LibraryItem for SlashCommand {
    const NOUN: &'static str = "command";

    /// Only files `NAME.md` are meant as commands.
    fn read(
        library: &Library<Self>,
        source: &LibraryFolder,
        (path, name, kind): Named,
    ) -> Result<Option<(String, Self)>, OmittedFile> {
        let name = match (kind, name.strip_suffix(".md")) {
            (Kind::File, Some(name)) => name,
            (Kind::Link, Some(_)) => return Err(source.left_out(&path, LEADS_OUT)),
            _ => return Ok(None),
        };
        let file = LibraryFile { source: source.clone(), path };
        match Self::parse(library, file.clone(), name) {
            Ok(command) => Ok(Some((name.to_owned(), command))),
            Err(why) => Err(source.left_out(&file.path, why)),
        }
    }

    fn file(&self) -> &LibraryFile {
        &self.file
    }
}

impl SlashCommand {
    fn parse(library: &Library<Self>, file: LibraryFile, name: &str) -> Result<Self, String> {
        if !is_name(name) {
            return Err("its name has to be letters, digits, `-`, `_`, `.` and `:`".to_owned());
        }
        library.check_name(name)?;
        let text = file.source.text(&file.path)?;
        let document = Document::parse(&text).map_err(|error| error.to_string())?;
        let read = |key, most| document.words(key, most).map_err(|error| error.to_string());
        let (description, hint) =
            (read("description", MAX_DESCRIPTION_CHARS)?, read("argument-hint", MAX_HINT_CHARS)?);
        Ok(Self { description, hint, file })
    }
}
