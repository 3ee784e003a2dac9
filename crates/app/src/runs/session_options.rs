//! Options of one process that works on a run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_cassette::Player;
use windlass_tool::CancellationToken;

use super::feeds::FeedOptions;
use crate::assembly::People;
use crate::config::RunSettings;
use crate::error::{Context as _, Result};
use crate::providers::ProviderOptions;
use crate::sessions::link::SessionLink;
use crate::sessions::store::SessionStore;

/// Options of one process that starts or continues a run. They are not stored.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SessionOptions {
    /// The people who approve calls and answer questions.
    pub people: People,
    /// Options for every provider.
    pub providers: ProviderOptions,
    /// File for a recording of the run. It must not exist.
    pub record: Option<PathBuf>,
    /// Cancels the run. Every started call still gets its result.
    pub cancellation: CancellationToken,
    /// The session of a new run. The default is a session of its own.
    pub link: SessionLink,
    /// The store of sessions, if it is not the one of the handle.
    pub(crate) sessions: Option<Arc<dyn SessionStore>>,
}

impl SessionOptions {
    /// Creates options without a recording.
    pub fn new(people: People) -> Self {
        Self {
            people,
            providers: ProviderOptions::default(),
            record: None,
            cancellation: CancellationToken::new(),
            link: SessionLink::default(),
            sessions: None,
        }
    }
}

impl SessionOptions {
    pub(super) fn feed_options(&self) -> FeedOptions<'_> {
        FeedOptions {
            link: &self.link,
            sessions: self.sessions.as_ref(),
            guidance: &self.people.guidance,
            windows: &self.people.windows,
            has_person: self.people.accepts_tools,
        }
    }

    /// Reads the settings of a recorded run, for example its root folder.
    ///
    /// # Errors
    ///
    /// Fails if the file is not a recording of a run.
    pub fn read_recorded_settings(cassette: &Path) -> Result<RunSettings> {
        read_run_settings(&Player::open(cassette)?, cassette)
    }
}

pub(super) fn read_run_settings(player: &Player, cassette: &Path) -> Result<RunSettings> {
    serde_json::from_value(player.settings().clone())
        .with_context(|| format!("{} is not the recording of a run", cassette.display()))
}
