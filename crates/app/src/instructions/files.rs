//! Instruction files: `AGENTS.md`, or `CLAUDE.md` or `GEMINI.md` where it is missing.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use windlass_hitl::escape_unsafe;
use windlass_sandbox::{SettingsOwner, read_settings};
use windlass_text::count_noun;

use crate::app::App;
use crate::trust::{
    FileChange, INSTRUCTION_NAMES, ProjectFile, ProjectFileKind, TrustedFolders, find_top, store_digests,
};

/// Maximum length in bytes of the text of one file, and of all files together, in the prompt.
const MAX_FILE_BYTES: usize = 32 * 1024;
const MAX_TOTAL_BYTES: usize = 96 * 1024;

/// Maximum number of folders between the root of a repository and the working folder.
const MAX_FOLDERS: usize = 32;

/// Author of an instruction file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InstructionScope {
    /// The user: the file is in the folder of settings.
    User,
    /// The project. A stranger may have written the file.
    Project,
}

/// An instruction file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InstructionFile {
    /// Absolute path.
    pub path: PathBuf,
    /// Author of the file.
    pub scope: InstructionScope,
    /// Length of the file in bytes.
    pub bytes: usize,
    /// Length of the part that is used, in bytes. It ends with a line.
    pub used_bytes: usize,
    /// Number of lines with characters that a screen does not show.
    pub hidden_lines: usize,
    /// True if the file counts: the user wrote it, or trusts its folder.
    pub is_trusted: bool,
    /// Difference to the state in which the file was trusted or last used.
    pub change: Option<FileChange>,
    text: String,
    file: Option<ProjectFile>,
}

/// The instruction files for a working folder: the user's, then those of the project from the root of its repository
/// down to the working folder.
///
/// ```
/// use windlass_app::instructions::Instructions;
/// use windlass_app::trust::trust_folder;
/// use windlass_app::{App, Folders};
///
/// let place = tempfile::tempdir()?;
/// let project = place.path().join("project").to_owned();
/// std::fs::create_dir(&project)?;
/// std::fs::write(project.join("AGENTS.md"), "Run the tests with `make check`.\n")?;
/// let app = App::new(Folders::new(place.path().join("settings"), place.path().join("state")));
///
/// let found = Instructions::find(&app, &project)?;
/// assert!(!found.files()[0].is_trusted && found.text().is_empty());
///
/// trust_folder(&app, &project)?;
/// let found = Instructions::find(&app, &project)?;
/// assert!(found.text().contains("make check"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Instructions {
    files: Vec<InstructionFile>,
    /// Files that cannot be read, with the reasons.
    problems: Vec<String>,
}

impl Instructions {
    /// Finds the files for a working folder. A file of the project that is a link, is larger than 1 MiB or is not
    /// UTF-8 is left out, and the next name is used.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be opened.
    pub fn find(app: &App, folder: &Path) -> crate::error::Result<Self> {
        let folder = crate::config::resolve_root(folder)?;
        let mut found = Self::default();
        if let Some(settings) = app.settings_folder() {
            found.add_folder(settings, SettingsOwner::User, |_| (true, None));
        }
        let top = find_top(&folder);
        let trusted = TrustedFolders::load(app);
        let mut folders: Vec<&Path> = folder.ancestors().take_while(|above| above.starts_with(top)).collect();
        folders.truncate(MAX_FOLDERS);
        for folder in folders.into_iter().rev() {
            let owner = SettingsOwner::Project { root: top };
            found.add_folder(folder, owner, |file| (trusted.covers(folder), trusted.change_of(file)));
        }
        found.limit_total();
        Ok(found)
    }

    /// Adds the first file of a folder that can be read. `check` returns whether it is trusted, and its change.
    fn add_folder(
        &mut self,
        folder: &Path,
        owner: SettingsOwner<'_>,
        check: impl Fn(&ProjectFile) -> (bool, Option<FileChange>),
    ) {
        for name in INSTRUCTION_NAMES {
            let path = folder.join(name);
            match read_settings(&path, owner) {
                Ok(None) => {}
                Ok(Some(text)) => {
                    let scope = match owner {
                        SettingsOwner::User => InstructionScope::User,
                        _ => InstructionScope::Project,
                    };
                    let file = ProjectFile::new(path.clone(), ProjectFileKind::Instructions, &text);
                    let (is_trusted, change) = check(&file);
                    let change = change.filter(|_| is_trusted);
                    let hidden_lines = text.lines().filter(|line| escape_unsafe(line) != **line).count();
                    let used = cut(&text, MAX_FILE_BYTES);
                    self.files.push(InstructionFile {
                        path,
                        scope,
                        bytes: text.len(),
                        used_bytes: used.len(),
                        hidden_lines,
                        is_trusted,
                        change,
                        text: used.to_owned(),
                        file: (scope == InstructionScope::Project).then_some(file),
                    });
                    return;
                }
                Err(error) => self.problems.push(format!("{} is left out: {error}", path.display())),
            }
        }
    }

    /// Shortens the files so that all trusted ones fit. Files nearer to the working folder take precedence.
    fn limit_total(&mut self) {
        let mut left = MAX_TOTAL_BYTES;
        for file in self.files.iter_mut().rev().filter(|file| file.is_trusted) {
            let used = cut(&file.text, left).to_owned();
            left = left.saturating_sub(used.len());
            file.used_bytes = used.len();
            file.text = used;
        }
    }

    /// Returns the files, the user's first.
    pub fn files(&self) -> &[InstructionFile] {
        &self.files
    }

    /// Returns the messages about files that cannot be read.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// Returns the text of the trusted files for the system prompt. It is empty without them.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for file in self.files.iter().filter(|file| file.is_trusted && !file.text.trim().is_empty()) {
            let author = match file.scope {
                InstructionScope::User => "your user's own instructions",
                InstructionScope::Project => "instructions of the project",
            };
            let path = file.path.display();
            let _ = write!(text, "\n\n<instructions file=\"{path}\">\n");
            let _ =
                writeln!(text, "(These are {author}. They count for the folder of the file and below it.)");
            text.push_str(file.text.trim_end());
            if file.used_bytes < file.bytes {
                let _ = write!(text, "\n(cut: the file has {} bytes)", file.bytes);
            }
            text.push_str("\n</instructions>");
        }
        text.trim_start().to_owned()
    }

    /// Reports each file: those that are used, cut, changed or not trusted. Then stores the present state of the used
    /// files, so that a change is reported once.
    pub fn report(&self, app: &App) {
        for problem in &self.problems {
            app.warn(problem.clone());
        }
        for file in &self.files {
            file.report(app);
        }
        let changed: Vec<&ProjectFile> = self
            .files
            .iter()
            .filter(|file| file.change.is_some())
            .filter_map(|file| file.file.as_ref())
            .collect();
        if !changed.is_empty()
            && let Err(error) = store_digests(app, &changed)
        {
            app.warn(crate::error::one_line(&error));
        }
    }
}

impl InstructionFile {
    fn report(&self, app: &App) {
        let path = self.path.display();
        if !self.is_trusted {
            let folder = find_top(self.path.parent().unwrap_or(&self.path));
            app.notices().report_untrusted(format!("{path} is not used: the folder is not trusted"), folder);
            return;
        }
        let cut = if self.used_bytes < self.bytes {
            format!(", of which the first {} are used", self.used_bytes)
        } else {
            String::new()
        };
        let change = match self.change {
            Some(FileChange::Changed) => "; it has changed since you trusted or last used it",
            Some(FileChange::New) => "; it is new since you trusted the folder",
            None => "",
        };
        app.inform(format!("instructions: {path} ({}{cut}{change})", count_noun(self.bytes, "byte")));
        if self.hidden_lines > 0 {
            app.warn(format!(
                "{path} has characters that a screen does not show, in {}; the model reads them",
                count_noun(self.hidden_lines, "line")
            ));
        }
    }
}

/// Returns the beginning of a text that fits, up to the end of a line.
fn cut(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let fitting = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
    let end = fitting.rfind('\n').map_or(0, |at| at.saturating_add(1));
    fitting.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn a_text_is_cut_at_the_end_of_a_line() {
        assert_eq!(cut("one\ntwo\n", 100), "one\ntwo\n");
        assert_eq!(cut("one\ntwo\n", 7), "one\n");
        assert_eq!(cut("é\né\n", 4), "é\n");
        assert_eq!(cut("long line", 4), "");
    }
}
