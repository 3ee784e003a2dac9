//! One output stream of a command: told as it comes, kept in bounded memory, and in a file when it is long.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::fs::{File, OpenOptions};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use windlass_redact::RedactStream;
use windlass_tool::{Context, Progress};

use crate::kept::Kept;
use crate::visible::visible;

/// How much of a long stream its file holds. Nothing is kept of what comes behind it, so that is not read either:
/// the pipe is closed, which ends who goes on printing.
const FILE_BYTES: u64 = 64 * 1024 * 1024;
/// How much of a stream is told while it comes: nobody reads on in a flood.
const TOLD_BYTES: u64 = 1024 * 1024;

/// What was read so far. The reader may be dropped at any await, what it read stays here.
pub(crate) struct Stream {
    name: &'static str,
    limit: usize,
    state: Mutex<State>,
}

struct State {
    kept: Kept,
    spilled: Option<String>,
    /// Takes secrets out before anything is cut, told or written: half a secret is not found.
    clean: Option<RedactStream>,
}

impl State {
    /// Keeps what was read, or what was held back when nothing more comes; gives it back with the total so far.
    fn keep(&mut self, read: Option<&[u8]>) -> (Vec<u8>, u64) {
        let bytes = match (read, &mut self.clean) {
            (Some(bytes), Some(clean)) => clean.push(bytes),
            (Some(bytes), None) => bytes.to_vec(),
            (None, clean) => clean.take().map(|mut clean| clean.finish()).unwrap_or_default(),
        };
        self.kept.push(&bytes);
        (bytes, self.kept.total())
    }
}

impl Stream {
    pub(crate) fn new(name: &'static str, limit: usize) -> Self {
        Self { name, limit, state: Mutex::new(State { kept: Kept::new(limit), spilled: None, clean: None }) }
    }

    /// Reads to the end. A broken pipe is an end, too.
    pub(crate) async fn read(&self, ctx: &Context, pipe: Option<impl AsyncRead + Unpin>) {
        let Some(mut pipe) = pipe else { return };
        let mut buf = vec![0; 16 * 1024];
        // Bytes that come before it is known that a file is needed.
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
            let (bytes, len) = (bytes.as_slice(), bytes.len());
            is_open &= total < FILE_BYTES;
            if len > 0 && total <= TOLD_BYTES {
                ctx.tell(Progress::Output(visible(&String::from_utf8_lossy(bytes)).into_owned()));
            }
            if let Some(first) = &mut early {
                first.extend_from_slice(bytes);
                if first.len() > self.limit {
                    file = self.spill(ctx, &std::mem::take(first)).await;
                    early = None;
                }
            } else if let Some(open) = &mut file {
                let room = FILE_BYTES.saturating_sub(total - len as u64);
                let part = bytes.get(..usize::try_from(room).unwrap_or(len).min(len)).unwrap_or_default();
                // A full disk costs the rest of the file, not the command.
                if open.write_all(part).await.is_err() {
                    file = None;
                }
            }
        }
        // What is not shown as it came is kept as it came.
        if let Some(first) = early.filter(|first| is_raw(first)) {
            file = self.spill(ctx, &first).await;
        }
        if let Some(mut file) = file {
            let _ = file.flush().await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins the file of a long stream; without a folder for it there is none.
    async fn spill(&self, ctx: &Context, first: &[u8]) -> Option<File> {
        let (name, mut file) = self.create(ctx).await.ok()?;
        file.write_all(first).await.ok()?;
        self.state().spilled = Some(name);
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

    /// The notice for the head of the result, empty where nothing is left out, and the text.
    pub(crate) fn shown(&self) -> (String, String) {
        let mut state = self.state();
        // Whoever read may have been dropped.
        state.keep(None);
        let name = self.name;
        let text = state.kept.text();
        let text = visible(&text).into_owned();
        if !state.kept.is_cut() {
            let raw = state.spilled.as_ref();
            let notice = raw.map(|file| {
                format!("\n[{name} has control characters, written out here; as it came: @outputs/{file}]")
            });
            return (notice.unwrap_or_default(), text);
        }
        let (total, lines) = (state.kept.total(), state.kept.lines());
        let whole = match &state.spilled {
            Some(name) if total < FILE_BYTES => {
                format!("all of it: read_file {{\"path\":\"@outputs/{name}\"}}")
            }
            Some(name) => {
                format!("it went on, and was not read further: read_file {{\"path\":\"@outputs/{name}\"}}")
            }
            None => "the rest was not kept; print less".to_owned(),
        };
        let notice =
            format!("\n[{name} has {total} bytes in {lines} lines; head and tail are shown; {whole}]");
        (notice, text)
    }
}

fn is_raw(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).map_or(true, |text| visible(text) != text)
}
