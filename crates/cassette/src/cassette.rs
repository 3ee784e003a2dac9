//! A cassette that replays if its file exists, and records otherwise.

mod options;
mod recording;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use secrecy::SecretString;
use windlass_agent::{Agent, AgentBuilder, Approver};
use windlass_client::{
    Client, Endpoint, HttpOptions, HttpTransport, KeyUse, Options, Pace, Transport, Vendor, Vendors,
};
use windlass_stream::Model;
use windlass_tool::{Human, Tool};

pub use self::options::{CassetteMode, CassetteOptions};
use self::recording::Recording;
use crate::line::BASE_URL;
use crate::model;
use crate::{CassetteError, Difference, Player};

/// A run on a cassette: a replay if the file exists, and a recording with a live provider otherwise.
///
/// The attribute [`cassette`](macro@crate::cassette) opens one for a test, and finishes it. Take the agent, the client,
/// the tools and the approver of the test from it; whether they are live is then the decision of the cassette. A replay
/// needs neither a network nor a key. [`CassetteMode`] has the rules, and the variable `WINDLASS_CASSETTE` selects a
/// mode.
///
/// Clones are cheap and belong to the same run. A recording that is dropped before [`finish`](Self::finish) leaves no
/// file, so a failed test is recorded again.
///
/// ```
/// use windlass_cassette::{Cassette, CassetteMode, CassetteOptions};
///
/// let folder = tempfile::tempdir()?;
/// let options = CassetteOptions::default().with_mode(CassetteMode::Auto).with_variables(|_| None);
/// let cassette = Cassette::open_with(folder.path().join("greeting.jsonl"), &options)?;
/// // Neither a file nor a key.
/// let error = cassette.agent("openai", "gpt-5.1").err().ok_or("refused")?;
/// assert!(error.to_string().contains("set OPENAI_API_KEY"), "{error}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Cassette {
    inner: Arc<Inner>,
}

struct Inner {
    path: PathBuf,
    options: CassetteOptions,
    run: Run,
    /// The description of the first recording that could not be made. A test that returns the error shows its fields, and
    /// the attribute shows this text instead.
    failure: Mutex<Option<String>>,
}

enum Run {
    Recording(Recording),
    Replay(Player),
}

impl Cassette {
    /// Opens a cassette in the mode of the variable `WINDLASS_CASSETTE`, or automatically.
    ///
    /// # Errors
    /// If the file is not a cassette, if the mode requires a file that does not exist, or if the recording cannot be
    /// created.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, CassetteError> {
        Self::open_with(path, &CassetteOptions::default())
    }

    /// Opens a cassette with these options.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn open_with(path: impl AsRef<Path>, options: &CassetteOptions) -> Result<Self, CassetteError> {
        let path = path.as_ref().to_owned();
        let run = match (options.mode()?, path.exists()) {
            (CassetteMode::Replay, false) => return Err(CassetteError::NotRecorded { path }),
            (CassetteMode::Auto | CassetteMode::Replay, true) => Run::Replay(Player::open(&path)?),
            (CassetteMode::Record, _) | (CassetteMode::Auto, false) => {
                Run::Recording(Recording::create(&path, options)?)
            }
        };
        let (options, failure) = (options.clone(), Mutex::default());
        Ok(Self { inner: Arc::new(Inner { path, options, run, failure }) })
    }

    /// Returns whether this run is recorded with a live provider.
    pub fn is_recording(&self) -> bool {
        matches!(self.inner.run, Run::Recording(_))
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Returns the builder of an agent with a model of a built-in vendor, such as `openai` or `anthropic`.
    ///
    /// # Errors
    /// As for [`client`](Self::client).
    pub fn agent(&self, vendor: &str, model: impl Into<String>) -> Result<AgentBuilder, CassetteError> {
        Ok(Agent::builder().model(self.client(vendor)?, model))
    }

    /// Returns the client of a built-in vendor. A recording takes the key, and a base URL that differs from the
    /// vendor's, from the vendor's variables, and a replay uses the recorded base URL.
    ///
    /// # Errors
    /// If the vendor is unknown, the base URL is invalid, or a recording needs a key that is not set.
    pub fn client(&self, vendor: &str) -> Result<Client, CassetteError> {
        let vendors = Vendors::builtin();
        let found = vendors.get(vendor).cloned();
        let mut found = found.ok_or_else(|| CassetteError::UnknownVendor { name: vendor.to_owned() })?;
        if let Some(url) = self.base_url(vendor, &found.endpoint) {
            found.endpoint = found.endpoint.with_base_url(url);
        }
        self.client_of(found)
    }

    /// Returns the client of a vendor, such as a server of one's own. A recording takes the key from the variable
    /// [`Endpoint::key_env`].
    ///
    /// # Errors
    /// If the base URL is invalid, or a recording needs a key that is not set.
    pub fn client_of(&self, vendor: Vendor) -> Result<Client, CassetteError> {
        let key = self.key(&vendor.endpoint)?;
        let pace = if self.is_recording() { Pace::Kept } else { Pace::Ignored };
        let transport = match &self.inner.run {
            Run::Replay(player) => player.transport(None),
            Run::Recording(recording) => {
                let http = HttpTransport::new(&HttpOptions::default());
                recording
                    .recorder
                    .transport(Arc::new(http.map_err(|error| CassetteError::client(error.into()))?))
            }
        };
        let builder = Client::vendor(vendor).key(key).transport(transport);
        builder.options(Options { pace, ..Options::default() }).build().map_err(CassetteError::client)
    }

    /// Returns a transport: `live` with a recording, or the replay.
    pub fn transport(&self, live: Arc<dyn Transport>) -> Arc<dyn Transport> {
        match &self.inner.run {
            Run::Recording(recording) => recording.recorder.transport(live),
            Run::Replay(player) => player.transport(None),
        }
    }

    /// Returns a model that answers and is recorded, or whose recorded answers are replayed: for models without HTTP, such as
    /// one in the same process. A replay asks `live` for its facts and refusals only.
    pub fn model(&self, live: impl Model + 'static) -> Arc<dyn Model> {
        Arc::new(model::wrap_model(Arc::new(live), |transport| self.transport(transport)))
    }

    /// Returns a tool that runs and is recorded, or whose recorded results are replayed. A tool without effects and
    /// with the same result on every machine needs no recording: it can run in the replay.
    pub fn tool(&self, live: impl Tool + 'static) -> Arc<dyn Tool> {
        self.shared_tool(Arc::new(live))
    }

    /// Like [`tool`](Self::tool), for a tool that is shared.
    pub fn shared_tool(&self, live: Arc<dyn Tool>) -> Arc<dyn Tool> {
        match &self.inner.run {
            Run::Recording(recording) => recording.recorder.tool(live),
            Run::Replay(player) => player.tool(live),
        }
    }

    /// Returns an approver that decides and is recorded, or whose recorded decisions are replayed.
    pub fn approver(&self, live: impl Approver + 'static) -> Arc<dyn Approver> {
        match &self.inner.run {
            Run::Recording(recording) => recording.recorder.approver(Arc::new(live)),
            Run::Replay(player) => player.approver(None),
        }
    }

    /// Returns a human who answers and is recorded, or whose recorded answers are replayed.
    pub fn human(&self, live: impl Human + 'static) -> Arc<dyn Human> {
        match &self.inner.run {
            Run::Recording(recording) => recording.recorder.human(Arc::new(live)),
            Run::Replay(player) => player.human(None),
        }
    }

    /// Returns the differences so far between a replay and its cassette, and an empty list for a recording.
    pub fn differences(&self) -> Vec<Difference> {
        match &self.inner.run {
            Run::Recording(_) => Vec::new(),
            Run::Replay(player) => player.differences(),
        }
    }

    /// Like [`differences`](Self::differences), without the entries that were not replayed.
    pub(crate) fn deviations(&self) -> Vec<Difference> {
        match &self.inner.run {
            Run::Recording(_) => Vec::new(),
            Run::Replay(player) => player.deviations(),
        }
    }

    /// Ends the run. A recording replaces the file in one step; call this after the last run of the agent. A replay is
    /// compared with its cassette.
    ///
    /// # Errors
    /// If the recording cannot be written, or the replay differs from its cassette.
    pub fn finish(&self) -> Result<(), CassetteError> {
        match &self.inner.run {
            Run::Recording(recording) => recording.keep(&self.inner.path),
            Run::Replay(player) => self.check(player.differences()),
        }
    }

    /// Makes differences an error.
    pub(crate) fn check(&self, differences: Vec<Difference>) -> Result<(), CassetteError> {
        if differences.is_empty() {
            return Ok(());
        }
        Err(CassetteError::Different { path: self.inner.path.clone(), differences })
    }

    /// Returns the description of the first recording that could not be made.
    pub(crate) fn take_failure(&self) -> Option<String> {
        self.failure().take()
    }

    fn failure(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.inner.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn variable(&self, name: Option<&String>) -> Option<String> {
        self.inner.options.variable(name?).filter(|value| !value.trim().is_empty())
    }

    /// Returns a base URL that differs from the vendor's, and records it.
    fn base_url(&self, vendor: &str, endpoint: &Endpoint) -> Option<String> {
        let entry = format!("{BASE_URL}{vendor}");
        match &self.inner.run {
            Run::Replay(player) => Some(player.definitions(&entry)?.as_str()?.to_owned()),
            Run::Recording(recording) => {
                let url = self.variable(endpoint.base_url_env.as_ref())?;
                recording.recorder.record_definitions(entry, url.clone().into());
                Some(url)
            }
        }
    }

    /// Returns the key of a recording.
    fn key(&self, endpoint: &Endpoint) -> Result<Option<SecretString>, CassetteError> {
        if !self.is_recording() {
            return Ok(None);
        }
        match (self.variable(endpoint.key_env.as_ref()), endpoint.key_use, &endpoint.key_env) {
            (None, KeyUse::Required, Some(variable)) => {
                let (path, vendor) = (self.inner.path.clone(), endpoint.name.clone());
                let error = CassetteError::MissingKey { path, vendor, variable: variable.clone() };
                self.failure().get_or_insert_with(|| error.to_string());
                Err(error)
            }
            (key, ..) => Ok(key.map(SecretString::from)),
        }
    }
}

impl fmt::Debug for Cassette {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_recording = self.is_recording();
        f.debug_struct("Cassette")
            .field("path", &self.inner.path)
            .field("is_recording", &is_recording)
            .finish_non_exhaustive()
    }
}
