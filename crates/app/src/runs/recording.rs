//! Recording and replay of a run.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use secrecy::SecretString;
#[cfg(feature = "mcp")]
use serde::Serialize;
use serde_json::Value;
use windlass_agent::Approver;
#[cfg(feature = "mcp")]
use windlass_cassette::DefinitionsFuture;
use windlass_cassette::{Difference, Player, Recorder};
use windlass_client::Transport;
use windlass_tool::{Human, Tool};

use crate::config::RunSettings;
use crate::error::Result;

/// The recording that a run writes or replays. Without either, all calls pass through.
#[derive(Clone, Default)]
pub struct Recording {
    player: Option<Player>,
    recorder: Option<Recorder>,
    /// True if the run continues live after the end of the replayed recording.
    is_live: bool,
    /// File of the recording that is being written.
    file: Option<PathBuf>,
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording")
            .field("is_replayed", &self.player.is_some())
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

impl Recording {
    /// Creates the value for a run that is neither recorded nor replayed.
    pub const fn none() -> Self {
        Self { player: None, recorder: None, is_live: true, file: None }
    }

    /// Creates the value for a replay, which takes every response from a recording.
    pub(crate) fn replay(player: Player) -> Self {
        Self { player: Some(player), ..Self::default() }
    }

    /// Creates the value for a run that replays a recording and then continues live.
    pub(crate) fn fork(player: Player) -> Self {
        Self { player: Some(player), ..Self::none() }
    }

    /// Adds a recorder that writes a new file and removes these secrets.
    pub(crate) fn write_to(
        mut self,
        file: Option<&Path>,
        settings: &RunSettings,
        secrets: Vec<SecretString>,
    ) -> Result<Self> {
        if let Some(file) = file {
            let settings = serde_json::to_value(settings)?;
            self.recorder = Some(Recorder::create(file, settings, secrets)?);
            self.file = Some(file.to_path_buf());
        }
        Ok(self)
    }

    /// Returns the file of the recording that is being written.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Returns true if a new recording of the run is written.
    #[cfg(feature = "mcp")]
    pub(crate) fn is_recorded(&self) -> bool {
        self.recorder.is_some()
    }

    /// Returns true if the run can send requests to its provider.
    pub(crate) fn is_live(&self) -> bool {
        self.is_live
    }

    /// Returns true if a cassette records or replays the run. Its requests must then not depend on facts
    /// learned at other times.
    pub(crate) fn is_used(&self) -> bool {
        self.player.is_some() || self.recorder.is_some()
    }

    /// Returns the definitions of tools from outside that the replayed recording contains.
    pub(crate) fn definitions(&self, source: &str) -> Option<&Value> {
        self.player.as_ref()?.definitions(source)
    }

    /// Records definitions of tools from outside, if the run is recorded.
    #[cfg(feature = "mcp")]
    pub(crate) fn record_definitions<T: Serialize>(&self, source: &str, definitions: &T) {
        if let (Some(recorder), Ok(definitions)) = (&self.recorder, serde_json::to_value(definitions)) {
            recorder.record_definitions(source, definitions);
        }
    }

    /// Applies the recorded changes of definitions of tools from outside, if the run is replayed.
    #[cfg(feature = "mcp")]
    pub(crate) fn follow_definitions(
        &self,
        source: &str,
        apply: impl Fn(Value) -> DefinitionsFuture + Send + Sync + 'static,
    ) {
        if let Some(player) = &self.player {
            player.follow_definitions(source, apply);
        }
    }

    pub(crate) fn transport(&self, live: Arc<dyn Transport>) -> Arc<dyn Transport> {
        let played = self.player.iter().fold(live, |live, player| player.transport(Some(live)));
        self.recorder.iter().fold(played, |inner, recorder| recorder.transport(inner))
    }

    pub(crate) fn tool(&self, tool: Arc<dyn Tool>) -> Arc<dyn Tool> {
        let played = self.player.iter().fold(tool, |tool, player| player.tool(tool));
        self.recorder.iter().fold(played, |inner, recorder| recorder.tool(inner))
    }

    pub(crate) fn approver(&self, approver: Arc<dyn Approver>) -> Arc<dyn Approver> {
        let played = self.player.iter().fold(approver, |live, player| player.approver(Some(live)));
        self.recorder.iter().fold(played, |inner, recorder| recorder.approver(inner))
    }

    /// Returns the human who answers questions of tools. In a replay the recorded answers are used even
    /// without a human.
    pub(crate) fn human(&self, human: Option<Arc<dyn Human>>) -> Option<Arc<dyn Human>> {
        let played = match &self.player {
            Some(player) => Some(player.human(human)),
            None => human,
        };
        match (&self.recorder, played) {
            (Some(recorder), Some(human)) => Some(recorder.human(human)),
            (_, human) => human,
        }
    }

    /// Completes the recording on disk, and returns the differences of a replay from its recording.
    ///
    /// # Errors
    ///
    /// Fails if the recording could not be written.
    pub fn finish(&self) -> Result<Vec<Difference>> {
        if let Some(recorder) = &self.recorder {
            recorder.finish()?;
        }
        Ok(self.player.as_ref().map(Player::differences).unwrap_or_default())
    }
}
