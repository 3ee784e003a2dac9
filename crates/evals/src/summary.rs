//! The results of a suite, and their statistics.

use std::collections::BTreeMap;
use std::fmt;

use crate::statistics::{Interval, percentile, sign_test, wilson};
use crate::{JudgeUsage, TrialRecord, TrialStatus, markdown};

/// The reason why a suite ended before all of its trials had run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The caller stopped it.
    Stopped,
    /// The time limit of the suite passed.
    TimeLimit,
    /// The budget of the suite was used up.
    Budget,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stopped => "the suite was stopped",
            Self::TimeLimit => "the time limit of the suite passed",
            Self::Budget => "the budget of the suite is used up",
        })
    }
}

/// The results of a suite, complete or of the trials that ended before it was stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Name of the suite.
    pub suite: String,
    /// Ids of the cases, in order.
    pub cases: Vec<String>,
    /// Names of the models, in order.
    pub models: Vec<String>,
    /// Number of trials of each case with each model.
    pub repetitions: u32,
    /// The results, by case, model and repetition, whatever the order in which the trials ended.
    pub trials: Vec<TrialRecord>,
    /// The reason why trials are missing, if some are.
    pub stopped: Option<StopReason>,
}

/// The results of one model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelSummary {
    /// Name of the model.
    pub model: String,
    /// Number of trials that ended.
    pub trials: u32,
    /// Number of trials that passed.
    pub passed: u32,
    /// Number of trials that could not be executed. They count as not passed.
    pub errors: u32,
    /// The 95 % Wilson interval of the pass rate.
    pub interval: Interval,
    /// Mean tokens of the requests of a run, rounded down.
    pub mean_input_tokens: u64,
    /// Mean tokens of the answers of a run, rounded down.
    pub mean_output_tokens: u64,
    /// Cost of all runs, in millionths of the currency of the agent's prices.
    pub cost: u64,
    /// Usage of models that graded.
    pub judge: JudgeUsage,
    /// Median duration of the live runs in milliseconds; `None` if every run was a replay.
    pub p50_ms: Option<u64>,
    /// 95th percentile of the duration of the live runs in milliseconds.
    pub p95_ms: Option<u64>,
}

/// The comparison of two models over the same cases.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Comparison {
    /// Name of the first model.
    pub first: String,
    /// Name of the second model.
    pub second: String,
    /// Number of cases that the first model passed more often.
    pub first_better: u32,
    /// Number of cases that the second model passed more often.
    pub second_better: u32,
    /// Number of cases that both passed equally often.
    pub ties: u32,
    /// The two-sided p-value of the exact sign test over cases. With one repetition it is McNemar's exact test.
    pub p_value: f64,
}

/// A case whose repetitions with a model ended differently.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FlakyCase {
    /// Id of the case.
    pub case: String,
    /// Name of the model.
    pub model: String,
    /// Number of trials that passed.
    pub passed: u32,
    /// Number of trials that were graded.
    pub trials: u32,
}

impl Summary {
    /// Returns whether every trial ran and passed.
    pub fn is_passed(&self) -> bool {
        self.stopped.is_none() && self.trials.iter().all(TrialRecord::is_passed)
    }

    /// Returns the results of one model, or `None` if the suite does not have it.
    pub fn model(&self, name: &str) -> Option<ModelSummary> {
        let model = self.models.iter().find(|model| *model == name)?;
        let trials: Vec<&TrialRecord> = self.trials.iter().filter(|trial| trial.model == *model).collect();
        let (count, passed) = (to_count(trials.len()), count_passed(trials.iter().copied()));
        let mean = |value: fn(&TrialRecord) -> u64| {
            let sum: u128 = trials.iter().map(|trial| u128::from(value(trial))).sum();
            let mean = sum.checked_div(u128::from(count)).unwrap_or(0);
            u64::try_from(mean).unwrap_or(u64::MAX)
        };
        let live = |trial: &&&TrialRecord| !trial.replayed && trial.status != TrialStatus::Error;
        let mut durations: Vec<u64> = trials.iter().filter(live).map(|trial| trial.latency_ms).collect();
        durations.sort_unstable();
        Some(ModelSummary {
            model: model.clone(),
            trials: count,
            passed,
            errors: to_count(trials.iter().filter(|trial| trial.status == TrialStatus::Error).count()),
            interval: wilson(passed, count),
            mean_input_tokens: mean(|trial| trial.input_tokens),
            mean_output_tokens: mean(|trial| trial.output_tokens),
            cost: trials.iter().fold(0, |sum, trial| sum.saturating_add(trial.cost)),
            judge: trials.iter().fold(JudgeUsage::default(), |sum, trial| sum.plus(trial.judge)),
            p50_ms: percentile(&durations, 50),
            p95_ms: percentile(&durations, 95),
        })
    }

    /// Compares two models over the cases that have a graded trial with both. Returns `None` if the suite does not have
    /// both models.
    pub fn compare(&self, first: &str, second: &str) -> Option<Comparison> {
        if ![first, second].iter().all(|name| self.models.iter().any(|model| model == name)) {
            return None;
        }
        let (mut first_better, mut second_better, mut ties) = (0_u32, 0_u32, 0_u32);
        let graded = self.count_graded();
        for case in &self.cases {
            let of = |model| graded.get(&(case.as_str(), model)).copied();
            let (Some((a_passed, a_trials)), Some((b_passed, b_trials))) = (of(first), of(second)) else {
                continue;
            };
            // Compares the rates as fractions, without rounding.
            let (left, right) = (
                u64::from(a_passed).saturating_mul(b_trials.into()),
                u64::from(b_passed).saturating_mul(a_trials.into()),
            );
            let counter = match left.cmp(&right) {
                std::cmp::Ordering::Greater => &mut first_better,
                std::cmp::Ordering::Less => &mut second_better,
                std::cmp::Ordering::Equal => &mut ties,
            };
            *counter = counter.saturating_add(1);
        }
        let p_value = sign_test(first_better, second_better);
        let (first, second) = (first.to_owned(), second.to_owned());
        Some(Comparison { first, second, first_better, second_better, ties, p_value })
    }

    /// Returns the cases whose repetitions with a model ended differently. Trials with errors do not count.
    pub fn flaky(&self) -> Vec<FlakyCase> {
        let graded = self.count_graded();
        let pairs = self.cases.iter().flat_map(|case| self.models.iter().map(move |model| (case, model)));
        pairs
            .filter_map(|(case, model)| {
                let (passed, trials) = graded.get(&(case.as_str(), model.as_str())).copied()?;
                let is_flaky = passed > 0 && passed < trials;
                is_flaky.then(|| FlakyCase { case: case.clone(), model: model.clone(), passed, trials })
            })
            .collect()
    }

    /// Returns the report as Markdown: a table of the models, the comparisons of the first model with the others, the flaky
    /// cases, and the failed trials.
    pub fn to_markdown(&self) -> String {
        markdown::render(self)
    }

    /// Returns the number of trials of a complete suite.
    pub fn trial_count(&self) -> usize {
        let repetitions = usize::try_from(self.repetitions).unwrap_or(usize::MAX);
        self.cases.len().saturating_mul(self.models.len()).saturating_mul(repetitions)
    }

    /// Returns the numbers of passed and of graded trials by case and model.
    fn count_graded(&self) -> BTreeMap<(&str, &str), (u32, u32)> {
        let mut counts = BTreeMap::new();
        for trial in self.trials.iter().filter(|trial| trial.status != TrialStatus::Error) {
            let (passed, trials) =
                counts.entry((trial.case.as_str(), trial.model.as_str())).or_insert((0_u32, 0_u32));
            *passed = passed.saturating_add(u32::from(trial.is_passed()));
            *trials = trials.saturating_add(1);
        }
        counts
    }
}

/// Returns the report as Markdown.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_markdown())
    }
}

fn count_passed<'a>(trials: impl Iterator<Item = &'a TrialRecord>) -> u32 {
    to_count(trials.filter(|trial| trial.is_passed()).count())
}

fn to_count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
