//! A suite of three cases with two models, each three times. Runs without a network.
//!
//! `cargo run -p windlass --example evals -F evals,mock`
#![expect(clippy::print_stdout, reason = "an example shows what happens")]

use std::time::Duration;

use serde_json::json;
use windlass::evals::{BoxError, Case, Suite, Trial, calls, code, contains, number};
use windlass::mock::MockModel;
use windlass::prelude::*;

/// Returns the price of an article in cents.
#[tool(read_only, internal)]
fn price(article: String) -> Result<u64, &'static str> {
    if article == "pencil" { Ok(120) } else { Err("unknown article") }
}

/// Returns the agent under test. A program passes a model of a provider.
fn shop_agent(model: MockModel) -> Result<Agent, BoxError> {
    Ok(Agent::builder().model(model, "mock-1").tool(Price).build()?)
}

/// Looks prices up.
fn careful(trial: &Trial) -> Result<Agent, BoxError> {
    let model = MockModel::new();
    shop_agent(match trial.case.as_str() {
        "greeting" => model.text("Hello! We sell pencils.").usage(40, 6),
        "unknown" => {
            let model = model.call("price", json!({"article": "car"})).usage(60, 12);
            model.text("I am sorry, we have no cars.").usage(90, 9)
        }
        _ => {
            let model = model.call("price", json!({"article": "pencil"})).usage(60, 12);
            model.text("Two pencils cost 2.40.").usage(90, 8)
        }
    })
}

/// Guesses prices, each time another.
fn hasty(trial: &Trial) -> Result<Agent, BoxError> {
    let guess = format!("Two pencils cost 2.{}0.", trial.repetition.saturating_add(3));
    let text = if trial.case == "greeting" { "Hello!" } else { guess.as_str() };
    shop_agent(MockModel::new().text(text).usage(40, 8))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let brief = code("answers in one sentence", |run| async move { run.answer().matches(". ").count() == 0 });
    let summary = Suite::new("shop")
        .case(Case::new("greeting", "Hello!").expect(contains("Hello")))
        .case(
            Case::new("price", "How much are two pencils?")
                .expect(number(2.40, 0.001))
                .expect(calls("price"))
                .expect(brief),
        )
        .case(Case::new("unknown", "How much is a car?").expect(contains("no cars")))
        .agent_with("careful", careful)
        .agent_with("hasty", hasty)
        .repetitions(3)
        .concurrency(8)
        .case_time_limit(Duration::from_secs(30))
        .run()
        .await?;
    println!("{summary}");
    Ok(())
}
