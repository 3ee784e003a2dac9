//! A task and its answer, without a network: `windlass::openai("gpt-5.1")?.agent()` takes the place of the mock.
#![expect(clippy::print_stdout, reason = "an example shows what happens")]

use windlass::Agent;
use windlass::mock::MockModel;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let agent = Agent::builder().model(MockModel::new().text("Hello."), "mock-1").build()?;
    println!("{}", agent.run("Say hello.").await?.into_text()?);
    Ok(())
}
