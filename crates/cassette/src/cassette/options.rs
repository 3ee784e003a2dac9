//! Mode and environment of a cassette.

use std::fmt;
use std::sync::Arc;

use secrecy::SecretString;
use serde_json::Value;

use crate::CassetteError;

/// Choice between a recording and a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a run is recorded, replayed, or whichever is possible")]
pub enum CassetteMode {
    /// Replay if the file exists, and otherwise record with the key of the environment.
    #[default]
    Auto,
    /// Record, and replace the file if the test succeeds.
    Record,
    /// Replay, and fail if the file does not exist. Suitable for continuous integration, where a key may be set for
    /// other reasons.
    Replay,
}

impl CassetteMode {
    /// The variable of the environment that selects a mode: `auto`, `record` or `replay`.
    pub const VARIABLE: &str = "WINDLASS_CASSETTE";

    /// Returns the mode with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Auto),
            "record" => Some(Self::Record),
            "replay" => Some(Self::Replay),
            _ => None,
        }
    }
}

type Variables = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Options of a [`Cassette`](crate::Cassette).
#[derive(Clone)]
pub struct CassetteOptions {
    mode: Option<CassetteMode>,
    variables: Variables,
    pub(super) settings: Value,
    pub(super) secrets: Vec<SecretString>,
}

impl CassetteOptions {
    /// Sets the mode, which then does not come from the environment.
    pub fn with_mode(mut self, mode: CassetteMode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Sets the source of variables, such as keys and base URLs. The default is the environment of the process.
    pub fn with_variables(mut self, read: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        self.variables = Arc::new(read);
        self
    }

    /// Sets a description of the run, which a recording stores as the settings of its cassette.
    pub fn with_settings(mut self, settings: Value) -> Self {
        self.settings = settings;
        self
    }

    /// Adds a secret that a recording removes, in addition to the keys of requests.
    pub fn with_secret(mut self, secret: SecretString) -> Self {
        self.secrets.push(secret);
        self
    }

    pub(super) fn variable(&self, name: &str) -> Option<String> {
        (self.variables)(name)
    }

    pub(super) fn mode(&self) -> Result<CassetteMode, CassetteError> {
        if let Some(mode) = self.mode {
            return Ok(mode);
        }
        match self.variable(CassetteMode::VARIABLE) {
            Some(name) if !name.is_empty() => {
                CassetteMode::from_name(&name).ok_or(CassetteError::UnknownMode { name })
            }
            _ => Ok(CassetteMode::Auto),
        }
    }
}

impl Default for CassetteOptions {
    fn default() -> Self {
        Self {
            mode: None,
            variables: Arc::new(|name| std::env::var(name).ok()),
            settings: Value::Null,
            secrets: Vec::new(),
        }
    }
}

impl fmt::Debug for CassetteOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CassetteOptions")
            .field("mode", &self.mode)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
