//! The decide mode: asks the engine for its decision about a call. The call is not run.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;
use windlass_hitl::{Decision, Verdict, decide};

use crate::catalogue::Word;
use crate::engine::{Engine, EngineDecision, now_ms};
use crate::observed::{Observation, skip};
use crate::scene::Scene;
use crate::setup::{Otherwise, Setup};
use crate::{execute, rules, words};

/// Decides about a tool call with the crates, and also with the built program if the setup can be passed to
/// it.
pub(crate) fn run(
    scene: &Scene,
    setup: &Setup,
    (tool, input): (&str, &str),
    program: Option<&Path>,
) -> anyhow::Result<Observation> {
    let mut engine = Engine::new(scene, setup)?;
    if !engine.has(tool) && !words::is_misspelt(&engine.toolbox, tool) {
        return skip(format!("the tool {tool} does not exist yet"));
    }
    let (arguments, _) = words::arguments(tool, input);
    let arguments = words::understood(&engine, tool, &arguments)?;
    execute::require_confinement(&engine, setup, tool, &arguments)?;
    let observed = decide_call(&mut engine, setup, tool, &arguments)?;
    let is_plain = setup.otherwise == Otherwise::Ask
        && setup.heard.is_empty()
        && setup.secrets.is_empty()
        // The program does not know the secret.
        && !arguments.contains(&scene.secret)
        // The program only reads calls with JSON arguments.
        && engine.step(tool, &arguments).pointer("/call/free_text").is_none()
        && !setup.windows_paths;
    if let (Some(program), true) = (program, is_plain) {
        agree(scene, setup, (tool, &arguments), program, &observed)?;
    }
    Ok(observed.with_value("executed", 0))
}

fn decide_call(
    engine: &mut Engine,
    setup: &Setup,
    tool: &str,
    arguments: &str,
) -> anyhow::Result<Observation> {
    let call = match engine.call(tool, arguments)? {
        Ok(call) => call,
        Err(result) => return Ok(Observation::new([Word::Error], result.wire_text())),
    };
    engine.teach(&setup.heard, &call)?;
    Ok(match engine.decide_call(&call) {
        EngineDecision::Refused(result) => Observation::new([Word::Error], result.wire_text()),
        EngineDecision::Decided(checked, decision) if setup.windows_paths => {
            // The files on this disk are irrelevant for another system's paths.
            let facts = engine.place_facts(checked.facts.clone().with_sight(Vec::new(), None), now_ms());
            drop(decision);
            to_observed(&decide(&engine.policy, &windlass_hitl::Grants::default(), &engine.learned, &facts))
        }
        EngineDecision::Decided(_, decision) => to_observed(&decision),
    })
}

/// Translates a decision to the catalogue's words.
pub(crate) fn to_observed(decision: &Decision) -> Observation {
    let word = match decision.verdict {
        Verdict::Allow => Word::Allow,
        Verdict::Ask => Word::Ask,
        Verdict::Deny => Word::Deny,
    };
    let mut words = vec![word];
    // Stage 0: the engine counts it as a denial, the catalogue as an error.
    if decision.reason.rule_id.starts_with("v.") {
        words.push(Word::Error);
    }
    let rule = decision.reason.rule_id.as_str();
    Observation::new(words, format!("{rule}: {}", decision.reason.text)).with_rule(rule)
}

/// Checks that the built program makes the same decision.
fn agree(
    scene: &Scene,
    setup: &Setup,
    (tool, arguments): (&str, &str),
    program: &Path,
    observed: &Observation,
) -> anyhow::Result<()> {
    let Ok(input) = serde_json::from_str::<Value>(arguments) else { return Ok(()) };
    let policy = scene.folder.join("policy.toml");
    std::fs::write(&policy, rules::text(&setup.rules, &scene.workspace)?)?;
    let calls = scene.folder.join("calls.jsonl");
    std::fs::write(&calls, serde_json::json!({"tool": tool, "input": input}).to_string())?;
    let output = Command::new(program)
        .args(["policy", "explain", "--root"])
        .arg(&scene.workspace)
        .arg("--policy")
        .arg(&policy)
        .arg(&calls)
        .stdin(Stdio::null())
        .output()
        .context("the program cannot be started")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the program does not explain the call: {}", complaint.trim());
    let explained: Value = serde_json::from_str(said.lines().next().unwrap_or_default())?;
    let decision = explained.get("decision").and_then(Value::as_str).context("no decision is explained")?;
    let same = observed.words.iter().any(|word| match word {
        // The program counts stage 0 as a denial.
        Word::Error => decision == "deny",
        word => decision == word.as_str(),
    });
    if !same {
        let rule = explained.get("rule_id").and_then(Value::as_str).unwrap_or_default();
        let words = Word::list(observed.words.iter().copied());
        bail!("the crates say {words}, the program says {decision} ({rule})");
    }
    Ok(())
}
