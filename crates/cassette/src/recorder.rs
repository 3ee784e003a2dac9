//! Recording of a cassette.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use secrecy::SecretString;
use serde_json::Value;
use windlass_agent::Approver;
use windlass_client::Transport;
use windlass_redact::{RedactStream, Redactor};
use windlass_tool::{Human, Tool};

use crate::tap::{ApproverTap, HumanTap, ToolTap, TransportTap};
use crate::{CassetteError, Line};

/// Records a run in a cassette. Wrap the agent's transport, tools, approver and human with its methods.
/// Clones are cheap and write to the same file.
///
/// Each event is written when it has happened, so a killed run leaves a cassette up to that point. Only the
/// user may read the file (mode 0600 on Unix). Keys are never recorded: headers that carry one are left out,
/// and their values are removed from everything else, including responses and tool output that repeat them.
///
/// ```
/// use std::sync::Arc;
/// use serde_json::json;
/// use windlass_agent::ApproveAll;
/// use windlass_cassette::{Player, Recorder};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("run.jsonl");
/// let recorder = Recorder::create(&file, json!({"task": "say hello"}), [])?;
/// let approver = recorder.approver(Arc::new(ApproveAll));
/// // … an agent with `recorder.transport(…)`, `recorder.tool(…)` and `approver` runs here …
/// # let _ = approver;
/// recorder.finish()?;
/// assert_eq!(Player::open(&file)?.settings()["task"], "say hello");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Recorder {
    tape: Arc<Tape>,
}

/// Output file, with the state of the recording.
pub(crate) struct Tape {
    path: PathBuf,
    exchanges: AtomicU64,
    state: Mutex<State>,
}

struct State {
    file: File,
    redactor: Redactor,
    /// The first error. Nothing is written after it, because a cassette with a gap would replay wrongly.
    failure: Option<CassetteError>,
}

impl Recorder {
    /// Creates a cassette. `settings` describes the run for [`Player::settings`](crate::Player::settings);
    /// `secrets` are removed from the recording in addition to the keys of requests.
    ///
    /// # Errors
    /// If the file exists or cannot be created.
    pub fn create(
        path: impl AsRef<Path>,
        settings: Value,
        secrets: impl IntoIterator<Item = SecretString>,
    ) -> Result<Self, CassetteError> {
        let path = path.as_ref().to_owned();
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(|source| {
            if source.kind() == ErrorKind::AlreadyExists {
                CassetteError::Exists { path: path.clone() }
            } else {
                CassetteError::File { path: path.clone(), verb: "made", source }
            }
        })?;
        let state = Mutex::new(State { file, redactor: Redactor::new(secrets), failure: None });
        let tape = Arc::new(Tape { path, exchanges: AtomicU64::new(0), state });
        tape.write(&Line::Begin { version: Line::VERSION, settings });
        Ok(Self { tape })
    }

    /// Records the tools that programs outside of this one define, so that a replay need not start them. Call it
    /// before the first request. `source` names the kind of the programs, such as `mcp`;
    /// [`Player::definitions`](crate::Player::definitions) returns the value.
    ///
    /// A later call records a change. Call it when the change takes effect and before a request that offers it is
    /// composed: the definitions belong to the requests that are composed from then on.
    pub fn record_definitions(&self, source: impl Into<String>, definitions: Value) {
        self.tape.write(&Line::Definitions { source: source.into(), definitions });
    }

    /// Returns a transport that forwards to `inner` and records the exchanges.
    pub fn transport(&self, inner: Arc<dyn Transport>) -> Arc<dyn Transport> {
        Arc::new(TransportTap { inner, tape: self.tape.clone() })
    }

    /// Returns a tool that forwards to `inner` and records the calls.
    pub fn tool(&self, inner: Arc<dyn Tool>) -> Arc<dyn Tool> {
        Arc::new(ToolTap { inner, tape: self.tape.clone() })
    }

    /// Returns an approver that forwards to `inner` and records the decisions.
    pub fn approver(&self, inner: Arc<dyn Approver>) -> Arc<dyn Approver> {
        Arc::new(ApproverTap { inner, tape: self.tape.clone() })
    }

    /// Returns a human that forwards to `inner` and records the answers.
    pub fn human(&self, inner: Arc<dyn Human>) -> Arc<dyn Human> {
        Arc::new(HumanTap { inner, tape: self.tape.clone() })
    }

    /// Syncs the cassette to disk.
    ///
    /// # Errors
    /// If any line could not be written; the cassette ends before that line.
    pub fn finish(&self) -> Result<(), CassetteError> {
        let mut state = self.tape.state();
        if let Some(failure) = state.failure.take() {
            return Err(failure);
        }
        state.file.sync_all().map_err(|source| self.tape.write_error(source))
    }
}

impl Tape {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_error(&self, source: std::io::Error) -> CassetteError {
        CassetteError::File { path: self.path.clone(), verb: "written", source }
    }

    pub(crate) fn next_exchange(&self) -> u64 {
        self.exchanges.fetch_add(1, Ordering::Relaxed)
    }

    /// Writes a line without the known secrets.
    pub(crate) fn write(&self, line: &Line) {
        let mut state = self.state();
        if state.failure.is_some() {
            return;
        }
        // A secret that equals a field name of the line must stay, or the cassette could not be read.
        let clean = state.redactor.to_redacted_json(line);
        let written = clean.map_err(CassetteError::from).and_then(|mut text| {
            text.push('\n');
            // One write per line, so that a killed process leaves at most one partial line.
            state.file.write_all(text.as_bytes()).map_err(|source| self.write_error(source))
        });
        state.failure = written.err();
    }

    pub(crate) fn learn(&self, secret: &str) {
        self.state().redactor.register(&secret.into());
    }

    pub(crate) fn redact(&self, bytes: &[u8]) -> Vec<u8> {
        let redactor = &self.state().redactor;
        match std::str::from_utf8(bytes) {
            Ok(text) => redactor.redact_json(text).into_owned().into_bytes(),
            Err(_) => redactor.redact_bytes(bytes).into_owned(),
        }
    }

    /// Returns a redactor for a byte stream that removes the secrets known so far.
    pub(crate) fn redact_stream(&self) -> RedactStream {
        self.state().redactor.stream()
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("path", &self.tape.path).finish_non_exhaustive()
    }
}
