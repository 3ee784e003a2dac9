//! A recorded run that happens again.

use std::path::Path;

use windlass_agent::{EventStream, RunOptions};
use windlass_cassette::Player;

use super::Recording;
use super::session_options::{SessionOptions, read_run_settings};
use crate::app::App;
use crate::assembly::{AnswerForm, Assembly, build_shell};
use crate::config::to_message;
use crate::error::Result;

/// A recorded run that happens again, without a network and without running a tool.
#[derive(Debug)]
#[non_exhaustive]
pub struct Replay {
    /// The events of the run.
    pub events: EventStream,
    /// The recording. [`Recording::finish`] returns the differences.
    pub recording: Recording,
}

impl Replay {
    /// Lets a recorded run happen again. Writes no journal and no run folder.
    ///
    /// # Errors
    ///
    /// Fails if the recording cannot be read.
    pub async fn start(app: &App, cassette: &Path, options: &SessionOptions) -> Result<Self> {
        let player = Player::open(cassette)?;
        let settings = read_run_settings(&player, cassette)?;
        let recording = Recording::replay(player);
        // No tool runs, but decisions depend on the confinement that a process would get.
        let shell = build_shell(app, settings.sandbox, settings.policy.as_deref())?;
        let assembly = Assembly::new(app, &settings, &options.people, &options.providers, &shell, None)?;
        let agent = assembly.with_recording(&recording).build().await?;
        let run = RunOptions::default().with_cancellation(options.cancellation.clone());
        let schema = AnswerForm::new(&settings)?;
        let task = to_message(settings.task, settings.parts);
        let (task, run) = AnswerForm::begin(schema.as_ref(), &agent, task, run);
        Ok(Self { events: agent.stream_with(task, run), recording })
    }
}
