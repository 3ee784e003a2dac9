//! A suite: cases, models, repetitions, and the limits of their runs.

mod run_trial;
mod runner;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use windlass_agent::Agent;
use windlass_cassette::CassetteOptions;

use crate::plan::Plan;
use crate::{BoxError, Case, EvalError, Summary, Trial};

/// Cases, the models that run them, and the number of repetitions. [`run`](Self::run) executes every combination, which is
/// a trial, and returns the statistics.
///
/// ```
/// use windlass_agent::Agent;
/// use windlass_evals::{Case, Suite, exact};
/// use windlass_mock::MockModel;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let summary = Suite::new("sums")
///     .case(Case::new("two", "What is 1 + 1?").expect(exact("2")))
///     .agent_with("mock-1", |_| Ok(Agent::builder().model(MockModel::new().text("2"), "mock-1").build()?))
///     .repetitions(3)
///     .run()
///     .await?;
/// assert_eq!(summary.model("mock-1").ok_or("missing")?.passed, 3);
/// # Ok(())
/// # }
/// ```
pub struct Suite {
    plan: Plan,
}

impl Suite {
    /// Creates a suite without cases and models, which runs four trials at the same time and each trial once.
    pub fn new(name: impl Into<String>) -> Self {
        let plan = Plan {
            name: name.into(),
            cases: Vec::new(),
            models: Vec::new(),
            repetitions: 1,
            concurrency: 4,
            seed: 0,
            time_limit: None,
            budget: None,
            case_time_limit: None,
            case_budget: None,
            results: None,
            folders: None,
            cassettes: None,
        };
        Self { plan }
    }

    /// Adds a case.
    pub fn case(mut self, case: Case) -> Self {
        self.plan.cases.push(case);
        self
    }

    /// Adds cases.
    pub fn cases(mut self, cases: impl IntoIterator<Item = Case>) -> Self {
        self.plan.cases.extend(cases);
        self
    }

    /// Adds a model by an agent that runs all of its trials. The name is for reports.
    pub fn agent(self, model: impl Into<String>, agent: Agent) -> Self {
        self.agent_with(model, move |_| Ok(agent.clone()))
    }

    /// Adds a model by a closure that builds the agent of each trial, for example with the trial's folder, seed or cassette.
    /// An error of the closure is an error of the trial.
    pub fn agent_with(
        mut self,
        model: impl Into<String>,
        build: impl Fn(&Trial) -> Result<Agent, BoxError> + Send + Sync + 'static,
    ) -> Self {
        self.plan.models.push((model.into(), Box::new(build)));
        self
    }

    /// Sets the number of trials of each case with each model. The default is 1.
    pub fn repetitions(mut self, repetitions: u32) -> Self {
        self.plan.repetitions = repetitions;
        self
    }

    /// Sets the number of trials that run at the same time, at least 1. The default is 4.
    pub fn concurrency(mut self, trials: usize) -> Self {
        self.plan.concurrency = trials.max(1);
        self
    }

    /// Sets the seed from which the seeds of trials follow. The default is 0.
    pub fn seed(mut self, seed: u64) -> Self {
        self.plan.seed = seed;
        self
    }

    /// Sets the time after which the suite stops. Trials that are running then are cancelled and have no result.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.plan.time_limit = Some(limit);
        self
    }

    /// Sets the cost of all trials of this run of the suite, with that of their judges, after which no further trial
    /// begins, in millionths of the currency of the agents' prices. Trials that are running then end.
    pub fn budget(mut self, cost: u64) -> Self {
        self.plan.budget = Some(cost);
        self
    }

    /// Sets the time in which the run of a trial must end, unless its case has its own.
    pub fn case_time_limit(mut self, limit: Duration) -> Self {
        self.plan.case_time_limit = Some(limit);
        self
    }

    /// Sets the cost above which the run of a trial is stopped, unless its case has its own. The cost is known after each
    /// answer, so the last answer can exceed the budget.
    pub fn case_budget(mut self, cost: u64) -> Self {
        self.plan.case_budget = Some(cost);
        self
    }

    /// Sets the file to which each result is appended when its trial ends, as a line of JSON. Results that the file
    /// contains already are used and their trials not repeated, unless the case has changed or the trial ended with an
    /// error. So a suite that was killed continues where it was.
    pub fn results(mut self, file: impl Into<PathBuf>) -> Self {
        self.plan.results = Some(file.into());
        self
    }

    /// Sets the folder in which each trial gets an empty folder of its own, whose files graders can read. The folder of a
    /// trial that is repeated is emptied.
    pub fn folders(mut self, folder: impl Into<PathBuf>) -> Self {
        self.plan.folders = Some(folder.into());
        self
    }

    /// Sets the folder of cassettes: each trial has its own, which is replayed if it exists and recorded otherwise. The
    /// agents must take their clients from [`Trial::cassette`]. With the variable `WINDLASS_CASSETTE=replay` the suite
    /// needs neither a key nor a network.
    pub fn cassettes(self, folder: impl Into<PathBuf>) -> Self {
        self.cassettes_with(folder, CassetteOptions::default())
    }

    /// Like [`cassettes`](Self::cassettes), with options.
    pub fn cassettes_with(mut self, folder: impl Into<PathBuf>, options: CassetteOptions) -> Self {
        self.plan.cassettes = Some((folder.into(), options));
        self
    }

    /// Runs all trials that have no result yet. Requires a tokio runtime with time enabled.
    ///
    /// Cancel-safe: dropping the future cancels the trials that are running, and the file of results has the others.
    ///
    /// # Errors
    /// If the suite is empty, has two cases or models with the same name, or its file of results cannot be used. A trial
    /// that fails is a result.
    pub async fn run(self) -> Result<Summary, EvalError> {
        self.run_until(std::future::pending()).await
    }

    /// Like [`run`](Self::run), but ends early when `stop` completes. The summary then has the trials that ended before.
    ///
    /// ```no_run
    /// # async fn example(suite: windlass_evals::Suite) -> Result<(), windlass_evals::EvalError> {
    /// # async fn ctrl_c() {}
    /// // `tokio::signal::ctrl_c` in a program.
    /// let summary = suite.run_until(async { drop(ctrl_c().await) }).await?;
    /// println!("{summary}");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub async fn run_until(self, stop: impl Future<Output = ()>) -> Result<Summary, EvalError> {
        self.check()?;
        runner::run(&self.plan, stop).await
    }

    fn check(&self) -> Result<(), EvalError> {
        if self.plan.cases.is_empty() {
            return Err(EvalError::Empty { missing: "case", method: "case" });
        }
        if self.plan.models.is_empty() {
            return Err(EvalError::Empty { missing: "model", method: "agent" });
        }
        check_unique("case", self.plan.cases.iter().map(Case::id))?;
        check_unique("model", self.plan.models.iter().map(|(name, _)| name.as_str()))
    }
}

fn check_unique<'a>(kind: &'static str, names: impl Iterator<Item = &'a str>) -> Result<(), EvalError> {
    let mut known = std::collections::BTreeSet::new();
    for name in names {
        if !known.insert(name) {
            return Err(EvalError::Duplicate { kind, name: name.to_owned() });
        }
    }
    Ok(())
}

impl fmt::Debug for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let models: Vec<&String> = self.plan.models.iter().map(|(name, _)| name).collect();
        f.debug_struct("Suite")
            .field("name", &self.plan.name)
            .field("cases", &self.plan.cases)
            .field("models", &models)
            .field("repetitions", &self.plan.repetitions)
            .finish_non_exhaustive()
    }
}
