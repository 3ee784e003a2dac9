//! Kills a run at arbitrary moments, resumes it in another process, and checks the results (RULES R5, R6;
//! SECURITY "Figures to promise").

mod cancel;
mod checks;
mod conform;
mod durable;
mod fence;
mod points;
mod script;
mod storage;
mod victim;

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use windlass_testkit::split::SplitMix64;

pub(crate) use self::cancel::Cancel;
pub(crate) use self::checks::is_done;
pub(crate) use self::conform::{Conform, Worker};
pub(crate) use self::durable::Durable;
pub(crate) use self::fence::{Fence, Owner};
pub(crate) use self::points::Point;
pub(crate) use self::victim::Victim;

/// The maximum time of a process. It detects a process that hangs; it is not a measurement.
const PATIENCE: Duration = Duration::from_mins(2);
/// The maximum number of resumes before a run counts as stuck.
const MOST_RESUMES: u32 = 200;

/// Options of the crash test.
#[derive(Debug, clap::Args)]
pub(crate) struct Crash {
    /// The number of kills at random moments.
    #[arg(long, default_value_t = 500)]
    kills: u32,
    /// The seed of the random moments.
    #[arg(long)]
    seed: Option<u64>,
    /// Kill only at the named points with this prefix, and not at random moments.
    #[arg(long)]
    only: Option<String>,
    /// A folder for the runs.
    #[arg(long)]
    scratch: PathBuf,
}

/// The results of the runs so far.
#[derive(Debug, Default)]
struct Counts {
    runs: u32,
    kills: u32,
    resumes: u32,
    problems: Vec<String>,
}

impl Crash {
    /// Creates the options for the catalogue of faults.
    pub(crate) fn for_fault(scratch: &Path) -> Self {
        Self { kills: 500, seed: None, only: None, scratch: scratch.to_owned() }
    }

    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let (observed, problems) = self.count()?;
        for problem in &problems {
            println!("FAILED {problem}");
        }
        println!("{observed}");
        Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Runs everything. Returns the counts as text, and the problems found.
    pub(crate) fn count(&self) -> anyhow::Result<(String, Vec<String>)> {
        let seed = self.seed.unwrap_or_else(crate::engine::now_ms);
        let mut counts = Counts::default();
        let mut named = 0_u32;
        for point in Point::all() {
            if self.only.as_ref().is_some_and(|only| !point.to_string().starts_with(only.as_str())) {
                continue;
            }
            named = named.saturating_add(1);
            let place = Place::new(&self.scratch, &format!("point-{point}"))?;
            let outcome = place.kill_at_point(&point, &mut counts);
            counts.take(&place, &point.to_string(), outcome);
        }
        println!("{named} named points: {} kills, {} resumes", counts.kills, counts.resumes);
        if self.only.is_none() {
            self.at_random(seed, &mut counts)?;
        }
        let observed = format!(
            "{} runs, {} kills ({named} of them named points), {} resumes, seed {seed}: {} problems (lost records, doubled \
             or missing changes, unpaired requests, runs that do not go on)",
            counts.runs,
            counts.kills,
            counts.resumes,
            counts.problems.len()
        );
        Ok((observed, counts.problems))
    }

    fn at_random(&self, seed: u64, counts: &mut Counts) -> anyhow::Result<()> {
        let mut random = SplitMix64::new(seed);
        let whole = Place::new(&self.scratch, "whole")?;
        let began = Instant::now();
        let outcome = whole.run_without_kill(counts);
        let took = began.elapsed();
        counts.take(&whole, "a run that nobody kills", outcome);
        println!("a run that nobody kills takes {} ms", took.as_millis());
        let end = counts.kills.saturating_add(self.kills);
        let mut number = 0_u32;
        while counts.kills < end {
            number = number.saturating_add(1);
            let place = Place::new(&self.scratch, &format!("random-{number}"))?;
            let outcome = place.kill_at_random(&mut random, took, end, counts);
            counts.take(&place, &format!("random run {number}"), outcome);
            if number.is_multiple_of(10) {
                println!("{} kills, {} problems", counts.kills, counts.problems.len());
            }
        }
        Ok(())
    }
}

impl Counts {
    fn take(&mut self, place: &Place, name: &str, outcome: anyhow::Result<()>) {
        self.runs = self.runs.saturating_add(1);
        match outcome {
            Ok(()) => drop(fs::remove_dir_all(&place.folder)),
            Err(error) => self.problems.push(format!("{name}: {error:#} (kept: {})", place.folder.display())),
        }
    }
}

/// The folder of one run: its workspace, its journal, and the files outside the workspace.
struct Place {
    folder: PathBuf,
}

/// The end of a process, with the number of records that it acknowledged.
struct ProcessEnd {
    acknowledged: u64,
    is_killed: bool,
    told: String,
}

impl Place {
    fn new(scratch: &Path, name: &str) -> anyhow::Result<Self> {
        let folder = scratch.join("crash").join(name.replace(':', "-"));
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(folder.join("work"))?;
        script::lay_out(&folder.join("work"))?;
        Ok(Self { folder })
    }

    /// Performs a run without killing it.
    fn run_without_kill(&self, counts: &mut Counts) -> anyhow::Result<()> {
        let ended = wait(self.start(None)?, None)?;
        anyhow::ensure!(!ended.is_killed, "it was killed: {}", ended.told);
        self.finish(counts)
    }

    /// Kills a run at a named point, and then resumes it until it ends.
    fn kill_at_point(&self, point: &Point, counts: &mut Counts) -> anyhow::Result<()> {
        let ended = wait(self.start(Some(point))?, None)?;
        anyhow::ensure!(ended.is_killed, "it never came to that point: {}", ended.told);
        counts.kills = counts.kills.saturating_add(1);
        checks::records(&self.journal(), ended.acknowledged)?;
        self.finish(counts)
    }

    /// Kills a run at random moments, again and again, until it is done or the number of kills is reached.
    fn kill_at_random(
        &self,
        random: &mut SplitMix64,
        whole: Duration,
        end: u32,
        counts: &mut Counts,
    ) -> anyhow::Result<()> {
        // The process can also be killed after its last record, before it exits.
        while counts.kills < end && !is_done(&self.journal())? {
            let most = usize::try_from(whole.as_micros()).unwrap_or(usize::MAX);
            let moment = Duration::from_micros(random.in_range(0, most) as u64);
            let ended = wait(self.start(None)?, Some(moment))?;
            if !ended.is_killed {
                break;
            }
            counts.kills = counts.kills.saturating_add(1);
            checks::records(&self.journal(), ended.acknowledged)?;
        }
        self.finish(counts)
    }

    /// Resumes the run until it is done, and checks the files and records that it left.
    fn finish(&self, counts: &mut Counts) -> anyhow::Result<()> {
        for _ in 0..MOST_RESUMES {
            if is_done(&self.journal())? {
                return checks::whole(&self.folder);
            }
            counts.resumes = counts.resumes.saturating_add(1);
            let ended = wait(self.start(None)?, None)?;
            anyhow::ensure!(!ended.is_killed, "it does not go on: {}", ended.told);
        }
        anyhow::bail!("it does not come to its end in {MOST_RESUMES} processes")
    }

    fn journal(&self) -> PathBuf {
        self.folder.join("journal")
    }

    fn start(&self, point: Option<&Point>) -> anyhow::Result<Child> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("victim").arg(&self.folder);
        if let Some(point) = point {
            command.arg("--at").arg(point.to_string());
        }
        // Its output to a provider, a terminal or a log is not needed.
        Ok(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?)
    }
}

/// Waits for a process, and kills it at a given moment.
fn wait(mut child: Child, moment: Option<Duration>) -> anyhow::Result<ProcessEnd> {
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
