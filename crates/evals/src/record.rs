//! The stored result of a trial.

use serde::{Deserialize, Serialize};

use crate::{JudgeUsage, Trial};

/// The end of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TrialStatus {
    /// Every expectation was met.
    Passed,
    /// An expectation was not met.
    Failed,
    /// The run took longer than its limit.
    TimedOut,
    /// The run cost more than its budget.
    OverBudget,
    /// The run or a grader could not be executed, for example because the provider did not answer. A resumed suite repeats
    /// the trial.
    Error,
}

impl TrialStatus {
    /// Returns the name in results and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::TimedOut => "timed out",
            Self::OverBudget => "over budget",
            Self::Error => "error",
        }
    }
}

/// The result of one trial, as a line of the file of results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TrialRecord {
    /// Id of the case.
    pub case: String,
    /// Name of the model.
    pub model: String,
    /// Number of the repetition, from 0.
    pub repetition: u32,
    /// Seed of the trial.
    pub seed: u64,
    /// Hash of the case's task and expectations.
    pub fingerprint: String,
    /// The end of the trial.
    pub status: TrialStatus,
    /// The final text, at most its first 4,000 characters.
    #[serde(default)]
    pub answer: String,
    /// The grades, in the order of the expectations.
    #[serde(default)]
    pub grades: Vec<GradeRecord>,
    /// The error of the run or of a grader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Number of requests of the run.
    #[serde(default)]
    pub requests: u64,
    /// Number of tokens of the run's requests.
    #[serde(default)]
    pub input_tokens: u64,
    /// Number of tokens of the run's answers.
    #[serde(default)]
    pub output_tokens: u64,
    /// Cost of the run, in millionths of the currency of the agent's prices.
    #[serde(default)]
    pub cost: u64,
    /// Duration of the run without the graders, in milliseconds.
    #[serde(default)]
    pub latency_ms: u64,
    /// True if the run was a replay, whose duration is not that of a provider.
    #[serde(default)]
    pub replayed: bool,
    /// Usage of models that graded.
    #[serde(default, skip_serializing_if = "JudgeUsage::is_zero")]
    pub judge: JudgeUsage,
}

/// The verdict about one expectation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GradeRecord {
    /// Description of the expectation.
    pub expectation: String,
    /// True if the expectation was met.
    pub passed: bool,
    /// The reason.
    #[serde(default)]
    pub reason: String,
}

impl TrialRecord {
    /// Returns the record of a trial that has not run.
    pub(crate) fn new(trial: &Trial, fingerprint: String) -> Self {
        Self {
            case: trial.case.clone(),
            model: trial.model.clone(),
            repetition: trial.repetition,
            seed: trial.seed,
            fingerprint,
            status: TrialStatus::Error,
            answer: String::new(),
            grades: Vec::new(),
            error: None,
            requests: 0,
            input_tokens: 0,
            output_tokens: 0,
            cost: 0,
            latency_ms: 0,
            replayed: trial.is_replayed(),
            judge: JudgeUsage::default(),
        }
    }

    /// Returns whether every expectation was met.
    pub fn is_passed(&self) -> bool {
        self.status == TrialStatus::Passed
    }

    /// Returns the reason why the trial did not pass, for a person. Empty if it passed.
    pub fn reason(&self) -> String {
        if let Some(error) = &self.error {
            return error.clone();
        }
        let failed = self.grades.iter().filter(|grade| !grade.passed);
        let reasons: Vec<String> = failed
            .map(|grade| match grade.reason.as_str() {
                "" => grade.expectation.clone(),
                reason => format!("{}: {reason}", grade.expectation),
            })
            .collect();
        match (reasons.is_empty(), self.status) {
            (true, TrialStatus::Passed) => String::new(),
            (true, status) => status.as_str().to_owned(),
            (false, _) => reasons.join("; "),
        }
    }
}
