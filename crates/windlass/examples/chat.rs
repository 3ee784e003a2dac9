//! A conversation: each task sees the tasks before it.
#![expect(clippy::print_stdout, reason = "an example shows what happens")]

use windlass::Agent;
use windlass::mock::MockModel;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = MockModel::new().text("Hello Ada.").text("You are Ada.");
    let mut chat = Agent::builder().model(model, "mock-1").build()?.session();
    for line in ["My name is Ada.", "What is my name?"] {
        println!("{}", chat.send(line).await?.into_text()?);
    }
    Ok(())
}
