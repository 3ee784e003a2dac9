//! The answer of a run for a script: on standard output, and in a file.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tempfile::NamedTempFile;
use windlass_agent::Outcome;
use windlass_app::assembly::AnswerForm;
use windlass_protocol::RawJson;

use crate::show::outcome_text;
use crate::{input, output};

/// Mode of a new file before the umask of the process.
const MODE: u32 = 0o666;

/// Reads a JSON Schema from a file.
pub(crate) fn read_schema(file: &Path) -> anyhow::Result<RawJson> {
    let text = input::text(file)?;
    text.parse().with_context(|| format!("{} is not JSON", file.display()))
}

/// Prints the answer of a completed run on standard output, and any other outcome on standard error.
pub(crate) fn print_answer(outcome: &Outcome, form: Option<&AnswerForm>) -> anyhow::Result<()> {
    if let Some(text) = read_answer(outcome, form)? {
        return output::content(&text);
    }
    output::note(&outcome_text(outcome));
    Ok(())
}

/// Returns the answer of a completed run with a line feed at its end: the text, or the JSON value that fits the
/// schema.
fn read_answer(outcome: &Outcome, form: Option<&AnswerForm>) -> anyhow::Result<Option<String>> {
    let Outcome::Completed { text } = outcome else { return Ok(None) };
    let mut text = match form {
        Some(form) => form.read(text)?.to_string(),
        None => text.clone(),
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(Some(text))
}

/// The file for the answer of a run. The answer is written beside it and replaces it as a whole.
#[derive(Debug)]
pub(crate) struct AnswerFile(Option<(PathBuf, NamedTempFile)>);

impl AnswerFile {
    /// Creates the file beside the named one.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be written.
    pub(crate) fn open(file: Option<&Path>) -> anyhow::Result<Self> {
        let Some(file) = file else { return Ok(Self(None)) };
        // A link keeps pointing to its file.
        let file = if file.is_symlink() { file.canonicalize()? } else { file.to_owned() };
        anyhow::ensure!(!file.is_dir(), "{} is a folder: name a file for the answer", file.display());
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut builder = tempfile::Builder::new();
        builder.prefix(".windlass-").permissions(std::fs::Permissions::from_mode(MODE));
        let beside = builder.tempfile_in(folder.unwrap_or(Path::new(".")));
        let beside = beside.with_context(|| format!("{} cannot be written", file.display()))?;
        Ok(Self(Some((file, beside))))
    }

    /// Writes the answer of a completed run.
    pub(crate) fn store(self, outcome: &Outcome, form: Option<&AnswerForm>) -> anyhow::Result<()> {
        let (Some((file, mut beside)), Some(text)) = (self.0, read_answer(outcome, form)?) else {
            return Ok(());
        };
        let cannot = || format!("{} cannot be written", file.display());
        beside.write_all(text.as_bytes()).with_context(cannot)?;
        beside.as_file().sync_all().with_context(cannot)?;
        beside.persist(&file).with_context(cannot)?;
        Ok(())
    }
}
