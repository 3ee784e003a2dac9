//! One output stream of a command: reported as progress, stored in bounded memory, and written to a file if
//! it is long.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::fs::{File, OpenOptions};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use windlass_redact::RedactStream;
use windlass_tool::{Context, Progress};

use crate::kept::HeadAndTail;
use crate::screen::{Screen, Size};
use crate::visible::visible;

/// Maximum number of bytes in the file of a long stream.
const FILE_BYTES: u64 = 256 * 1024 * 1024;
/// The pause after each read while a flood is drained, so that the flood does not occupy a processor.
const DRAINING: Duration = Duration::from_millis(5);

/// The treatment of a stream that is longer than its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flood {
    /// The pipe is closed, which ends a program that continues to print.
    Closed,
    /// The rest is read and only its tail is stored, so a server with a long log continues.
    Drained,
}
/// Maximum number of bytes of a stream that are reported as progress. A longer stream is unreadable as it
/// arrives.
const TOLD_BYTES: u64 = 1024 * 1024;

/// A stream and the output that was read from it. Its reader can be dropped at any await without loss of that
/// output.
pub(crate) struct Stream {
    pub(crate) name: &'static str,
    limit: usize,
    flood: Flood,
    /// Maximum number of bytes in its file.
    most: u64,
    state: Mutex<State>,
}

struct State {
    /// Head and tail of the whole stream.
    kept: HeadAndTail,
    /// Output that no call has read yet; for a terminal, without escape sequences.
    fresh: HeadAndTail,
    screen: Option<Screen>,
    spilled: Option<SpillFile>,
    is_told: bool,
    /// The first bytes of a character whose other bytes were not read yet.
    half: Vec<u8>,
    /// Removes secrets before output is cut, reported or written, because a part of a secret would not be
    /// recognised.
    clean: Option<RedactStream>,
}

/// The file of a long stream.
#[derive(Clone, Debug)]
pub(crate) struct SpillFile {
    pub(crate) name: String,
    /// The number of bytes of the stream that the file contains.
    pub(crate) bytes: u64,
}

impl State {
    /// Stores the bytes of a read, or at the end of the stream the bytes that the redactor held back. Returns
    /// the stored bytes and the total so far.
    fn keep(&mut self, read: Option<&[u8]>) -> (Vec<u8>, u64) {
        let bytes = match (read, &mut self.clean) {
            (Some(bytes), Some(clean)) => clean.push(bytes),
            (Some(bytes), None) => bytes.to_vec(),
            (None, clean) => clean.take().map(|mut clean| clean.finish()).unwrap_or_default(),
        };
        self.kept.push(&bytes);
        match &mut self.screen {
            Some(screen) => screen.push(&bytes, &mut self.fresh),
            None => self.fresh.push(&bytes),
        }
        (bytes, self.kept.total())
    }
}

impl Stream {
    pub(crate) fn new(name: &'static str, limit: usize) -> Self {
        let state = State {
            kept: HeadAndTail::new(limit),
            fresh: HeadAndTail::new(limit),
            screen: None,
            spilled: None,
            is_told: true,
            half: Vec::new(),
            clean: None,
        };
        Self { name, limit, flood: Flood::Closed, most: FILE_BYTES, state: Mutex::new(state) }
    }

    pub(crate) fn with_flood(mut self, flood: Flood) -> Self {
        self.flood = flood;
        self
    }

    /// Creates the stream of a terminal.
    pub(crate) fn new_terminal(limit: usize, size: Size) -> Self {
        let stream = Self::new("terminal", limit);
        stream.state().screen = Some(Screen::new(size));
        stream
    }

    /// Reads the stream to its end. A broken pipe is an end as well.
    pub(crate) async fn read(&self, ctx: &Context, pipe: Option<impl AsyncRead + Unpin>) {
        let Some(mut pipe) = pipe else { return };
        let mut buf = vec![0; 64 * 1024];
        // The bytes that arrive before it is known whether a file is needed.
        let mut early = Some(Vec::new());
        let mut file = None;
        self.state().clean = Some(ctx.redactor().stream());
        let mut is_open = true;
        while is_open {
            let read = match pipe.read(&mut buf).await {
                Ok(len @ 1..) => buf.get(..len),
                _ => None,
            };
            is_open = read.is_some();
            let (bytes, total) = self.state().keep(read);
            // A stream exactly as long as its file may have ended, which only the next read shows.
            if total > self.most {
                match self.flood {
                    Flood::Closed => is_open = false,
                    Flood::Drained => tokio::time::sleep(DRAINING).await,
                }
            }
            self.tell(ctx, &bytes, total, is_open);
            if let Some(first) = &mut early {
                first.extend_from_slice(&bytes);
                if first.len() > self.limit {
                    file = self.spill(ctx, &std::mem::take(first)).await;
                    early = None;
                }
            } else if let Some(open) = &mut file {
                let room = self.most.saturating_sub(total.saturating_sub(bytes.len() as u64));
                let part = bytes.get(..usize::try_from(room).unwrap_or(bytes.len())).unwrap_or(&bytes);
                if part.is_empty() {
                    continue;
                }
                // A full disk costs the rest of the file, not the command.
                if write(open, part).await.is_err() {
                    file = None;
                } else if let Some(spilled) = &mut self.state().spilled {
                    spilled.bytes = spilled.bytes.saturating_add(part.len() as u64);
                }
            }
        }
        // A short stream whose text differs from its bytes is written to a file unchanged, except that of a
        // terminal.
        let is_terminal = self.state().screen.is_some();
        if let Some(first) = early.filter(|first| !is_terminal && is_raw(first)) {
            self.spill(ctx, &first).await;
        }
    }

    /// Stops the reports of progress, because the call has its result.
    pub(crate) fn hush(&self) {
        self.state().is_told = false;
    }

    /// Reports output as progress. A character that is split between two reads is reported with the second
    /// one.
    fn tell(&self, ctx: &Context, bytes: &[u8], total: u64, is_open: bool) {
        let text = {
            let mut state = self.state();
            if total > TOLD_BYTES || !state.is_told {
                return;
            }
            let mut bytes = [std::mem::take(&mut state.half).as_slice(), bytes].concat();
            if is_open {
                let whole = bytes.len().saturating_sub(incomplete_suffix(&bytes));
                state.half = bytes.split_off(whole);
            }
            bytes
        };
        if !text.is_empty() {
            ctx.tell(Progress::Output(visible(&String::from_utf8_lossy(&text)).into_owned()));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates the file of a long stream and writes its first bytes. Returns `None` without a folder for
    /// outputs, or after an error.
    async fn spill(&self, ctx: &Context, first: &[u8]) -> Option<File> {
        let (name, mut file) = self.create(ctx).await.ok()?;
        write(&mut file, first).await.ok()?;
        self.state().spilled = Some(SpillFile { name, bytes: first.len() as u64 });
        Some(file)
    }

    async fn create(&self, ctx: &Context) -> io::Result<(String, File)> {
        let folder = ctx.outputs().ok_or(io::ErrorKind::NotFound)?;
        let mut builder = tokio::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        builder.mode(0o700);
        builder.create(folder).await?;
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
        let call: String = ctx.call().as_str().chars().take(100).map(plain).collect();
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        options.mode(0o600);
        for number in 1..1000 {
            let name = format!("{call}-{}-{number}.txt", self.name);
            match options.open(folder.join(&name)).await {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                other => return other.map(|file| (name, file)),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Returns the number of bytes and of lines so far.
    pub(crate) fn total(&self) -> (u64, u64) {
        let state = self.state();
        (state.kept.total(), state.kept.lines())
    }

    /// Returns the whole stream, if it is short enough to be in memory.
    pub(crate) fn whole(&self) -> Option<Vec<u8>> {
        self.state().kept.whole()
    }

    pub(crate) fn spill_file(&self) -> Option<SpillFile> {
        self.state().spilled.clone()
    }

    /// Returns the output since the last call of this method, or the screen if the program uses the whole
    /// screen.
    pub(crate) fn fresh(&self) -> String {
        let mut state = self.state();
        let state = &mut *state;
        if let Some(screen) = &mut state.screen {
            screen.flush(&mut state.fresh);
        }
        let fresh = std::mem::replace(&mut state.fresh, HeadAndTail::new(self.limit));
        let drawn =
            state.screen.as_ref().filter(|screen| screen.is_drawn_on()).and_then(Screen::visible_text);
        visible(&drawn.unwrap_or_else(|| fresh.text())).into_owned()
    }

    /// Returns the visible screen of a terminal.
    pub(crate) fn screen(&self) -> Option<String> {
        let shown = self.state().screen.as_ref()?.visible_text()?;
        Some(visible(&shown).into_owned())
    }

    /// Returns the notice for the head of the result, which is empty if nothing was omitted, and the text.
    pub(crate) fn show(&self) -> (String, String) {
        let mut state = self.state();
        // A dropped reader can have left bytes in the redactor.
        state.keep(None);
        let name = self.name;
        let text = state.kept.text();
        let text = visible(&text).into_owned();
        if !state.kept.is_cut() {
            let raw = state.spilled.as_ref();
            let notice = raw.map(|file| {
                let file = &file.name;
                format!("\n[{name} has control characters, written out here; as it came: @outputs/{file}]")
            });
            return (notice.unwrap_or_default(), text);
        }
        let (total, lines) = (state.kept.total(), state.kept.lines());
        let whole = match &state.spilled {
            Some(file) if file.bytes >= total => format!("all of it: {}", describe_paging(&file.name)),
            Some(file) if total > self.most && self.flood == Flood::Closed => {
                format!("the rest was not read: {}", describe_paging(&file.name))
            }
            Some(file) => format!("its first {} bytes: {}", file.bytes, describe_paging(&file.name)),
            None => "the rest was not stored; print less".to_owned(),
        };
        let notice =
            format!("\n[{name} has {total} bytes in {lines} lines; head and tail are shown; {whole}]");
        (notice, text)
    }
}

/// Returns the instructions for reading the file of a stream.
pub(crate) fn describe_paging(name: &str) -> String {
    format!(
        "read_file {{\"path\":\"@outputs/{name}\"}}, or search it with read_command_output {{\"name\":\"{name}\"}}"
    )
}

/// Writes and flushes, because another call may read the file while the command runs.
async fn write(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes).await?;
    file.flush().await
}

/// Returns the number of bytes at the end that begin an incomplete UTF-8 character.
fn incomplete_suffix(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(3);
    let tail = bytes.get(from..).unwrap_or_default();
    let begun = tail.iter().rposition(|byte| *byte >= 0xc0);
    let rest = begun.and_then(|at| tail.get(at..)).unwrap_or_default();
    // An error without a length is an unexpected end.
    let is_cut =
        std::str::from_utf8(rest).is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none());
    if is_cut { rest.len() } else { 0 }
}

fn is_raw(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).map_or(true, |text| visible(text) != text)
}

#[cfg(test)]
mod tests;
