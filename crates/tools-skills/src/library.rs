//! `Library`: the skills or the commands of some folders, by name.

use std::collections::BTreeMap;
use std::path::Path;

use windlass_sandbox::{SettingsOwner, WorkspacePath};
use windlass_tool::ToolError;

use crate::document::Document;
use crate::folder::{LibraryFolder, Named, OmittedFile};

/// The maximum number of files of one kind, since every request lists their names.
const MAX_FILES: usize = 100;

/// A Markdown file of a folder.
#[derive(Clone, Debug)]
pub(crate) struct LibraryFile {
    pub(crate) source: LibraryFolder,
    pub(crate) path: WorkspacePath,
}

impl LibraryFile {
    /// Reads the text without its front matter. Fails with the reason why the file cannot be read.
    pub(crate) fn read_body(&self) -> Result<String, String> {
        let text = self.source.text(&self.path)?;
        let document = Document::parse(&text).map_err(|error| error.to_string())?;
        Ok(document.body.trim().to_owned())
    }
}

/// A skill or a command.
pub(crate) trait LibraryItem: Sized {
    /// The word for one item, such as `skill`.
    const NOUN: &'static str;

    /// Reads the item of a directory entry, and returns it with its name. Returns `None` for an entry that is not meant
    /// as an item. Fails for an entry that is not offered.
    fn read(
        library: &Library<Self>,
        source: &LibraryFolder,
        entry: Named,
    ) -> Result<Option<(String, Self)>, OmittedFile>;

    fn file(&self) -> &LibraryFile;
}

/// The items of some folders. If a name occurs twice, the first file has it.
#[derive(Clone, Debug)]
pub(crate) struct Library<T> {
    items: BTreeMap<String, T>,
    left_out: Vec<OmittedFile>,
}

impl<T> Default for Library<T> {
    fn default() -> Self {
        Self { items: BTreeMap::new(), left_out: Vec::new() }
    }
}

impl<T: LibraryItem> Library<T> {
    /// Adds the items of a folder. A folder that does not exist adds nothing.
    pub(crate) fn with_folder(mut self, label: &str, folder: &Path, owner: SettingsOwner<'_>) -> Self {
        let (source, entries) = match LibraryFolder::open(label, folder, owner) {
            Ok(Some(opened)) => opened,
            Ok(None) => return self,
            Err(left_out) => {
                self.left_out.push(left_out);
                return self;
            }
        };
        for entry in entries {
            match T::read(&self, &source, entry) {
                Ok(Some((name, item))) => {
                    self.items.insert(name, item);
                }
                Ok(None) => {}
                Err(left_out) => self.left_out.push(left_out),
            }
        }
        self
    }

    /// Fails with the reason if another item cannot have this name.
    pub(crate) fn check_name(&self, name: &str) -> Result<(), String> {
        if let Some(other) = self.items.get(name) {
            let LibraryFile { source, path } = other.file();
            return Err(format!("the name `{name}` is taken by {}: {path}", source.label));
        }
        if self.items.len() >= MAX_FILES {
            return Err(format!("the limit of {MAX_FILES} {}s is reached, and no more are offered", T::NOUN));
        }
        Ok(())
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.items.keys().map(String::as_str)
    }

    pub(crate) fn left_out(&self) -> &[OmittedFile] {
        &self.left_out
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the items with their names, sorted by name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.items.iter().map(|(name, item)| (name.as_str(), item))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&T> {
        self.items.get(name)
    }

    /// Returns the error of a call with an unknown name, which lists the names.
    pub(crate) fn unknown_error(&self, name: &str) -> ToolError {
        let (noun, names) = (T::NOUN, self.names().collect::<Vec<_>>().join(", "));
        ToolError::model(format!("unknown {noun} `{name}`; the {noun}s are: {names}"))
    }
}

/// Reads the text of an item for the model.
pub(crate) fn read_body<T: LibraryItem>(name: &str, item: &T) -> Result<String, ToolError> {
    item.file().read_body().map_err(|why| {
        let noun = T::NOUN;
        ToolError::model(format!("the {noun} {name} cannot be read: {why}"))
            .with_advice("Continue without it.")
    })
}
