//! Tools that share state, with errors by `?`. Runs without a network.
//!
//! `cargo run -p windlass --example tool_with_state`
#![expect(clippy::print_stdout, reason = "an example shows what happens")]

use std::sync::{Arc, Mutex};

use windlass::prelude::*;
use windlass::providers::anthropic::Anthropic;
use windlass::tool::{ToolSet, toolset};
use windlass_mock::{Script, ScriptedModel};

/// The state: what the methods of one value share.
#[derive(Default)]
struct Basket(Mutex<Vec<u32>>);

#[toolset]
impl Basket {
    /// Puts an item with a price in cents into the basket, and returns the total.
    #[tool(internal)]
    async fn put(&self, price: String) -> Result<u32, std::num::ParseIntError> {
        let price = price.parse()?;
        let mut prices = self.0.lock().expect("no call panics");
        prices.push(price);
        Ok(prices.iter().sum())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let basket = Arc::new(Basket::default());
    let toolbox = Toolbox::builder().tools(basket.tools()).config(ToolConfig::new(Preset::Full)).build()?;

    // Instead of a provider: a script. Its first call fails, and the model reads the words of the error.
    let call = |price| format!(r#"{{"steps": [{{"call": {{"name": "put", "arguments": {{"price": "{price}"}}}}}}]}}"#);
    let turns = [call("a lot"), call("250"), call("99"), r#"{"steps": [{"text": "Both are in."}]}"#.to_owned()];
    let script = Script::parse(&format!(r#"{{"turns": [{}]}}"#, turns.join(",")))?;
    let model = ScriptedModel::new(script, Arc::new(Anthropic::default()));

    let agent = Agent::builder().model(model, "scripted-1").toolbox(toolbox).build()?;
    let report = agent.run("Put both items into the basket.").await?;
    println!("{} {:?}", report.text().unwrap_or("no answer"), basket.0.lock().expect("no call panics"));
    Ok(())
}
