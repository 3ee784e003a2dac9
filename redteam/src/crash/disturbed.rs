//! A run whose store goes away, and whose processes are killed or end with an error.

use std::time::Duration;

use super::checks;
use super::place::{MOST_RESUMES, Place, wait};
use super::transcript::Transcript;

/// The pause before a process that ended with an error is replaced.
const PAUSE: Duration = Duration::from_millis(100);

/// The disturbance of a run, besides an outage of its store.
#[derive(Debug, Default)]
pub(super) struct Disturbance {
    /// The age at which the first process is killed.
    pub(super) kill: Option<Duration>,
    /// True if a process that ends with an error is replaced by another one.
    pub(super) survives_errors: bool,
}

/// The processes of a run that has ended.
#[derive(Debug, Default)]
pub(super) struct ProcessCounts {
    pub(super) kills: u32,
    pub(super) errors: u32,
}

impl Place {
    /// Sets the time that the model takes to answer.
    pub(super) fn with_latency(self, latency: Duration) -> Self {
        Self { latency, ..self }
    }

    /// Runs processes one after the other until the run is done. Returns the number of those that were killed and of
    /// those that ended with an error.
    pub(super) fn run_through(&self, disturbance: &Disturbance) -> anyhow::Result<ProcessCounts> {
        let mut counts = ProcessCounts::default();
        let mut kill = disturbance.kill;
        for _ in 0..MOST_RESUMES {
            match wait(self.start(None)?, kill.take()) {
                Ok(ended) if ended.is_killed => counts.kills += 1,
                Ok(_) => return Ok(counts),
                Err(error) if !disturbance.survives_errors => return Err(error),
                Err(_) => {
                    counts.errors += 1;
                    std::thread::sleep(PAUSE);
                }
            }
        }
        anyhow::bail!("it does not come to its end in {MOST_RESUMES} processes")
    }

    /// Returns the transcript of the run.
    pub(super) fn transcript(&self) -> anyhow::Result<Transcript> {
        Transcript::read(&self.journal.records()?)
    }

    /// Checks the effects of a run that has ended.
    pub(super) fn check_whole(&self) -> anyhow::Result<()> {
        anyhow::ensure!(checks::is_done(&self.journal)?, "it has not ended");
        checks::whole(&self.folder, &self.journal)
    }
}
