//! The picture in the clipboard of the desktop.

use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;

use crate::input::Reply;

/// Programs that write the PNG in the clipboard to standard output: for Wayland, for the X Window System, for macOS.
const CLIENTS: [&[&str]; 3] = [
    &["wl-paste", "--no-newline", "--type", "image/png"],
    &["xclip", "-selection", "clipboard", "-target", "image/png", "-out"],
    &["pngpaste", "-"],
];
/// Time for one of the programs.
const TIME: Duration = Duration::from_secs(5);
/// Maximum size of a picture in bytes; a task takes no larger one.
const MAX_BYTES: u64 = 32 * 1024 * 1024;
/// First bytes of a PNG. Some programs write a text instead of failing.
const SIGNATURE: &[u8] = b"\x89PNG";

/// The folder of the pictures of a conversation, which is removed with it.
#[derive(Debug, Default)]
pub(super) struct Pictures {
    folder: Option<TempDir>,
    count: usize,
}

impl Pictures {
    /// Returns the path for the next picture. The folder is the user's own.
    pub(super) fn next_path(&mut self) -> io::Result<PathBuf> {
        let folder = match self.folder.take() {
            Some(folder) => folder,
            None => tempfile::Builder::new().prefix("windlass-").tempdir()?,
        };
        self.count = self.count.saturating_add(1);
        let path = folder.path().join(format!("picture-{}.png", self.count));
        self.folder = Some(folder);
        Ok(path)
    }
}

/// Stores the picture of the clipboard in a file, and returns the reply for the conversation.
pub(super) async fn store_picture(path: io::Result<PathBuf>) -> Reply {
    let Some(picture) = read_clipboard().await else {
        let words = "the clipboard has no picture, or wl-paste, xclip or pngpaste is missing; a path works, too: @shot.png";
        return Reply::Notice(words.to_owned());
    };
    let stored = path.and_then(|path| std::fs::write(&path, picture).map(|()| path));
    match stored {
        Ok(path) => Reply::Picture(path.to_string_lossy().into_owned()),
        Err(error) => Reply::Error(format!("the picture cannot be stored: {error}")),
    }
}

async fn read_clipboard() -> Option<Vec<u8>> {
    for client in CLIENTS {
        let picture = tokio::time::timeout(TIME, run(client)).await;
        if let Ok(Ok(picture)) = picture
            && picture.starts_with(SIGNATURE)
        {
            return Some(picture);
        }
    }
    None
}

/// Returns the standard output of a program. The program is killed when the future is dropped.
async fn run(argv: &[&str]) -> io::Result<Vec<u8>> {
    let (program, arguments) = argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let mut child = windlass_sandbox::start_child(|| command.spawn())?;
    let mut picture = Vec::new();
    if let Some(output) = child.stdout.take() {
        output.take(MAX_BYTES.saturating_add(1)).read_to_end(&mut picture).await?;
    }
    let is_whole = u64::try_from(picture.len()).is_ok_and(|length| length <= MAX_BYTES);
    if is_whole && child.wait().await?.success() {
        Ok(picture)
    } else {
        Err(io::ErrorKind::InvalidData.into())
    }
}
