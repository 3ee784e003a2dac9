//! The checks of the conformance suite: processes are killed at every point, during recovery, and while
//! suspended.

use windlass_protocol::ResultStatus;

use super::job::{ASK, KEEP, LOOK, MARK};
use super::{EndOfPart, Harness, Job, LeftState};

/// Maximum number of processes for one run; a run that needs more does not make progress.
const MOST_PROCESSES: u32 = 20;

/// The result of the conformance suite.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ConformanceReport {
    /// Number of runs that were started.
    pub runs: u32,
    /// Number of processes that died.
    pub kills: u32,
    /// Descriptions of violations; empty if the driver conforms.
    pub problems: Vec<String>,
}

/// Runs the conformance suite against a driver. Kills a run at each of the harness's points; for each point,
/// further runs are killed a second time during recovery, at the same point and at another one.
///
/// The suite checks that acknowledged records are not lost, `Once` calls do not run twice, finished calls are
/// not repeated, every request can be sent, and every run ends.
pub fn check(harness: &mut dyn Harness) -> ConformanceReport {
    let mut checked = ConformanceReport::default();
    let points = harness.points();
    checked.run("not killed", harness, &Job::with_each_class(), &[]);
    checked.run("not killed, with questions", harness, &Job::with_questions(), &[]);
    for (at, point) in points.iter().enumerate() {
        checked.run(point, harness, &Job::with_each_class(), &[point]);
        checked.run(&format!("{point}, with questions"), harness, &Job::with_questions(), &[point]);
        // Kill again during recovery: at the same point, and at another one.
        let other = points.get((at * 7 + 3) % points.len()).unwrap_or(point);
        checked.run(&format!("{point}, twice"), harness, &Job::with_each_class(), &[point, point]);
        checked.run(&format!("{point}, then {other}"), harness, &Job::with_questions(), &[point, other]);
    }
    checked
}

impl ConformanceReport {
    fn run(&mut self, name: &str, harness: &mut dyn Harness, job: &Job, kills: &[&str]) {
        self.runs = self.runs.saturating_add(1);
        for no in [false, true] {
            if no && !job.calls().any(|(tool, _)| tool == ASK) {
                continue;
            }
            if let Err(problem) = self.whole(harness, job, kills, no) {
                self.problems.push(format!("{name}{}: {problem}", if no { ", denied" } else { "" }));
            }
        }
    }

    /// Completes a run. The first question is denied if `no` is set; all others are approved.
    fn whole(
        &mut self,
        harness: &mut dyn Harness,
        job: &Job,
        kills: &[&str],
        no: bool,
    ) -> Result<(), String> {
        let mut kills = kills.iter();
        harness.kill(kills.next().copied());
        let mut ended = harness.start(job)?;
        for _ in 0..MOST_PROCESSES {
            not_lost(&harness.result()?)?;
            match ended {
                EndOfPart::Done => return right(&harness.result()?, job, no),
                EndOfPart::Died => {
                    self.kills = self.kills.saturating_add(1);
                }
                EndOfPart::Waits(calls) => {
                    let (call, others) = calls.split_last().ok_or("it waits for nothing")?;
                    for waiting in &calls {
                        let seen = harness.result()?.seen.get(waiting).copied().unwrap_or_default();
                        if seen > 0 {
                            return Err(format!("{waiting} was made before its approval"));
                        }
                    }
                    // Answer the last question first, with one process per answer, to cover other orders and
                    // subsets.
                    harness.approve(call, !(no && others.is_empty()))?;
                }
            }
            harness.kill(kills.next().copied());
            ended = harness.restart()?;
        }
        Err(format!("it does not come to its end in {MOST_PROCESSES} processes"))
    }
}

fn not_lost(left: &LeftState) -> Result<(), String> {
    if left.records < left.acknowledged {
        return Err(format!("{} records were acknowledged, {} exist", left.acknowledged, left.records));
    }
    match left.unpaired.first() {
        Some(unpaired) => Err(format!("a request cannot be sent: {unpaired}")),
        None => Ok(()),
    }
}

fn right(left: &LeftState, job: &Job, no: bool) -> Result<(), String> {
    if left.text.as_deref() != Some(&job.text()) {
        return Err(format!("its last text is {:?}", left.text));
    }
    let denied = job.calls().find(|(tool, _)| *tool == ASK).filter(|_| no).map(|(_, id)| id);
    for (tool, id) in job.calls() {
        let status = left.statuses.get(id).ok_or_else(|| format!("{id} has no result"))?;
        let seen = left.seen.get(id).copied().unwrap_or_default();
        let fits = match (tool, status) {
            (_, ResultStatus::Denied) => denied == Some(id) && seen == 0,
            (LOOK, ResultStatus::Ok) => true,
            (KEEP | MARK | ASK, ResultStatus::Ok) => seen == 1 && denied != Some(id),
            // `effects_unknown`: the call ran at most once.
            (MARK | ASK, ResultStatus::EffectsUnknown) => seen <= 1,
            _ => false,
        };
        if !fits {
            return Err(format!("{id} was made {seen} times, and its result is {status:?}"));
        }
    }
    Ok(())
}
