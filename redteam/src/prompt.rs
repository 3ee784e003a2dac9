//! The prompt mode: captures the built program's output to a human, byte for byte.

use std::process::{Command, Stdio};

use anyhow::Context as _;
use serde_json::{Value, json};
use windlass_mock::{Script, ScriptedProvider};

use crate::case::Stage;
use crate::engine::Engine;
use crate::execute;
use crate::observed::{Observation, skip};
use crate::{rules, words};

/// Runs the case: the outcome is that of the agent, and the prompt is that of the program.
pub(crate) async fn run(stage: &Stage<'_>) -> anyhow::Result<Observation> {
    let observed = execute::run(stage.scene, stage.setup, (stage.tool, stage.input)).await?;
    let (arguments, _) = words::arguments(stage.tool, stage.input);
    let engine = Engine::new(stage.scene, stage.setup)?;
    let call = engine.step(stage.tool, &words::understood(&engine, stage.tool, &arguments)?);
    if call.pointer("/call/free_text").is_some() {
        return skip("the scripted provider cannot call a tool that takes free text");
    }
    let shown = show_prompt(stage, &[call]).await?;
    Ok(Observation { prompts: vec![shown], ..observed })
}

/// Returns the built program's output for a run in which the model makes these steps and the human does not
/// answer.
pub(crate) async fn show_prompt(stage: &Stage<'_>, steps: &[Value]) -> anyhow::Result<String> {
    let Some(program) = stage.program else { return skip("the built program is not given: --program") };
    let script = json!({"turns": [{"steps": steps, "piece": 4096}], "fallback": "That is all."});
    let provider = ScriptedProvider::start(Script::parse(&script.to_string())?, 0).await?;
    let policy = stage.scene.folder.join("shown.toml");
    std::fs::write(&policy, rules::text(&stage.setup.rules, &stage.scene.workspace)?)?;
    let mut command = Command::new(program);
    command
        .args(["run", "Do it.", "--ask", "--wire", "openai-chat", "--model", "scripted"])
        .arg("--base-url")
        .arg(format!("{}/v1", provider.base_url()))
        .arg("--policy")
        .arg(policy)
        .arg("--root")
        .arg(&stage.scene.workspace)
        .stdin(Stdio::null());
    let output = tokio::task::spawn_blocking(move || command.output()).await?;
    let output = output.context("the program cannot be started")?;
    provider.shutdown().await;
    let both = [output.stdout, output.stderr].concat();
    // Invalid UTF-8 is replaced; no assert depends on it.
    Ok(String::from_utf8_lossy(&both).into_owned())
}
