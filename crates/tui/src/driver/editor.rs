//! The external editor.

use std::io::{self, Write as _};
use std::process::Stdio;

use tokio::process::Command;

use super::Driver;
use crate::action::Action;
use crate::input::{Input, Reply};
use crate::terminal::Modes;

/// Editor without a setting.
const DEFAULT: &str = "vi";
/// Maximum size of the text in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

impl Driver {
    /// Lets the person write the text in the external editor, which has the terminal meanwhile. Returns `None` if the
    /// person did not save the text, and the inner error if the editor cannot be used.
    pub(super) async fn edit(&mut self, text: &str, suffix: &str) -> io::Result<io::Result<Option<String>>> {
        self.release_terminal()?;
        let edited = run_editor(self.editor.as_deref().unwrap_or(DEFAULT), text, suffix).await;
        self.claim_terminal()?;
        Ok(edited)
    }

    /// Removes the view and leaves the modes of the terminal, so that another program can use it.
    pub(super) fn release_terminal(&mut self) -> io::Result<()> {
        self.display.clear()?;
        self.sources.stop_keys();
        self.modes = None;
        Ok(())
    }

    /// Enters the modes again that a panic left: that of a tool ends only its call. Returns the size as an input.
    pub(super) fn recover_terminal(&mut self) -> io::Result<Input> {
        if self.modes.is_some() && !Modes::are_entered() {
            self.modes = None;
            self.modes = Some(Modes::enter(self.display.buffer())?);
            self.display.restart();
        }
        let (columns, rows) = crossterm::terminal::size()?;
        Ok(Input::Resize { columns: usize::from(columns), rows: usize::from(rows) })
    }

    /// Enters the modes again, and adopts the size that the terminal has now.
    pub(super) fn claim_terminal(&mut self) -> io::Result<()> {
        self.modes = Some(Modes::enter(self.display.buffer())?);
        let (columns, rows) = crossterm::terminal::size()?;
        self.display.resize(usize::from(columns), usize::from(rows));
        let resized = Input::Resize { columns: usize::from(columns), rows: usize::from(rows) };
        // A new size has no actions that perform IO.
        for action in self.state.update(self.now(), resized) {
            if let Action::Print(lines) = action {
                self.finished.extend(lines);
            }
        }
        Ok(())
    }
}

/// Returns the reply for an editor that cannot be used.
pub(super) fn failure(error: &io::Error) -> Reply {
    Reply::Error(format!("the editor cannot be used: {error}; set VISUAL or EDITOR"))
}

/// Runs the editor with the text in a temporary file. Returns `None` if it failed.
async fn run_editor(command: &str, text: &str, suffix: &str) -> io::Result<Option<String>> {
    let mut file = tempfile::Builder::new().prefix("windlass-").suffix(suffix).tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    let mut words = command.split_whitespace();
    let program = words.next().unwrap_or(DEFAULT);
    let mut editor = Command::new(program);
    editor.args(words).arg(file.path());
    editor.stdin(Stdio::inherit()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
    let mut child = windlass_sandbox::start_child(|| editor.spawn())?;
    if !child.wait().await?.success() {
        return Ok(None);
    }
    // The editor may have replaced the file by another one.
    if std::fs::metadata(file.path())?.len() > MAX_BYTES {
        return Err(io::Error::other("the text is too large"));
    }
    std::fs::read_to_string(file.path()).map(Some)
}
