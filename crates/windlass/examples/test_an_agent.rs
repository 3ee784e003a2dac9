//! A test of an agent without a provider. Runs without a network.
//!
//! `cargo run -p windlass --example test_an_agent -F mock`
#![expect(clippy::print_stdout, reason = "an example shows what happens")]

use serde_json::json;
use windlass::mock::MockModel;
use windlass::prelude::*;

/// Returns the price of an article in cents.
#[tool(read_only, internal)]
fn price(article: String) -> Result<u64, &'static str> {
    if article == "pencil" { Ok(120) } else { Err("unknown article") }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = MockModel::new()
        .thinking("I need the price.")
        .call("price", json!({"article": "pencil"}))
        .text("Two pencils cost 2.40.");

    let agent = Agent::builder().model(model.clone(), "mock-1").tool(Price).build()?;
    let answer = agent.run("How much are two pencils?").await?.into_text()?;

    assert_eq!(answer, "Two pencils cost 2.40.");
    assert_eq!(model.request(0).user_text(), "How much are two pencils?");
    assert!(model.request(0).tool_names().contains(&"price"));
    assert_eq!(model.request(1).tool_result("price"), "120");
    assert_eq!(model.answers_left(), 0);
    println!("The agent looked up the price and answered: {answer}");
    Ok(())
}
