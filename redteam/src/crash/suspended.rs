//! Suspends many runs in PostgreSQL, and measures the time from an answer until its run works again.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use futures_util::StreamExt as _;
use windlass_agent::{
    Agent, Approver, ApproverFuture, Entry, Event, Outcome, RunOptions, StoredAnswers, UnansweredPolicy,
};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_journal::Record;
use windlass_store::Lease;
use windlass_testkit::durable::Job;
use windlass_testkit::split::SplitMix64;

use super::storage::{RunStore, check_stores, with_synced_address};
use super::worker::build_job_agent;

/// The time of the leases, which are released after each part.
const LEASE: Duration = Duration::from_secs(30);
/// The longest time from an answer until its run works again.
const LONGEST: Duration = Duration::from_millis(50);
/// The number of answered runs.
const ANSWERED: usize = 200;

/// Options of the measurement.
#[derive(Debug, clap::Args)]
pub(crate) struct SuspendedRuns {
    /// The number of suspended runs.
    #[arg(long, default_value_t = 10_000)]
    runs: usize,
    /// The databases: sqlite, postgres.
    #[arg(long, value_delimiter = ',', default_value = "postgres")]
    over: Vec<String>,
    /// The seed that chooses the answered runs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A folder for the effects of the runs.
    #[arg(long)]
    scratch: PathBuf,
}

/// The times of an answered run, from the moment at which its answer is given.
#[derive(Clone, Copy)]
struct AnswerTimes {
    /// Until the approved call runs.
    resumed: Duration,
    /// Until the run has ended.
    ended: Duration,
}

impl SuspendedRuns {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        check_stores(&self.over, |name| {
            let scratch = self.scratch.join("suspended").join(name);
            with_synced_address(name, &scratch, |address| {
                let scene = Scene { store: RunStore::open(address)?, folder: scratch.clone() };
                runtime.block_on(self.measure(name, &scene))
            })
        })
    }

    /// Answers runs among few suspended ones and among all of them. Returns the numbers of answers that came in time
    /// and too late.
    async fn measure(&self, name: &str, scene: &Scene) -> anyhow::Result<(usize, usize)> {
        let mut random = SplitMix64::new(self.seed);
        let few = ANSWERED.min(self.runs);
        let began = Instant::now();
        scene.suspend(0..few).await?;
        let (_, before) = scene.answer(&format!("{name}, among {few}"), 0..few, &mut random).await?;
        scene.suspend(few..few + self.runs).await?;
        println!("{name}: {} runs suspended in {:.1} s", self.runs, began.elapsed().as_secs_f64());
        let name_of_all = format!("{name}, among {}", self.runs);
        let (late, after) = scene.answer(&name_of_all, few..few + self.runs, &mut random).await?;
        println!(
            "{name}: the median among {} suspended runs is {:.2} times that among {few}",
            self.runs,
            after.as_secs_f64() / before.as_secs_f64()
        );
        Ok((few - late, late))
    }
}

/// A store of runs that wait for approvals.
struct Scene {
    store: RunStore,
    folder: PathBuf,
}

fn name_of(number: usize) -> String {
    format!("run-{number}")
}

impl Scene {
    fn agent(&self, run: &str, answers: StoredAnswers) -> anyhow::Result<Agent> {
        let folder = self.folder.join(run);
        std::fs::create_dir_all(&folder)?;
        build_job_agent(&folder, Job::with_questions(), None, |agent| {
            agent.on_unanswered(UnansweredPolicy::Suspend).approver(answers)
        })
    }

    /// Starts runs and lets them wait.
    async fn suspend(&self, numbers: std::ops::Range<usize>) -> anyhow::Result<()> {
        for number in numbers {
            let run = name_of(number);
            let lease = self.store.claim_for(&run, LEASE)?;
            let options = RunOptions::default().with_journal(lease.open_run_journal()?);
            let agent = self.agent(&run, StoredAnswers::new(Nobody))?;
            let outcome = agent.stream_with("the job", options).report().await?.outcome;
            ensure!(matches!(outcome, Outcome::Suspended { .. }), "{run} ended: {outcome:?}");
            lease.release()?;
        }
        Ok(())
    }
    /// Answers chosen ones of these runs, one after the other. Returns the number of answers that came too late,
    /// and the median of the times.
    async fn answer(
        &self,
        name: &str,
        among: std::ops::Range<usize>,
        random: &mut SplitMix64,
    ) -> anyhow::Result<(usize, Duration)> {
        let mut chosen: Vec<usize> = among.collect();
        let (count, last) = (ANSWERED.min(chosen.len()), chosen.len().saturating_sub(1));
        for place in 0..count {
            chosen.swap(place, random.in_range(place, last));
        }
        let mut times = Vec::new();
        for number in chosen.into_iter().take(count) {
            let run = name_of(number);
            times.push(self.answer_run(&run).await.with_context(|| run.clone())?);
        }
        let mut resumed: Vec<Duration> = times.iter().map(|times| times.resumed).collect();
        let mut ended: Vec<Duration> = times.iter().map(|times| times.ended).collect();
        resumed.sort_unstable();
        ended.sort_unstable();
        for (what, times) in [("works again", &resumed), ("has ended", &ended)] {
            println!(
                "{name}: {count} answers, until the run {what}: p50 {}, p99 {}, most {}",
                ms(at(times, 50)),
                ms(at(times, 99)),
                ms(at(times, 100))
            );
        }
        let late = resumed.iter().filter(|time| **time >= LONGEST).count();
        Ok((late, at(&resumed, 50)))
    }

    /// Stores the answers to the questions of a run as another process would, and resumes the run from its store.
    async fn answer_run(&self, run: &str) -> anyhow::Result<AnswerTimes> {
        let questions = questions(&self.store.records(run)?)?;
        let began = Instant::now();
        for question in &questions {
            let decision = ApprovalDecision::approve(&question.request_id);
            self.store.put_answer(run, &question.request_id, &decision)?;
        }
        let lease: Arc<dyn Lease> = self.store.claim_for(run, LEASE)?;
        let mut answers = StoredAnswers::new(Nobody);
        for decision in self.store.read_answers::<ApprovalDecision>(run)? {
            let asked = questions.iter().find(|question| question.request_id == decision.request_id);
            let asked = asked.context("an answer belongs to no question")?;
            answers = answers.with_answer(decision, asked.digest.clone());
        }
        let options = RunOptions::default().with_journal(lease.open_run_journal()?);
        let mut stream = self.agent(run, answers)?.resume(options)?;
        let mut resumed = None;
        while let Some(event) = stream.next().await {
            if let (None, Event::CallRunning { .. }) = (resumed, event?) {
                resumed = Some(began.elapsed());
            }
        }
        let ended = began.elapsed();
        lease.release()?;
        let last = self.store.records(run)?.pop().context("it has no records")?.read::<Entry>()?;
        ensure!(matches!(last, Entry::Finished { outcome: Outcome::Completed { .. } }), "it ended: {last:?}");
        Ok(AnswerTimes { resumed: resumed.context("no call ran")?, ended })
    }
}

/// Returns the questions on record.
fn questions(records: &[Record]) -> anyhow::Result<Vec<ApprovalRequest>> {
    let mut questions = Vec::new();
    for record in records {
        if let Entry::Asked { request } = record.read::<Entry>()? {
            questions.push(*request);
        }
    }
    ensure!(!questions.is_empty(), "it asks nothing");
    Ok(questions)
}

/// Returns the time at a percentage of sorted times.
fn at(times: &[Duration], percent: usize) -> Duration {
    let last = times.len().saturating_sub(1);
    times.get(last * percent / 100).copied().unwrap_or_default()
}

fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1_000.0)
}

/// A human who is not there.
struct Nobody;

impl Approver for Nobody {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async { None })
    }
}
