//! A tool of one's own, and an agent that calls it. Runs without a network.
//!
//! `cargo run -p windlass --example minimal`
#![expect(clippy::print_stdout, reason = "an example shows what happens")]

use std::sync::Arc;

use serde::Deserialize;
use windlass::Agent;
use windlass::protocol::{Effect, Hints, Payload, ToolName, ToolSpec};
use windlass::tool::{Context, Output, Tool, ToolFuture, read_arguments};
use windlass::toolbox::{Preset, ToolConfig, Toolbox};
use windlass::wire_anthropic::Anthropic;
use windlass_testkit::script::Script;
use windlass_testkit::scripted_model::ScriptedModel;

/// Adds two integers.
struct Add(ToolSpec);

#[derive(Deserialize)]
struct Arguments {
    left: i64,
    right: i64,
}

impl Tool for Add {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn hints(&self) -> Hints {
        Hints::read_only()
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, _: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let Arguments { left, right } = read_arguments(payload)?;
            Ok(Output::text(left.saturating_add(right).to_string()))
        })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let schema = r#"{"type":"object","properties":{"left":{"type":"integer"},"right":{"type":"integer"}},
        "required":["left","right"],"additionalProperties":false}"#;
    let add = Add(ToolSpec::function(ToolName::new("add")?, "Adds two integers.", schema.parse()?));
    let toolbox = Toolbox::builder().tool(Arc::new(add)).config(ToolConfig::new(Preset::Full)).build()?;

    // In place of a provider: a script, rendered to a provider's bytes and decoded from them.
    let script = Script::parse(
        r#"{"turns": [{"steps": [{"call": {"name": "add", "arguments": {"left": 19, "right": 23}}}]},
                      {"steps": [{"text": "19 and 23 are 42."}]}]}"#,
    )?;
    let model = ScriptedModel::new(script, Arc::new(Anthropic::default()));

    let agent = Agent::builder().model(model, "scripted-1").toolbox(toolbox).build()?;
    let report = agent.run("What is 19 and 23?").await?;
    println!("{}", report.text().unwrap_or("no answer"));
    Ok(())
}
