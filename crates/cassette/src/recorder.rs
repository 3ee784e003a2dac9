//! Recording of a cassette.

use std::collections::BTreeMap;
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
    trackers: Mutex<Vec<Tracker>>,
}

/// A source of definitions that can change during a run.
#[derive(Clone)]
struct Tracker {
    source: String,
    describe: Arc<dyn Fn() -> Option<Value> + Send + Sync>,
}

struct State {
    file: File,
    redactor: Redactor,
    /// The definitions that were written last, by source.
    definitions: BTreeMap<String, Value>,
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
        let (redactor, definitions) = (Redactor::new(secrets), BTreeMap::new());
        let state = Mutex::new(State { file, redactor, definitions, failure: None });
        let tape = Arc::new(Tape { path, exchanges: AtomicU64::new(0), state, trackers: Mutex::default() });
        tape.write(&Line::Begin { version: Line::VERSION, settings });
        Ok(Self { tape })
    }

    /// Records the tools that programs outside of this one define, so that a replay need not start them. Call it
    /// before the first request. `source` names the kind of the programs, such as `mcp`;
    /// [`Player::definitions`](crate::Player::definitions) returns the value.
    ///
    /// A later call records a change: the definitions apply to the requests that follow.
    pub fn record_definitions(&self, source: impl Into<String>, definitions: Value) {
        self.tape.write_definitions(source.into(), definitions);
    }

    /// Records the definitions of a source now and whenever they changed before a request. `describe` is called before
    /// each request; `None` keeps the definitions of before.
    pub fn track_definitions(
        &self,
        source: impl Into<String>,
        describe: impl Fn() -> Option<Value> + Send + Sync + 'static,
    ) {
        let tracker = Tracker { source: source.into(), describe: Arc::new(describe) };
        self.tape.trackers.lock().unwrap_or_else(PoisonError::into_inner).push(tracker);
        self.tape.write_changed_definitions();
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

    fn write_definitions(&self, source: String, definitions: Value) {
        self.state().definitions.insert(source.clone(), definitions.clone());
        self.write(&Line::Definitions { source, definitions });
    }

    /// Writes the definitions that changed since they were written last.
    pub(crate) fn write_changed_definitions(&self) {
        // A description may take long, so no lock is held while it is made.
        let trackers = self.trackers.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for Tracker { source, describe } in trackers {
            let changed = describe().filter(|now| self.state().definitions.get(&source) != Some(now));
            if let Some(definitions) = changed {
                self.write_definitions(source, definitions);
            }
        }
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
