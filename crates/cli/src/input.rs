//! Reads files, or standard input for `-`.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use anyhow::Context as _;

use crate::output;

/// Maximum number of bytes of piped text in a task: a model's context window has no room for more.
const MAX_PIPED: u64 = 1024 * 1024;

/// Returns the bytes of a file, or of standard input for `-`.
pub(crate) fn bytes(file: &Path) -> anyhow::Result<Vec<u8>> {
    if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).context("standard input cannot be read")?;
        return Ok(bytes);
    }
    fs::read(file).with_context(|| format!("{} cannot be read", file.display()))
}

/// Returns the text of standard input if it is a pipe or a file with text, otherwise `None`. Blocks until the
/// pipe is closed, and prints a note after one second.
pub(crate) fn read_piped() -> anyhow::Result<Option<String>> {
    let stdin = io::stdin().lock();
    let Ok(about) = rustix::fs::fstat(&stdin) else { return Ok(None) };
    let kind = rustix::fs::FileType::from_raw_mode(about.st_mode);
    if !matches!(kind, rustix::fs::FileType::Fifo | rustix::fs::FileType::RegularFile) {
        return Ok(None);
    }
    drop(stdin);
    let (done, waits) = std::sync::mpsc::channel::<()>();
    let waiting = std::thread::spawn(move || {
        if waits.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
            output::note("reading standard input, which is added to the task; close it to continue");
        }
    });
    let text = read_bounded();
    drop(done);
    drop(waiting.join());
    Ok(Some(text?).filter(|text| !text.trim().is_empty()))
}

/// Returns standard input as text, up to [`MAX_PIPED`].
fn read_bounded() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let limit = MAX_PIPED.saturating_add(1);
    io::stdin().lock().take(limit).read_to_end(&mut bytes).context("standard input cannot be read")?;
    anyhow::ensure!(
        u64::try_from(bytes.len()).is_ok_and(|len| len <= MAX_PIPED),
        "standard input is longer than {MAX_PIPED} bytes: put it into a file and name the file in the task"
    );
    String::from_utf8(bytes).context("standard input is not UTF-8")
}

/// Returns the text of a file, or of standard input for `-`.
pub(crate) fn text(file: &Path) -> anyhow::Result<String> {
    String::from_utf8(bytes(file)?).with_context(|| format!("{} is not UTF-8", file.display()))
}
