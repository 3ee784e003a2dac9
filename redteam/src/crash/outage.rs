//! Kills the database server while runs work, with and without kills of the runs' own processes, and compares each
//! transcript with that of an undisturbed run.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail, ensure};
use windlass_testkit::Need;
use windlass_testkit::postgres::PostgresServer;
use windlass_testkit::split::SplitMix64;

use super::disturbed::{Disturbance, ProcessCounts};
use super::place::Place;
use super::storage::RunStore;
use super::transcript::{Comparison, InterruptedResults, Transcript};

/// The number of runs that work at the same time.
const AT_ONCE: u32 = 5;
/// The longest time for which the server is down.
const LONGEST_OUTAGE_MS: usize = 2_000;
/// The time that the model takes to answer, so that a run is at work when the server dies.
const LATENCY: Duration = Duration::from_millis(150);

/// Options of the outages.
#[derive(Debug, clap::Args)]
pub(crate) struct Outage {
    /// The number of runs in each of two rounds. Both rounds kill the server; the second one also kills the process
    /// of each run.
    #[arg(long, default_value_t = 50)]
    runs: u32,
    /// The seed of the random moments.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A folder for the runs.
    #[arg(long)]
    scratch: PathBuf,
}

/// The results of a round.
#[derive(Debug, Default)]
struct Round {
    runs: u32,
    outages: u32,
    /// The number of runs that were at work when their server died.
    hit: u32,
    kills: u32,
    /// The number of processes that ended with an error, because the server was down for too long or at their start.
    failed_starts: u32,
    /// The results of calls during which their process died.
    interrupted: InterruptedResults,
    problems: Vec<String>,
}

impl Outage {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let Some(server) = Need::Postgres.check(PostgresServer::start_synced()) else {
            println!("0 passed, 0 failed, 1 skipped");
            return Ok(ExitCode::SUCCESS);
        };
        let scratch = self.scratch.join("outage");
        drop(std::fs::remove_dir_all(&scratch));
        let store = Arc::new(RunStore::open(&server.url())?);
        let usual = Place::new(&scratch, "undisturbed", Some(&store))?.with_latency(LATENCY);
        let began = Instant::now();
        usual.run_through(&Disturbance::default())?;
        let took = began.elapsed();
        println!("an undisturbed run takes {:.1} s", took.as_secs_f64());
        let scene = Scene { server, store, scratch, expected: usual.transcript()?, took };
        let mut random = SplitMix64::new(self.seed);
        let (mut passed, mut failed) = (0, 0);
        for (name, kills_processes) in [("server", false), ("server and processes", true)] {
            let round = scene.perform_round(self.runs, kills_processes, &mut random)?;
            for problem in &round.problems {
                println!("FAILED {name}: {problem}");
            }
            println!(
                "{name}: {} runs, {} outages that hit {} runs at work, {} processes killed, {} ended with an error and \
                 were started again, {} results with unknown effects, {} with a change that was found in the files, {} problems (other transcripts, doubled or \
                 missing effects, runs that do not continue)",
                round.runs,
                round.outages,
                round.hit,
                round.kills,
                round.failed_starts,
                round.interrupted.unknown,
                round.interrupted.found,
                round.problems.len()
            );
            failed += round.problems.len();
            passed += (round.runs as usize).saturating_sub(round.problems.len());
        }
        println!("{passed} passed, {failed} failed");
        Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// A run of a group.
struct Member {
    name: String,
    place: Place,
    disturbance: Disturbance,
}

/// The server, and the run to which the others are compared.
struct Scene {
    server: PostgresServer,
    store: Arc<RunStore>,
    scratch: PathBuf,
    expected: Transcript,
    took: Duration,
}

impl Scene {
    fn perform_round(
        &self,
        runs: u32,
        kills_processes: bool,
        random: &mut SplitMix64,
    ) -> anyhow::Result<Round> {
        let mut round = Round::default();
        while round.runs < runs {
            let group = AT_ONCE.min(runs - round.runs);
            self.perform_group(group, kills_processes, random, &mut round)?;
        }
        Ok(round)
    }

    /// Performs some runs at the same time with an outage, and checks each of them.
    fn perform_group(
        &self,
        group: u32,
        kills_processes: bool,
        random: &mut SplitMix64,
        round: &mut Round,
    ) -> anyhow::Result<()> {
        let whole = usize::try_from(self.took.as_millis())?;
        let mut moment =
            |least: usize, most: usize| Duration::from_millis(random.in_range(least, most) as u64);
        let kind = if kills_processes { "kills" } else { "runs" };
        let mut members = Vec::new();
        for number in 0..group {
            let name = format!("{kind}-{}", round.runs + number);
            let place = Place::new(&self.scratch, &name, Some(&self.store))?.with_latency(LATENCY);
            let kill = kills_processes.then(|| moment(whole / 4, whole * 3 / 2));
            members.push(Member { name, place, disturbance: Disturbance { kill, survives_errors: true } });
        }
        let (until_kill, pause) = (moment(whole / 4, whole), moment(0, LONGEST_OUTAGE_MS));
        let (hit, ended) = self.run_members(&members, until_kill, pause)?;
        (round.hit, round.outages) = (round.hit + hit, round.outages + 1);
        for (member, ended) in members.iter().zip(ended) {
            round.runs += 1;
            let checked = ended.and_then(|counts| {
                round.kills += counts.kills;
                round.failed_starts += counts.errors;
                self.check(&member.place, counts.kills > 0)
            });
            match checked {
                Ok(interrupted) => {
                    round.interrupted.unknown += interrupted.unknown;
                    round.interrupted.found += interrupted.found;
                }
                Err(error) => round.problems.push(format!("{}: {error:#}", member.name)),
            }
        }
        Ok(())
    }

    /// Runs each member in a thread, kills the server after a time, and starts it again after a pause. Returns the number
    /// of runs that were at work when it died, and the processes of each run.
    fn run_members(
        &self,
        members: &[Member],
        until_kill: Duration,
        pause: Duration,
    ) -> anyhow::Result<(u32, Vec<anyhow::Result<ProcessCounts>>)> {
        let at_work = AtomicU32::new(u32::try_from(members.len())?);
        std::thread::scope(|scope| {
            let mut threads = Vec::new();
            for member in members {
                let at_work = &at_work;
                threads.push(scope.spawn(move || {
                    let ended = member.place.run_through(&member.disturbance);
                    at_work.fetch_sub(1, Ordering::SeqCst);
                    ended
                }));
            }
            std::thread::sleep(until_kill);
            self.server.crash().map_err(anyhow::Error::msg)?;
            let hit = at_work.load(Ordering::SeqCst);
            std::thread::sleep(pause);
            self.server.resume().map_err(anyhow::Error::msg)?;
            let ended =
                threads.into_iter().map(|thread| thread.join().map_err(|_| anyhow!("a thread panicked")));
            Ok((hit, ended.collect::<anyhow::Result<_>>()?))
        })
    }

    /// Checks a run that has ended. Returns the results of calls during which its process died.
    fn check(&self, place: &Place, is_killed: bool) -> anyhow::Result<InterruptedResults> {
        place.check_whole()?;
        match place.transcript()?.compare(&self.expected) {
            Comparison::Equal(interrupted) => {
                ensure!(
                    is_killed || interrupted.unknown + interrupted.found == 0,
                    "no process died, and {interrupted:?}"
                );
                Ok(interrupted)
            }
            Comparison::Different(difference) => bail!("its transcript differs: {difference}"),
        }
    }
}
