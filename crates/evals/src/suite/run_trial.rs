//! Execution of one trial: its folder and cassette, the run of the agent, and the grades.

use std::fs;
use std::io::ErrorKind;
use std::panic::AssertUnwindSafe;

use futures_util::{FutureExt, StreamExt};
use tokio::time::{Instant, timeout};
use windlass_agent::{Agent, Outcome, Report, RunOptions, SharedBudget};
use windlass_cassette::Cassette;

use crate::error::describe;
use crate::graders::panic_text;
use crate::plan::{Factory, Plan};
use crate::{Attempt, BoxError, Case, GradeRecord, Trial, TrialRecord, TrialStatus};

/// Maximum number of characters of an answer in the results.
const MAX_ANSWER: usize = 4_000;

/// Runs a trial. A panic of the closure that builds the agent, or of a tool, is an error of the trial.
pub(super) async fn run_trial(
    plan: &Plan,
    case: &Case,
    build: &Factory,
    mut trial: Trial,
    fingerprint: String,
) -> TrialRecord {
    let prepared = prepare(plan, &mut trial);
    let mut record = TrialRecord::new(&trial, fingerprint);
    let executed = async {
        prepared?;
        execute(plan, case, build, &trial, &mut record).await
    };
    let ended = AssertUnwindSafe(executed).catch_unwind().await;
    let error = match ended {
        Ok(Ok(status)) => {
            record.status = status;
            return record;
        }
        Ok(Err(error)) => describe(&*error),
        Err(panic) => format!("panicked: {}", panic_text(&*panic)),
    };
    (record.status, record.error) = (TrialStatus::Error, Some(error));
    record
}

/// Creates the folder of a trial and opens its cassette.
fn prepare(plan: &Plan, trial: &mut Trial) -> Result<(), BoxError> {
    if let Some(folders) = &plan.folders {
        let folder = trial.place(folders, "");
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            _ => fs::create_dir_all(&folder)?,
        }
        trial.folder = Some(folder);
    }
    if let Some((folder, options)) = &plan.cassettes {
        trial.cassette = Some(Cassette::open_with(trial.place(folder, ".jsonl"), options)?);
    }
    Ok(())
}

/// Runs the agent and grades its run.
async fn execute(
    plan: &Plan,
    case: &Case,
    build: &Factory,
    trial: &Trial,
    record: &mut TrialRecord,
) -> Result<TrialStatus, BoxError> {
    let agent = build(trial)?;
    let shared = SharedBudget::default();
    let begin = Instant::now();
    let run = run_agent(&agent, case, case.own_budget().or(plan.case_budget), &shared);
    let ended = match case.own_time_limit().or(plan.case_time_limit) {
        Some(limit) => timeout(limit, run).await.unwrap_or(Ok(End::TimedOut)),
        None => run.await,
    };
    record.latency_ms = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
    (record.requests, record.cost) = (shared.used().requests, shared.used().cost);
    let report = match ended? {
        End::Report(report) => *report,
        End::OverBudget => return Ok(TrialStatus::OverBudget),
        End::TimedOut => return Ok(TrialStatus::TimedOut),
    };
    (record.input_tokens, record.output_tokens) = (report.usage.input_tokens, report.usage.output_tokens);
    if let Outcome::Failed { message } = report.outcome {
        return Err(message.into());
    }
    record.answer = report.text().unwrap_or_default().chars().take(MAX_ANSWER).collect();
    let is_finished = case.accepts_unfinished() || matches!(report.outcome, Outcome::Completed { .. });
    let outcome = report.outcome.to_string();
    grade(case, &Attempt::new(trial.clone(), case.task().text(), report), record).await?;
    if let Some(cassette) = &trial.cassette {
        cassette.finish()?;
    }
    if !is_finished {
        record.error = Some(outcome);
        return Ok(TrialStatus::Failed);
    }
    let is_passed = record.grades.iter().all(|grade| grade.passed);
    Ok(if is_passed { TrialStatus::Passed } else { TrialStatus::Failed })
}

/// The end of an agent's run.
enum End {
    Report(Box<Report>),
    OverBudget,
    TimedOut,
}

/// Runs the agent until its end or its budget.
async fn run_agent(
    agent: &Agent,
    case: &Case,
    budget: Option<u64>,
    shared: &SharedBudget,
) -> Result<End, BoxError> {
    let mut session = agent.session();
    let options = RunOptions::default().with_shared_budget(shared.clone());
    let mut stream = session.stream_with(case.task().clone(), options);
    let is_spent = || budget.is_some_and(|budget| shared.used().cost > budget);
    while let Some(event) = stream.next().await {
        event?;
        if is_spent() {
            return Ok(End::OverBudget);
        }
    }
    Ok(End::Report(Box::new(stream.report().await?)))
}

/// Adds the grades of a run to its record.
async fn grade(case: &Case, attempt: &Attempt, record: &mut TrialRecord) -> Result<(), BoxError> {
    for grader in case.graders() {
        let grade = grader.grade(attempt).await?;
        record.judge = record.judge.plus(grade.judge);
        let expectation = grader.describe();
        record.grades.push(GradeRecord { expectation, passed: grade.passed, reason: grade.reason });
    }
    Ok(())
}
