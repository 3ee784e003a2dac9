//! `SlashCommands`: prompts that a person wrote, looked up by name.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use windlass_sandbox::{Kind, SettingsOwner, WorkspacePath};

use crate::document::Document;
use crate::library::{LEADS_OUT, LeftOut, LibraryFolder, MAX_FILES, is_name};

const MAX_DESCRIPTION_CHARS: usize = 300;
const MAX_HINT_CHARS: usize = 100;

/// One command.
#[derive(Clone, Debug)]
pub(crate) struct SlashCommand {
    pub(crate) description: Option<String>,
    pub(crate) hint: Option<String>,
    pub(crate) source: LibraryFolder,
    pub(crate) file: WorkspacePath,
}

/// The commands of some folders: files `NAME.md`, with optional front matter that can have `description` and
/// `argument-hint`.
///
/// If a name occurs twice, the first one is used, so add the user's folder before the project's. `left_out`
/// lists the files that are not offered, with the reasons.
#[derive(Clone, Debug, Default)]
pub struct SlashCommands {
    commands: BTreeMap<String, SlashCommand>,
    left_out: Vec<LeftOut>,
}

impl SlashCommands {
    /// Adds the commands of a folder of the user, under a label such as `user`. A folder that does not exist adds
    /// nothing. The folder may be a link.
    pub fn with_folder(self, label: &str, folder: impl AsRef<Path>) -> Self {
        self.with_folder_of(label, folder.as_ref(), SettingsOwner::User)
    }

    /// Adds the commands of a folder below a project's root, under a label such as `project`. A folder that does not
    /// exist adds nothing. A folder behind a link is left out, and so are links in it, because the model would read
    /// whatever their author made them point to.
    pub fn with_project_folder(self, label: &str, root: impl AsRef<Path>, folder: impl AsRef<Path>) -> Self {
        self.with_folder_of(label, folder.as_ref(), SettingsOwner::Project { root: root.as_ref() })
    }

    fn with_folder_of(mut self, label: &str, folder: &Path, owner: SettingsOwner<'_>) -> Self {
        match LibraryFolder::open(label, folder, owner) {
            Err(left_out) => self.left_out.push(left_out),
            Ok(None) => {}
            Ok(Some((source, names))) => {
                for (file, name, kind) in names {
                    match (kind, name.strip_suffix(".md")) {
                        (Kind::File, Some(name)) => self.add(&source, file, name),
                        (Kind::Link, Some(_)) => self.left_out.push(source.left_out(&file, LEADS_OUT)),
                        _ => {}
                    }
                }
            }
        }
        self
    }

    fn add(&mut self, source: &LibraryFolder, file: WorkspacePath, name: &str) {
        match self.read(source, &file, name) {
            Ok((description, hint)) => {
                let command = SlashCommand { description, hint, source: source.clone(), file };
                self.commands.insert(name.to_owned(), command);
            }
            Err(why) => self.left_out.push(source.left_out(&file, why)),
        }
    }

    fn read(
        &self,
        source: &LibraryFolder,
        file: &WorkspacePath,
        name: &str,
    ) -> Result<(Option<String>, Option<String>), String> {
        if !is_name(name) {
            return Err("its name has to be letters, digits, `-`, `_`, `.` and `:`".to_owned());
        }
        if let Some(other) = self.commands.get(name) {
            return Err(format!("the name `{name}` is taken by {}: {}", other.source.label, other.file));
        }
        if self.commands.len() >= MAX_FILES {
            return Err(format!("the limit of {MAX_FILES} commands is reached, and no more are offered"));
        }
        let text = source.text(file)?;
        let document = Document::parse(&text).map_err(|error| error.to_string())?;
        let description =
            document.words("description", MAX_DESCRIPTION_CHARS).map_err(|error| error.to_string())?;
        let hint = document.words("argument-hint", MAX_HINT_CHARS).map_err(|error| error.to_string())?;
        Ok((description, hint))
    }

    /// Returns the names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.commands.keys().map(String::as_str)
    }

    /// Returns the files in the folders that are not offered.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Returns true if the set is empty; do not offer the tool then.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &SlashCommand)> {
        self.commands.iter().map(|(name, command)| (name.as_str(), command))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&SlashCommand> {
        self.commands.get(name)
    }

    /// Returns the list for the model.
    pub(crate) fn list_for_model(&self) -> String {
        let mut list = String::new();
        for (name, command) in &self.commands {
            let hint = command.hint.as_ref().map(|hint| format!(" {hint}")).unwrap_or_default();
            let description = command.description.as_deref().unwrap_or("(without a description)");
            let _ = write!(list, "\n- {name}{hint}: {description}");
        }
        list
    }
}
