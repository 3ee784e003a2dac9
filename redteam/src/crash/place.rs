//! One run that is killed: its folder, its journal, and its processes.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use windlass_testkit::split::SplitMix64;

use super::storage::{RunJournal, RunStore};
use super::{Counts, Point, checks, script};

/// The maximum time of a process. It detects a process that hangs; it is not a measurement.
const PATIENCE: Duration = Duration::from_mins(2);
/// The maximum number of resumes before a run counts as stuck.
pub(super) const MOST_RESUMES: u32 = 200;

/// The place of one run: a folder with its workspace and the files outside the workspace, and its journal.
pub(super) struct Place {
    pub(super) folder: PathBuf,
    pub(super) journal: RunJournal,
    /// The time that the model takes to answer.
    pub(super) latency: Duration,
}

/// The end of a process, with the number of records that it acknowledged.
pub(super) struct ProcessEnd {
    acknowledged: u64,
    pub(super) is_killed: bool,
    told: String,
}

impl Place {
    pub(super) fn new(scratch: &Path, name: &str, store: Option<&Arc<RunStore>>) -> anyhow::Result<Self> {
        let folder = scratch.join("crash").join(name.replace(':', "-"));
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(folder.join("work"))?;
        script::lay_out(&folder.join("work"))?;
        let journal = match store {
            Some(store) => RunJournal::Stored { store: Arc::clone(store), run: name.replace(':', "-") },
            None => RunJournal::File(folder.join("journal")),
        };
        Ok(Self { folder, journal, latency: Duration::ZERO })
    }

    /// Performs a run without killing it.
    pub(super) fn run_without_kill(&self, counts: &mut Counts) -> anyhow::Result<()> {
        let ended = wait(self.start(None)?, None)?;
        anyhow::ensure!(!ended.is_killed, "it was killed: {}", ended.told);
        self.finish(counts)
    }

    /// Kills a run at a named point, and then resumes it until it ends.
    pub(super) fn kill_at_point(&self, point: &Point, counts: &mut Counts) -> anyhow::Result<()> {
        let ended = wait(self.start(Some(point))?, None)?;
        anyhow::ensure!(ended.is_killed, "it never came to that point: {}", ended.told);
        counts.kills = counts.kills.saturating_add(1);
        checks::records(&self.journal, ended.acknowledged)?;
        self.finish(counts)
    }

    /// Kills a run at random moments, again and again, until it is done or the number of kills is reached.
    pub(super) fn kill_at_random(
        &self,
        random: &mut SplitMix64,
        whole: Duration,
        end: u32,
        counts: &mut Counts,
    ) -> anyhow::Result<()> {
        // The process can also be killed after its last record, before it exits.
        while counts.kills < end && !checks::is_done(&self.journal)? {
            let most = usize::try_from(whole.as_micros()).unwrap_or(usize::MAX);
            let moment = Duration::from_micros(random.in_range(0, most) as u64);
            let ended = wait(self.start(None)?, Some(moment))?;
            if !ended.is_killed {
                break;
            }
            counts.kills = counts.kills.saturating_add(1);
            checks::records(&self.journal, ended.acknowledged)?;
        }
        self.finish(counts)
    }

    /// Resumes the run until it is done, and checks the files and records that it left.
    fn finish(&self, counts: &mut Counts) -> anyhow::Result<()> {
        for _ in 0..MOST_RESUMES {
            if checks::is_done(&self.journal)? {
                return checks::whole(&self.folder, &self.journal);
            }
            counts.resumes = counts.resumes.saturating_add(1);
            let ended = wait(self.start(None)?, None)?;
            anyhow::ensure!(!ended.is_killed, "it does not continue: {}", ended.told);
        }
        anyhow::bail!("it does not come to its end in {MOST_RESUMES} processes")
    }

    pub(super) fn start(&self, point: Option<&Point>) -> anyhow::Result<Child> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("victim").arg(&self.folder);
        if let Some(point) = point {
            command.arg("--at").arg(point.to_string());
        }
        if !self.latency.is_zero() {
            command.arg("--latency-ms").arg(self.latency.as_millis().to_string());
        }
        if let RunJournal::Stored { store, run } = &self.journal {
            command.args(["--store", store.address(), "--run", run]);
        }
        // Its output to a provider, a terminal or a log is not needed.
        Ok(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?)
    }
}

/// Waits for a process, and kills it at a given moment.
pub(super) fn wait(mut child: Child, moment: Option<Duration>) -> anyhow::Result<ProcessEnd> {
    let mut stdout = child.stdout.take().context("its output is piped")?;
    let mut stderr = child.stderr.take().context("its errors are piped")?;
    // The process writes little, but a full pipe would block it.
    let said = std::thread::spawn(move || {
        let mut said = String::new();
        let _ = stdout.read_to_string(&mut said);
        said
    });
    let complained = std::thread::spawn(move || {
        let mut said = String::new();
        let _ = stderr.read_to_string(&mut said);
        said
    });
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if began.elapsed() >= moment.unwrap_or(PATIENCE) {
            child.kill()?;
            let status = child.wait()?;
            anyhow::ensure!(moment.is_some(), "it did not end within {PATIENCE:?}");
            break status;
        }
        std::thread::sleep(Duration::from_micros(500));
    };
    let said = said.join().unwrap_or_default();
    let complained = complained.join().unwrap_or_default();
    let acknowledged = said.lines().filter_map(|line| line.strip_prefix("kept ")?.parse::<u64>().ok()).max();
    let is_killed = std::os::unix::process::ExitStatusExt::signal(&status).is_some();
    anyhow::ensure!(is_killed || status.success(), "it failed: {}", complained.trim());
    // Records are numbered from 0.
    Ok(ProcessEnd { acknowledged: acknowledged.map_or(0, |last| last + 1), is_killed, told: complained })
}
