//! The log of requests as a file of JSON lines.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::Context as _;
use windlass_gateway::{RequestLine, RequestLog};

use crate::output;

/// A file to which each request appends one line.
pub(super) struct LogFile(Mutex<LogState>);

struct LogState {
    file: File,
    has_failed: bool,
}

impl LogFile {
    pub(super) fn open(path: &Path) -> anyhow::Result<Self> {
        let file = File::options().append(true).create(true).open(path);
        let file = file.with_context(|| format!("{} cannot be opened", path.display()))?;
        Ok(Self(Mutex::new(LogState { file, has_failed: false })))
    }
}

impl RequestLog for LogFile {
    fn log(&self, line: &RequestLine) {
        let Ok(mut text) = serde_json::to_string(line) else { return };
        text.push('\n');
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // One write for each line, so that lines of several processes do not mix.
        let written = state.file.write_all(text.as_bytes());
        if let Err(error) = written
            && !std::mem::replace(&mut state.has_failed, true)
        {
            output::note(&format!("the request log cannot be written: {error}"));
        }
    }
}
