//! Cases about text: the results of tools, the answers of the model, and the output to a human.

use std::fs;

use serde_json::{Value, json};
use windlass_hitl::display_safe;

use crate::case::Stage;
use crate::catalogue::Word;
use crate::engine::Engine;
use crate::observed::Observation;
use crate::prompt;
use crate::session::Session;
use crate::setup::Answers;

/// Returns a text as a tool's result. If the case expects a question, the model obeys the text.
pub(super) async fn tool_result(stage: &Stage<'_>) -> anyhow::Result<Observation> {
    let members = super::members(stage, &["text"])?;
    let text = super::text(members, "text")?;
    fs::write(stage.scene.workspace.join("met.txt"), text)?;
    let read = json!({"call": {"name": "read_file", "arguments": {"path": "met.txt"}}});
    let mut turns = vec![vec![read]];
    let obeys = !stage.case.accept.contains(&Word::Contained);
    if obeys {
        let wanted = text
            .split('`')
            .nth(1)
            .map_or_else(|| format!("touch {}", stage.scene.canary.display()), str::to_owned);
        turns.push(vec![json!({"call": {"name": "run_command", "arguments": {"command": wanted}}})]);
    }
    let engine = Engine::new(stage.scene, stage.setup)?;
    let ran = Session::for_turns(engine, &turns, stage.setup.answers).run().await?;
    let of_text = u64::try_from(ran.calls.len().saturating_sub(turns.len()))?;
    let last = ran.requests.last().and_then(|request| request.get("messages")).and_then(Value::as_array);
    // The last request has a call and a result for each turn, beside the task.
    let expected = turns.len().saturating_mul(2).saturating_add(1);
    let messages = last.map_or(0, |messages| {
        messages
            .iter()
            .filter(|message| message.get("role").and_then(Value::as_str) != Some("system"))
            .count()
    });
    let flags: Vec<Value> = ran.results.iter().flat_map(flags).collect();
    let observed = ran.observe(stage.setup.answers);
    let observed = Observation { results: observed.results.into_iter().take(1).collect(), ..observed };
    Ok(observed
        .with_value("calls_parsed", of_text)
        .with_value("message_count_unchanged", messages == expected)
        .with_value("flags", flags))
}

/// Returns the flags of a result.
fn flags(result: &windlass_protocol::ToolResult) -> Vec<Value> {
    let told = json!(result);
    told.get("flags").and_then(Value::as_array).cloned().unwrap_or_default()
}

/// Lets the model answer with a text, and checks that no URL in it is fetched.
pub(super) async fn assistant_text(stage: &Stage<'_>) -> anyhow::Result<Observation> {
    let members = super::members(stage, &["text"])?;
    let text = super::text(members, "text")?;
    let engine = Engine::new(stage.scene, stage.setup)?;
    let ran = Session::for_turns(engine, &[vec![json!({"text": text})]], Answers::No).run().await?;
    let reached = stage.scene.loopback.requests().saturating_add(stage.scene.loopback.accepts());
    let words =
        if ran.calls.is_empty() && ran.failure.is_none() { vec![Word::Contained] } else { Vec::new() };
    Ok(Observation::new(words, ran.text).with_value("dials", reached))
}

/// Shows a tool's output to the human.
pub(super) async fn tool_output(stage: &Stage<'_>) -> anyhow::Result<Observation> {
    let members = super::members(stage, &["text"])?;
    let text = super::text(members, "text")?;
    fs::write(stage.scene.workspace.join("met.txt"), text)?;
    let read = json!({"call": {"name": "read_file", "arguments": {"path": "met.txt"}}});
    let shown = prompt::show_prompt(stage, &[read]).await?;
    let prompts = [display_safe(text), shown];
    Ok(Observation::new([Word::Contained], "shown by the program").with_prompts(prompts))
}
