//! Many runs on one queue, while the server and the workers are killed.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::slice::SliceIndex;
use std::time::{Duration, Instant};

use futures_util::future::{join, join_all};
use windlass_hitl::ApprovalDecision;
use windlass_loop::{Entry, Outcome};
use windlass_protocol::ResultStatus;
use windlass_temporal::{RunHandle, RunSettings};
use windlass_testkit::durable::{Job, MARK};
use windlass_testkit::split::SplitMix64;

use crate::scene::{Scene, WorkerKind, WorkerProcess, run_settings};

/// Longest duration of a fleet.
const LONGEST: Duration = Duration::from_mins(15);
/// Number of runs that are started at the same time.
const STARTED_AT_ONCE: usize = 20;

/// A run and the time at which it was started.
type Started = (Instant, RunHandle);

/// Runs of one job on one queue.
pub(crate) struct Fleet<'a> {
    scene: &'a Scene,
    queue: &'static str,
    job: Job,
    runs: Vec<Started>,
    /// Number of runs whose end was seen.
    ended: Cell<usize>,
    /// Number of runs that were in flight at the disturbances.
    hit: Cell<usize>,
}

/// The end of a run.
struct RunEnd {
    took: Duration,
    transcript: String,
    /// Number of results with unknown effects.
    unknown: usize,
}

/// The checked ends of all runs.
pub(crate) struct FleetReport {
    times: Vec<Duration>,
    /// Number of results with unknown effects, whose worker was killed during the call.
    unknown: usize,
    /// Number of runs that were in flight at the disturbances, together.
    hit: usize,
}

impl<'a> Fleet<'a> {
    /// Starts runs on a queue.
    pub(crate) fn start(
        scene: &'a Scene,
        queue: &'static str,
        job: Job,
        count: usize,
        set: impl Fn(RunSettings) -> RunSettings,
    ) -> Result<Self, String> {
        // A queue can have several fleets.
        let label = format!("{queue}-{count}");
        let engine = scene.engine(queue, false)?;
        let mut runs = Vec::new();
        for first in (0..count).step_by(STARTED_AT_ONCE) {
            let numbers = first..count.min(first + STARTED_AT_ONCE);
            let started = numbers.map(|number| {
                let (engine, settings) = (&engine, set(run_settings(queue, 0)));
                let id = format!("{label}-{number}");
                async move { (Instant::now(), engine.start(&id, "the job", settings).await) }
            });
            for (began, run) in scene.runtime.block_on(join_all(started)) {
                runs.push((began, run.map_err(|error| error.to_string())?));
            }
        }
        Ok(Self { scene, queue, job, runs, ended: Cell::new(0), hit: Cell::new(0) })
    }

    /// Starts a worker of the queue.
    pub(crate) fn start_worker(&self, kind: WorkerKind) -> Result<WorkerProcess, String> {
        self.scene.fleet_worker(self.queue, &self.job, kind)
    }

    /// Waits until each run waits for an approval and none of its activities is running.
    pub(crate) fn wait_until_suspended(&self) -> Result<(), String> {
        self.scene.runtime.block_on(async {
            for (began, run) in &self.runs {
                loop {
                    let asked = tokio::time::timeout(Duration::from_secs(5), run.waits()).await;
                    if matches!(&asked, Ok(Ok(waits)) if waits.is_idle && !waits.approvals.is_empty()) {
                        break;
                    }
                    if began.elapsed() > LONGEST {
                        return Err(format!("a run does not wait: {asked:?}"));
                    }
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
            }
            Ok(())
        })
    }

    /// Approves each question of some of the runs.
    pub(crate) fn approve(&self, runs: impl SliceIndex<[Started], Output = [Started]>) -> Result<(), String> {
        self.scene.runtime.block_on(async {
            for (_, run) in &self.runs[runs] {
                for request in run.waits().await.map_err(|error| error.to_string())?.approvals {
                    let decision = ApprovalDecision::approve(request.request_id.as_str());
                    run.answer(decision).await.map_err(|error| error.to_string())?;
                }
            }
            Ok(())
        })
    }

    /// Counts the runs that are in flight at a disturbance. Returns false if none is.
    pub(crate) fn note_disturbance(&self) -> bool {
        let in_flight = self.runs.len() - self.ended.get();
        self.hit.set(self.hit.get() + in_flight);
        in_flight > 0
    }

    /// Waits until all runs have ended, while `disturb` does its work, and checks them.
    pub(crate) fn finish(
        &self,
        expected: Option<&str>,
        disturb: impl Future<Output = Result<(), String>>,
    ) -> Result<FleetReport, String> {
        let ends = join_all(self.runs.iter().map(async |(began, run)| {
            let end = wait(*began, run).await;
            self.ended.set(self.ended.get() + 1);
            end
        }));
        let (ends, disturbed) = self.scene.runtime.block_on(join(ends, disturb));
        disturbed?;
        let ends = ends.into_iter().collect::<Result<Vec<_>, _>>()?;
        let unknown = ends.iter().map(|end| end.unknown).sum();
        let disturbed =
            ends.iter().filter(|end| end.unknown == 0 && expected.is_some_and(|text| end.transcript != text));
        if let Some(end) = disturbed.map(|end| &end.transcript).next() {
            return Err(format!("another transcript: {end}\n\nexpected: {}", expected.unwrap_or_default()));
        }
        self.check_marks(unknown)?;
        let mut times: Vec<Duration> = ends.iter().map(|end| end.took).collect();
        times.sort_unstable();
        Ok(FleetReport { times, unknown, hit: self.hit.get() })
    }

    /// Checks that no call was made twice, and that each was made unless its effects are unknown.
    fn check_marks(&self, unknown: usize) -> Result<(), String> {
        let mut made = BTreeSet::new();
        for mark in self.scene.read_lines(self.queue, "marks")? {
            let key = mark.split_once(' ').map_or(mark.clone(), |(key, _)| key.to_owned());
            if !made.insert(key) {
                return Err(format!("made twice: {mark}"));
            }
        }
        let of_job = self.job.calls().filter(|(tool, _)| *tool == MARK).count();
        let calls: Vec<&str> = self.job.calls().filter(|(tool, _)| *tool == MARK).map(|(_, id)| id).collect();
        let marks = made.iter().filter(|key| calls.iter().any(|id| key.ends_with(id))).count();
        let wanted = of_job * self.runs.len();
        if marks + unknown < wanted {
            return Err(format!("{marks} of {wanted} calls were made, and {unknown} have unknown effects"));
        }
        Ok(())
    }
}

impl FleetReport {
    /// Fails if each disturbance came after the end of all runs.
    pub(crate) fn check_hit(self) -> Result<Self, String> {
        if self.hit == 0 { Err("no run was in flight at a disturbance".to_owned()) } else { Ok(self) }
    }

    /// Fails if a result has unknown effects.
    pub(crate) fn check_exact(self) -> Result<Self, String> {
        if self.unknown == 0 {
            Ok(self)
        } else {
            Err(format!("{} results have unknown effects", self.unknown))
        }
    }

    /// Returns the distribution of the times from the start of a run to its end.
    pub(crate) fn describe(&self) -> String {
        let last = self.times.len().saturating_sub(1);
        let at =
            |percent: usize| self.times.get(last * percent / 100).copied().unwrap_or_default().as_secs_f64();
        format!(
            "{} runs, p50 {:.1} s, p90 {:.1} s, p99 {:.1} s, most {:.1} s, {} results with unknown effects, {} times in flight at \
             a disturbance",
            self.times.len(),
            at(50),
            at(90),
            at(99),
            at(100),
            self.unknown,
            self.hit
        )
    }
}

/// Waits for the end of a run. A request fails while the server is down, and is repeated.
async fn wait(began: Instant, run: &RunHandle) -> Result<RunEnd, String> {
    let read = async || -> Result<RunEnd, String> {
        let report = run.report().await.map_err(|error| error.to_string())?;
        let took = began.elapsed();
        if !matches!(report.outcome, Outcome::Completed { .. }) {
            return Err(format!("a run ended with {:?}", report.outcome));
        }
        let messages = run.transcript_tail(1_000).await.map_err(|error| error.to_string())?;
        let transcript = serde_json::to_string_pretty(&messages).map_err(|error| error.to_string())?;
        let record = run.record(0).await.map_err(|error| error.to_string())?;
        let is_unknown = |entry: &&Entry| matches!(entry, Entry::Result { result } if result.status == ResultStatus::EffectsUnknown);
        Ok(RunEnd { took, transcript, unknown: record.iter().filter(is_unknown).count() })
    };
    loop {
        match read().await {
            Err(error) if began.elapsed() > LONGEST => return Err(error),
            Err(_) => tokio::time::sleep(Duration::from_millis(300)).await,
            end => return end,
        }
    }
}

/// Returns a moment between two times.
pub(crate) fn moment(random: &mut SplitMix64, least: u64, most: u64) -> Duration {
    let (least, most) = (usize::try_from(least).unwrap_or(0), usize::try_from(most).unwrap_or(usize::MAX));
    Duration::from_millis(random.in_range(least, most) as u64)
}
