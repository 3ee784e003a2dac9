//! Execution of a suite: the order of its trials, their concurrency, and the reasons to stop.

use std::collections::BTreeMap;
use std::pin::pin;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::time::{Instant, sleep_until};

use super::run_trial::run_trial;
use crate::plan::Plan;
use crate::results::Results;
use crate::trial::seed;
use crate::{Case, EvalError, StopReason, Summary, Trial, TrialRecord, TrialStatus};

/// The place of a trial in reports: the numbers of its case and its model, and its repetition.
type Place = (usize, usize, u32);

/// Runs the trials that have no result yet.
pub(super) async fn run(plan: &Plan, stop: impl Future<Output = ()>) -> Result<Summary, EvalError> {
    let (mut results, known) = match &plan.results {
        Some(path) => {
            let (results, known) = Results::open(path, &plan.name)?;
            (Some(results), known)
        }
        None => (None, Vec::new()),
    };
    let fingerprints: Vec<String> = plan.cases.iter().map(Case::fingerprint).collect();
    let mut ended = usable(plan, &fingerprints, known);
    let mut waiting = places(plan).filter(|place| !ended.contains_key(place)).collect::<Vec<_>>().into_iter();

    let mut stop = pin!(stop);
    let deadline = plan.time_limit.and_then(|limit| Instant::now().checked_add(limit));
    let mut time_limit = pin!(async {
        match deadline {
            Some(deadline) => sleep_until(deadline).await,
            None => std::future::pending().await,
        }
    });
    let mut running = FuturesUnordered::new();
    let mut cost = 0_u64;
    let stopped = loop {
        let is_spent = plan.budget.is_some_and(|budget| cost >= budget);
        while !is_spent && running.len() < plan.concurrency {
            let Some(place) = waiting.next() else { break };
            running.push(run_place(plan, &fingerprints, place));
        }
        if running.is_empty() {
            break (waiting.len() > 0).then_some(StopReason::Budget);
        }
        tokio::select! {
            biased;
            // A trial that has ended keeps its result, also if the suite stops at the same moment.
            Some(end) = running.next() => {
                let (place, record): (Place, TrialRecord) = end;
                if let Some(results) = &mut results {
                    results.append(&record)?;
                }
                cost = cost.saturating_add(record.cost).saturating_add(record.judge.cost);
                ended.insert(place, record);
            }
            () = &mut stop => break Some(StopReason::Stopped),
            () = &mut time_limit => break Some(StopReason::TimeLimit),
        }
    };
    drop(running);
    Ok(Summary {
        suite: plan.name.clone(),
        cases: plan.cases.iter().map(|case| case.id().to_owned()).collect(),
        models: plan.models.iter().map(|(name, _)| name.clone()).collect(),
        repetitions: plan.repetitions,
        trials: ended.into_values().collect(),
        stopped,
    })
}

/// Returns the places of all trials in the order in which they begin: all cases and models once, and then again, so
/// that a suite that stops early has results of each.
fn places(plan: &Plan) -> impl Iterator<Item = Place> {
    let (cases, models) = (plan.cases.len(), plan.models.len());
    (0..plan.repetitions).flat_map(move |repetition| {
        (0..cases).flat_map(move |case| (0..models).map(move |model| (case, model, repetition)))
    })
}

/// Returns the stored results that belong to trials of this plan. A later result replaces an earlier one, and an error
/// is not a result.
fn usable(plan: &Plan, fingerprints: &[String], known: Vec<TrialRecord>) -> BTreeMap<Place, TrialRecord> {
    let cases: BTreeMap<&str, usize> = plan.cases.iter().map(Case::id).zip(0..).collect();
    let models: BTreeMap<&str, usize> = plan.models.iter().map(|(name, _)| name.as_str()).zip(0..).collect();
    let mut usable = BTreeMap::new();
    for record in known {
        let (case, model) = (cases.get(record.case.as_str()), models.get(record.model.as_str()));
        let (Some(case), Some(model)) = (case.copied(), model.copied()) else { continue };
        let is_same = fingerprints.get(case) == Some(&record.fingerprint)
            && record.repetition < plan.repetitions
            && record.seed == seed(plan.seed, &record.case, record.repetition);
        if is_same && record.status != TrialStatus::Error {
            usable.insert((case, model, record.repetition), record);
        }
    }
    usable
}

/// Runs the trial at a place.
async fn run_place(plan: &Plan, fingerprints: &[String], place: Place) -> (Place, TrialRecord) {
    let (case, model, repetition) = place;
    let parts = plan.cases.get(case).zip(plan.models.get(model)).zip(fingerprints.get(case));
    let Some(((case, (name, build)), fingerprint)) = parts else {
        // Places are made from these lists, so every place has its parts.
        return std::future::pending().await;
    };
    let seed = seed(plan.seed, case.id(), repetition);
    let (case_id, model) = (case.id().to_owned(), name.clone());
    let trial = Trial { case: case_id, model, repetition, seed, folder: None, cassette: None };
    (place, run_trial(plan, case, build, trial, fingerprint.clone()).await)
}
