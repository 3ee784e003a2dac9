//! The execute mode for tool calls: a real run of the agent in the temporary workspace.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::bail;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use windlass_hitl::Verdict;
use windlass_protocol::{Containment, Effect};
use windlass_tool::Context;

use crate::catalogue::Word;
use crate::decide;
use crate::engine::{Engine, EngineDecision};
use crate::observed::{Observation, skip};
use crate::scene::Scene;
use crate::session::Session;
use crate::setup::{Race, Sandbox, Setup};
use crate::words;

/// The number of calls that are made while a thread races them.
const ROUNDS: u64 = 10_000;

pub(crate) async fn run(
    scene: &Scene,
    setup: &Setup,
    (tool, input): (&str, &str),
) -> anyhow::Result<Observation> {
    let engine = Engine::new(scene, setup)?;
    if !engine.has(tool) && !words::is_misspelt(&engine.toolbox, tool) {
        return skip(format!("the tool {tool} does not exist yet"));
    }
    let (arguments, told) = words::arguments(tool, input);
    let arguments = words::understood(&engine, tool, &arguments)?;
    require_confinement(&engine, setup, tool, &arguments)?;
    if let Some(race) = &setup.race {
        return race_against(scene, setup, race, (tool, &arguments)).await;
    }
    once(engine, setup, (tool, &arguments), told.cancel_after_ms).await
}

/// Checks that a setup that requires a sandbox gets one before any process is started. Without it the attacks
/// would harm the machine and other users' processes, and a decision depends on it.
pub(crate) fn require_confinement(
    engine: &Engine,
    setup: &Setup,
    tool: &str,
    arguments: &str,
) -> anyhow::Result<()> {
    if setup.sandbox != Sandbox::Required {
        return Ok(());
    }
    let Ok(call) = engine.call(tool, arguments)? else { return Ok(()) };
    let EngineDecision::Decided(checked, _) = engine.decide_call(&call) else { return Ok(()) };
    let starts = |effect: &Effect| matches!(effect, Effect::Execute { .. } | Effect::Unknown);
    if !checked.facts.effects.iter().any(starts) {
        return Ok(());
    }
    match &checked.facts.containment {
        Some(containment) if containment.is_full() => Ok(()),
        Some(containment) if *containment != Containment::none() => {
            let gaps = containment.gaps.join("; ");
            skip(format!("this machine confines by {} only: {gaps}", containment.level))
        }
        _ => bail!("the setup requires a sandbox and the call would run without one: it was not run"),
    }
}

async fn once(
    mut engine: Engine,
    setup: &Setup,
    (tool, arguments): (&str, &str),
    cancel_after_ms: Option<u64>,
) -> anyhow::Result<Observation> {
    if let Ok(call) = engine.call(tool, arguments)? {
        engine.teach(&setup.heard, &call)?;
    }
    let mut session = Session::for_call(engine, tool, arguments, setup.answers);
    session.cancel_after = cancel_after_ms.map(Duration::from_millis);
    Ok(session.run().await?.observe(setup.answers))
}

/// Repeats the call while a thread exchanges a folder and a link.
async fn race_against(
    scene: &Scene,
    setup: &Setup,
    race: &Race,
    (tool, arguments): (&str, &str),
) -> anyhow::Result<Observation> {
    let folder = scene.workspace.join(&race.folder);
    let swap = scene.workspace.join(format!("{}.swap", race.folder));
    let is_over = Arc::new(AtomicBool::new(false));
    let swapper = {
        let is_over = Arc::clone(&is_over);
        std::thread::spawn(move || swap_until(&is_over, &folder, &swap))
    };
    let engine = Engine::new(scene, setup)?;
    let mut observed = Observation::default();
    let mut rounds = 0_u64;
    while rounds < ROUNDS {
        // Perform the engine's steps without the model, because the race is between deciding and running.
        observed.words.extend(step(&engine, tool, arguments).await?);
        rounds = rounds.saturating_add(1);
    }
    is_over.store(true, Ordering::SeqCst);
    let swaps = swapper.join().unwrap_or_default();
    observed.detail = format!("{rounds} calls against {swaps} swaps");
    // Some calls find the folder and some the link; both outcomes are correct.
    observed.words.insert(Word::Contained);
    Ok(observed.with_value("iterations", rounds))
}

/// Decides about a call, and runs it if it is allowed.
async fn step(engine: &Engine, tool: &str, arguments: &str) -> anyhow::Result<Vec<Word>> {
    let Ok(call) = engine.call(tool, arguments)? else { return Ok(vec![Word::Error]) };
    let context = Context::new(call.id.clone());
    Ok(match engine.decide_call(&call) {
        EngineDecision::Refused(_) => vec![Word::Error],
        EngineDecision::Decided(checked, decision) if decision.verdict == Verdict::Allow => {
            let result = engine.toolbox.run(&checked, &context).await;
            if result.is_ok_and(|result| result.status.is_ok()) {
                vec![Word::Contained]
            } else {
                vec![Word::Error]
            }
        }
        EngineDecision::Decided(_, decision) => decide::to_observed(&decision).words.into_iter().collect(),
    })
}

fn swap_until(is_over: &AtomicBool, folder: &Path, swap: &Path) -> u64 {
    let mut swaps = 0_u64;
    while !is_over.load(Ordering::SeqCst) {
        if renameat_with(CWD, folder, CWD, swap, RenameFlags::EXCHANGE).is_ok() {
            swaps = swaps.saturating_add(1);
        }
    }
    swaps
}
