//! Tools that share state. Runs without a network: `cargo run -p windlass --example tool_with_state`
#![expect(clippy::print_stdout, reason = "an example shows what happens")]
use std::sync::{Arc, Mutex};

use windlass::{prelude::*, providers::anthropic::Anthropic};
use windlass_mock::{Script, ScriptedModel};

struct Basket(Mutex<Vec<u32>>);
#[toolset]
impl Basket {
    /// Puts an item with a price in cents into the basket, and returns the total.
    #[tool(internal)]
    async fn put(&self, price: String) -> Result<u32, std::num::ParseIntError> {
        let mut prices = self.0.lock().expect("no call panics");
        prices.push(price.parse()?);
        Ok(prices.iter().sum())
    }
}
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let basket = Arc::new(Basket(Mutex::default()));
    let script = r#"{"turns": [{"steps": [{"call": {"name": "put", "arguments": {"price": "99"}}}]},
        {"steps": [{"text": "It is in."}]}]}"#;
    let model = ScriptedModel::new(Script::parse(script)?, Arc::new(Anthropic::default()));
    let agent = Agent::builder().model(model, "scripted-1").tools(basket.tools()).build()?;
    println!("{} {:?}", agent.run("Put a pen for 99 cents into it.").await?, basket.0.lock());
    Ok(())
}
