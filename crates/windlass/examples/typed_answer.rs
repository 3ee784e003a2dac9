//! An answer as a value of a Rust type.
#![expect(clippy::print_stdout, reason = "an example shows what happens")]

use windlass::mock::MockModel;
use windlass::{Agent, ToolArgs};

/// A city.
#[derive(Debug, ToolArgs)]
struct City {
    name: String,
    /// The number of people.
    people: u64,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = MockModel::new().text(r#"{"name": "Tokyo", "people": 14000000}"#);
    let agent = Agent::builder().model(model, "mock-1").build()?;
    let city = agent.run_as::<City>("Which city of Japan is the largest?").await?.answer;
    println!("{} has {} people", city.name, city.people);
    Ok(())
}
