//! What a run is recorded on or played from, if it is.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use secrecy::SecretString;
use windlass_agent::Approver;
use windlass_cassette::{Difference, Player, Recorder};
use windlass_client::Transport;
use windlass_tool::{Human, Tool};

use crate::runs::Settings;

/// What a run is recorded on or played from. Without either, everything passes as it is.
#[derive(Clone, Default)]
pub(crate) struct Tape {
    player: Option<Player>,
    recorder: Option<Recorder>,
    /// Whether the run goes on by itself where the recording ends.
    is_live: bool,
    /// The file that is written.
    file: Option<PathBuf>,
}

impl Tape {
    /// Nothing is recorded and nothing played.
    pub(crate) fn none() -> Self {
        Self { is_live: true, ..Self::default() }
    }

    /// Everything comes from the recording.
    pub(crate) fn playing(player: Player) -> Self {
        Self { player: Some(player), ..Self::default() }
    }

    /// The beginning comes from the recording.
    pub(crate) fn forked(player: Player) -> Self {
        Self { player: Some(player), ..Self::none() }
    }

    /// The same, and recorded in a new file without these secrets.
    pub(crate) fn recording(
        mut self,
        file: Option<&Path>,
        settings: &Settings,
        secrets: Vec<SecretString>,
    ) -> anyhow::Result<Self> {
        if let Some(file) = file {
            let settings = serde_json::to_value(settings)?;
            self.recorder = Some(Recorder::create(file, settings, secrets)?);
            self.file = Some(file.to_path_buf());
        }
        Ok(self)
    }

    /// The file of the recording that is being made, if one is.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Whether the provider is ever asked.
    pub(crate) fn is_live(&self) -> bool {
        self.is_live
    }

    /// Whether requests have to be the same each time, whatever was learned in between.
    pub(crate) fn is_used(&self) -> bool {
        self.player.is_some() || self.recorder.is_some()
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

    /// Somebody to ask. A recorded run is answered as it was, also where nobody is there now.
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

    /// Brings the recording to the disk, and says where the run went another way than the one that was played.
    pub(crate) fn finish(&self) -> anyhow::Result<Vec<Difference>> {
        if let Some(recorder) = &self.recorder {
            recorder.finish()?;
        }
        Ok(self.player.as_ref().map(Player::differences).unwrap_or_default())
    }
}
