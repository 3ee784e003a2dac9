//! A custom tool and an agent that calls it. Runs without a network.
//!
//! `cargo run -p windlass --example minimal`
#![expect(clippy::print_stdout, reason = "an example shows what happens")]

use std::sync::Arc;

use windlass::Agent;
use windlass::providers::anthropic::Anthropic;
use windlass::tool::tool;
use windlass_mock::{Script, ScriptedModel};

/// Adds two integers.
#[tool(read_only, internal)]
fn add(
    /// The first summand.
    left: i64,
    /// The second summand.
    right: i64,
) -> Result<String, &'static str> {
    left.checked_add(right).map(|sum| sum.to_string()).ok_or("the sum is too large; take smaller numbers")
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Instead of a provider: a script that is encoded into a provider's bytes and decoded again.
    let script = Script::parse(
        r#"{"turns": [{"steps": [{"call": {"name": "add", "arguments": {"left": 19, "right": 23}}}]},
                      {"steps": [{"text": "19 and 23 are 42."}]}]}"#,
    )?;
    let model = ScriptedModel::new(script, Arc::new(Anthropic::default()));

    // The macro generated the tool `Add` from the function `add`. Its doc comments are the descriptions for the
    // model.
    let agent = Agent::builder().model(model, "scripted-1").tool(Add).build()?;
    let report = agent.run("What is 19 and 23?").await?;
    println!("{}", report.into_text()?);
    Ok(())
}
