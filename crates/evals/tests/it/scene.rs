//! Agents with scripted models.

use std::sync::Arc;

use serde_json::Value;
use windlass_agent::{Agent, Budget, Prices};
use windlass_evals::{BoxError, Case, Suite, Trial, TrialRecord};
use windlass_mock::MockModel;
use windlass_tool_args::tool;
use windlass_toolbox::Toolbox;

/// Adds two integers.
#[tool(read_only, internal)]
fn add(left: i64, right: i64) -> i64 {
    left.saturating_add(right)
}

/// Prices at which each token costs one millionth.
pub(crate) fn prices() -> Budget {
    let prices = Prices { input: 1_000_000, output: 1_000_000, ..Prices::default() };
    Budget { prices, ..Budget::default() }
}

/// Returns an agent with the tool `add`.
pub(crate) fn agent(model: MockModel) -> Agent {
    let toolbox = Toolbox::builder().tool(Arc::new(Add)).build().unwrap();
    Agent::builder().model(model, "mock-1").toolbox(toolbox).budget(prices()).build().unwrap()
}

/// Returns a closure that builds an agent with the same answer in each trial.
pub(crate) fn answers(text: &str) -> impl Fn(&Trial) -> Result<Agent, BoxError> + Send + Sync + 'static {
    let text = text.to_owned();
    move |_| Ok(agent(MockModel::new().text(text.as_str()).usage(10, 5)))
}

/// Runs one case once with this model and returns its result.
pub(crate) async fn run_one(case: Case, model: MockModel) -> TrialRecord {
    let model = std::sync::Mutex::new(Some(model));
    let suite = Suite::new("one").case(case).agent_with("mock", move |_| {
        let model = model.lock().unwrap().take().ok_or("the case ran twice")?;
        Ok(agent(model))
    });
    let mut summary = suite.run().await.unwrap();
    assert_eq!((summary.trials.len(), summary.stopped), (1, None));
    summary.trials.remove(0)
}

/// Returns a call of the tool `add`.
pub(crate) fn sum(left: i64, right: i64) -> Value {
    serde_json::json!({"left": left, "right": right})
}
