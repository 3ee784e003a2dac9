//! The external editor.

use std::io::{self, Write as _};
use std::process::Stdio;

use tokio::process::Command;

use super::Driver;
use crate::input::{Input, Reply};
use crate::terminal::Modes;

/// Editor without a setting.
const DEFAULT: &str = "vi";
/// Maximum size of the text in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

impl Driver {
    /// Lets the person write the text in the external editor, which has the terminal meanwhile.
    pub(super) async fn edit(&mut self, text: &str) -> io::Result<()> {
        self.painter.clear()?;
        self.keys = None;
        self.modes = None;
        let edited = run_editor(self.editor.as_deref().unwrap_or(DEFAULT), text).await;
        self.modes = Some(Modes::enter()?);
        let (columns, rows) = crossterm::terminal::size()?;
        self.painter.resize(usize::from(columns), usize::from(rows));
        let resized = Input::Resize { columns: usize::from(columns), rows: usize::from(rows) };
        let reply = match edited {
            Ok(text) => Reply::Edited(text),
            Err(error) => Reply::Error(format!("the editor cannot be used: {error}")),
        };
        let now = self.now();
        for input in [resized, Input::Reply(reply)] {
            // Neither of them has actions that perform IO.
            for action in self.state.update(now, input) {
                if let crate::action::Action::Print(lines) = action {
                    self.finished.extend(lines);
                }
            }
        }
        Ok(())
    }
}

/// Runs the editor with the text in a temporary file. Returns `None` if it failed.
async fn run_editor(command: &str, text: &str) -> io::Result<Option<String>> {
    let mut file = tempfile::Builder::new().prefix("windlass-").suffix(".md").tempfile()?;
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
