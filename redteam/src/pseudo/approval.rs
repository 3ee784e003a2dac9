//! Cases about approvals: exactly the approved call runs, once, and only the approver can approve.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, bail};
use serde_json::{Map, Value, json};
use windlass_hitl::{ApprovalDecision, ApprovalHistory, ApprovalRequest, Binding, Grants};
use windlass_protocol::ToolCall;

use crate::case::Stage;
use crate::catalogue::Word;
use crate::engine::{self, Engine, EngineDecision};
use crate::execute;
use crate::observed::Observation;
use crate::session::{Crashing, Meddling, Session, SessionResult};
use crate::setup::Answers;

const KNOWN: &[&str] = &[
    "request",
    "approve",
    "mutate_before_exec",
    "respond_to",
    "two_calls_same_provider_id",
    "approve_in_cwd",
    "exec_cwd",
    "always_allow_suggestion_for",
    "approvals_file",
    "grant_from",
    "remember",
    "then",
    "used_in",
    "hook_rewrites_args_after_allow",
    "raw_args",
    "approver_crashes",
    "approve_patch",
    "file_changed_on_disk_before_exec",
];

/// A command that needs an approval and does no harm.
const HARMLESS: &str = "touch approved.txt";

pub(super) async fn run(stage: &Stage<'_>) -> anyhow::Result<Observation> {
    let members = super::members(stage, KNOWN)?;
    let has = |name: &str| members.contains_key(name);
    if has("mutate_before_exec") {
        check_mutation(stage, command_of(members, "request")?, command_of(members, "mutate_before_exec")?)
            .await
    } else if has("hook_rewrites_args_after_allow") {
        rewritten(stage, command_of(members, "hook_rewrites_args_after_allow")?)
    } else if has("remember") {
        repeat_call(stage, command_of(members, "remember")?, command_of(members, "then")?).await
    } else if has("respond_to") {
        answer_other_request(stage, super::text(members, "respond_to")?).await
    } else if has("two_calls_same_provider_id") {
        let approved = members.get("approve").and_then(Value::as_str).unwrap_or("first only");
        same_id(stage, super::text(members, "two_calls_same_provider_id")?, approved).await
    } else if has("exec_cwd") {
        elsewhere(stage, super::text(members, "approve_in_cwd")?, super::text(members, "exec_cwd")?)
    } else if has("always_allow_suggestion_for") {
        suggest_grant(stage, command_of(members, "always_allow_suggestion_for")?).await
    } else if has("approvals_file") {
        corrupt(stage, super::text(members, "approvals_file")?)
    } else if has("grant_from") {
        other_session(stage).await
    } else if has("raw_args") {
        raw(stage, super::text(members, "raw_args")?).await
    } else if has("approver_crashes") {
        crash_approver(stage).await
    } else if has("file_changed_on_disk_before_exec") {
        change_on_disk(stage).await
    } else {
        bail!("the words of the input describe no action");
    }
}

fn command_of<'a>(members: &'a Map<String, Value>, name: &str) -> anyhow::Result<&'a str> {
    let command = members.get(name).and_then(|request| request.get("command"));
    command.and_then(Value::as_str).with_context(|| format!("`{name}` has no command"))
}

fn command(text: &str) -> String {
    json!({"command": text}).to_string()
}

fn call(engine: &Engine, tool: &str, arguments: &str) -> anyhow::Result<ToolCall> {
    engine.call(tool, arguments)?.map_err(|result| anyhow::anyhow!("{}", result.wire_text()))
}

/// Checks that the approval of one call does not apply to another.
async fn check_mutation(stage: &Stage<'_>, approved: &str, mutated: &str) -> anyhow::Result<Observation> {
    let engine = Engine::new(stage.scene, &stage.setup.with_questions())?;
    let (scope, epoch) = (engine.scope.clone(), engine.policy.epoch());
    let digest = |text: &str| {
        let call = call(&engine, "run_command", &command(text))?;
        let EngineDecision::Decided(checked, _) = engine.decide_call(&call) else {
            bail!("the call is refused")
        };
        let facts = engine.place_facts(checked.facts, engine::now_ms());
        Ok(Binding { facts: &facts, call: &call, spec: &checked.spec, root: &scope, epoch: &epoch }.digest())
    };
    let (same, other) = (digest(approved)?, digest(mutated)?);
    let session = Session::for_call(engine, "run_command", &command(approved), Answers::Yes);
    let ran = session.run().await?;
    let request = ran.asked.first().context("nothing was asked")?;
    if same != request.digest {
        bail!("the approval's digest cannot be made again from the same call");
    }
    let refused = other != request.digest;
    let words = if refused { vec![Word::Error] } else { vec![Word::Allow] };
    let detail = if refused { "the approval is bound to another call" } else { "both calls have one digest" };
    Ok(Observation::new(words, detail))
}

/// Checks that a call rewritten by a hook is decided like any other call.
fn rewritten(stage: &Stage<'_>, command_after: &str) -> anyhow::Result<Observation> {
    let engine = Engine::new(stage.scene, stage.setup)?;
    Ok(match engine.decide_call(&call(&engine, "run_command", &command(command_after))?) {
        EngineDecision::Refused(result) => Observation::new([Word::Error], result.wire_text()),
        EngineDecision::Decided(_, decision) => crate::decide::to_observed(&decision),
    })
}

/// Checks that an answer with another request's id is refused.
async fn answer_other_request(stage: &Stage<'_>, id: &str) -> anyhow::Result<Observation> {
    let engine = Engine::new(stage.scene, stage.setup)?;
    let mut session = Session::for_call(engine, "run_command", &command(HARMLESS), Answers::Yes);
    let id = id.to_owned();
    session.approver =
        Arc::new(Meddling(move |_: &ApprovalRequest| Some(ApprovalDecision::approve(id.clone()))));
    session.stop_at_refused_answer = true;
    let ran = session.run().await?;
    let is_refused = !ran.refused_answers.is_empty() && ran.running.is_empty();
    let words = if is_refused { vec![Word::Error, Word::Ask] } else { Vec::new() };
    Ok(with_counts(Observation::new(words, ran.refused_answers.join("; ")), &ran))
}

/// Checks two calls with the same provider id: the approval of one does not apply to the other.
async fn same_id(stage: &Stage<'_>, id: &str, approved: &str) -> anyhow::Result<Observation> {
    let engine = Engine::new(stage.scene, stage.setup)?;
    let step = |name: &str| json!({"call": {"name": "run_command", "arguments": {"command": format!("touch {name}")}, "id": id}});
    let mut session = Session::for_turns(engine, &[vec![step("first"), step("second")]], Answers::No);
    let answers = match approved {
        "first only" => [true, false],
        "second only" => [false, true],
        "both" => [true, true],
        "none" => [false, false],
        other => bail!("`approve` is `{other}`, which is not known"),
    };
    let asked = AtomicUsize::new(0);
    session.approver = Arc::new(Meddling(move |request: &ApprovalRequest| {
        let id = request.request_id.clone();
        let at = asked.fetch_add(1, Ordering::SeqCst);
        let yes = answers.get(at).copied().unwrap_or(false);
        Some(if yes { ApprovalDecision::approve(id) } else { ApprovalDecision::deny(id, None) })
    }));
    let ran = session.run().await?;
    let made = ["first", "second"].iter().filter(|name| stage.scene.workspace.join(name).exists()).count();
    let observed = Observation::new([Word::Contained], format!("{made} of two commands ran"));
    Ok(with_counts(observed, &ran).with_value("executed", u64::try_from(made)?))
}

/// Checks that an approval is valid only in the workspace where it was given.
fn elsewhere(stage: &Stage<'_>, approved: &str, executed: &str) -> anyhow::Result<Observation> {
    let engine = Engine::new(stage.scene, stage.setup)?;
    let call = call(&engine, "run_command", &command(HARMLESS))?;
    let EngineDecision::Decided(checked, _) = engine.decide_call(&call) else { bail!("the call is refused") };
    let (facts, epoch) = (&checked.facts, engine.policy.epoch());
    let digest = |root| Binding { facts, call: &call, spec: &checked.spec, root, epoch: &epoch }.digest();
    let refused = digest(approved) != digest(executed);
    let words = if refused { vec![Word::Error] } else { vec![Word::Allow] };
    Ok(Observation::new(
        words,
        if refused { "another place has another digest" } else { "one digest for both places" },
    ))
}

/// Determines the grant that an approval for the session gives: each prefix of the command with which another
/// command would run too.
async fn suggest_grant(stage: &Stage<'_>, text: &str) -> anyhow::Result<Observation> {
    let engine = Engine::new(stage.scene, stage.setup)?;
    let facts = |text: &str| match engine.decide_call(&call(&engine, "run_command", &command(text))?) {
        EngineDecision::Decided(checked, _) => Ok(engine.place_facts(checked.facts, engine::now_ms())),
        EngineDecision::Refused(result) => bail!("{}", result.wire_text()),
    };
    let mut grants = Grants::default();
    let yes = ApprovalDecision::approve("request").with_remember();
    let remembered = grants.remember(&facts(text)?, &yes);
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut suggestions = Vec::new();
    for length in 1..words.len() {
        let beginning = words.get(..length).unwrap_or_default();
        if grants.covers(&facts(&format!("{} another.word", beginning.join(" ")))?) {
            suggestions.push(json!(beginning));
        }
    }
    let ran =
        Session::for_call(Engine::new(stage.scene, stage.setup)?, "run_command", &command(text), Answers::No);
    let ran = ran.run().await?;
    let scope = ran.asked.first().context("nothing was asked")?.scope.clone();
    let detail = format!("remembered: {remembered:?}; offered: {scope}; wider: {suggestions:?}");
    Ok(Observation::new([Word::Contained], detail).with_value("suggestions", suggestions))
}

/// Checks that an unreadable store teaches nothing.
fn corrupt(stage: &Stage<'_>, how: &str) -> anyhow::Result<Observation> {
    let mut engine = Engine::new(stage.scene, stage.setup)?;
    let epoch = engine.policy.epoch();
    let whole = ApprovalHistory::new(epoch.clone()).to_text()?;
    let text = match how {
        "truncated JSON" => whole.get(..whole.len() / 2).unwrap_or_default().to_owned(),
        "empty" => String::new(),
        "not JSON" => "approved: everything".to_owned(),
        other => bail!("the store `{other}` is not known"),
    };
    let read = ApprovalHistory::parse(&text, &epoch);
    let refused = read.is_err();
    engine.learned = read.unwrap_or_else(|_| ApprovalHistory::new(epoch));
    let write = call(&engine, "write_file", &json!({"path": "src/new.rs", "content": "x"}).to_string())?;
    let EngineDecision::Decided(_, decision) = engine.decide_call(&write) else {
        bail!("the call is refused")
    };
    let mut observed = crate::decide::to_observed(&decision);
    if !refused {
        observed.words.clear();
        "the damaged store was taken".clone_into(&mut observed.detail);
    }
    Ok(observed)
}

/// Checks that a grant of one session is not valid in the next.
async fn other_session(stage: &Stage<'_>) -> anyhow::Result<Observation> {
    let engine = Engine::new(stage.scene, stage.setup)?;
    let mut first = Session::for_call(engine, "run_command", &command(HARMLESS), Answers::Yes);
    first.approver = Arc::new(Meddling(|request: &ApprovalRequest| {
        Some(ApprovalDecision::approve(request.request_id.clone()).with_remember())
    }));
    let granted = first.run().await?;
    if granted.running.is_empty() {
        bail!("the granted call did not run: {}", granted.observe(Answers::Yes).format_line());
    }
    let engine = Engine::new(stage.scene, stage.setup)?;
    let second = Session::for_call(engine, "run_command", &command(HARMLESS), Answers::No).run().await?;
    Ok(second.observe(Answers::No))
}

/// Approves a command for the session, and runs another command in the same session. The second command is asked about
/// unless the approval covers it.
async fn repeat_call(stage: &Stage<'_>, first: &str, second: &str) -> anyhow::Result<Observation> {
    let engine = Engine::new(stage.scene, stage.setup)?;
    execute::require_confinement(&engine, stage.setup, "run_command", &command(first))?;
    let turns = [first, second].map(|text| vec![engine.step("run_command", &command(text))]);
    let mut session = Session::for_turns(engine, &turns, Answers::No);
    let asked = AtomicUsize::new(0);
    session.approver = Arc::new(Meddling(move |request: &ApprovalRequest| {
        let id = request.request_id.clone();
        let is_first = asked.fetch_add(1, Ordering::SeqCst) == 0;
        Some(if is_first && request.can_remember {
            ApprovalDecision::approve(id).with_remember()
        } else {
            ApprovalDecision::deny(id, None)
        })
    }));
    let ran = session.run().await?;
    let word = match (ran.asked.len(), ran.running.len()) {
        (1, 2) => Word::Allow,
        (2, 1) => Word::Ask,
        // The first command was not offered for the session.
        (2, 0) => Word::Deny,
        (asked, running) => bail!("{asked} questions and {running} calls that ran"),
    };
    Ok(with_counts(Observation::new([word], format!("{} questions", ran.asked.len())), &ran))
}

/// Runs a call with raw arguments of a model, including extra members.
async fn raw(stage: &Stage<'_>, arguments: &str) -> anyhow::Result<Observation> {
    let value: Value = serde_json::from_str(arguments).unwrap_or_default();
    let tool = if value.get("path").is_some() { "read_file" } else { "run_command" };
    let engine = Engine::new(stage.scene, stage.setup)?;
    let ran = Session::for_call(engine, tool, arguments, stage.setup.answers).run().await?;
    Ok(ran.observe(stage.setup.answers))
}

/// Checks that an approver that panics counts as a denial.
async fn crash_approver(stage: &Stage<'_>) -> anyhow::Result<Observation> {
    let engine = Engine::new(stage.scene, stage.setup)?;
    let mut session = Session::for_call(engine, "run_command", &command(HARMLESS), Answers::No);
    session.approver = Arc::new(Crashing);
    let limit = std::time::Duration::from_secs(20);
    let Ok(ran) = tokio::time::timeout(limit, session.run()).await else {
        let waits = "the call still waits for an approver that is gone";
        return Ok(Observation::new([], waits).with_value("executed", 0));
    };
    let ran = ran?;
    let words = if ran.running.is_empty() { vec![Word::Deny] } else { vec![Word::Allow] };
    Ok(with_counts(Observation::new(words, "the approver broke down"), &ran))
}

/// Checks that the approval of an edit is stale if the file has changed since.
async fn change_on_disk(stage: &Stage<'_>) -> anyhow::Result<Observation> {
    let engine = Engine::new(stage.scene, stage.setup)?;
    let path = stage.scene.workspace.join("src/a.rs");
    let change = if engine.has("apply_patch") {
        let text =
            "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-fn a() {}\n+fn approved() {}\n*** End Patch";
        engine.step("apply_patch", &json!({"patch": text}).to_string())
    } else {
        let edit = json!({"path": "src/a.rs", "old_text": "fn a() {}", "new_text": "fn approved() {}"});
        engine.step("edit_file", &edit.to_string())
    };
    let read = json!({"call": {"name": "read_file", "arguments": {"path": "src/a.rs"}}});
    let mut session = Session::for_turns(engine, &[vec![read], vec![change]], Answers::Yes);
    let file = path.clone();
    session.approver = Arc::new(Meddling(move |request: &ApprovalRequest| {
        fs::write(&file, "// somebody else was here\nfn a() {}\n").ok()?;
        Some(ApprovalDecision::approve(request.request_id.clone()))
    }));
    let ran = session.run().await?;
    let kept = fs::read_to_string(&path)?.contains("somebody else")
        && !fs::read_to_string(&path)?.contains("approved");
    let refused = ran.results.last().is_some_and(|result| !result.status.is_ok()) && !ran.asked.is_empty();
    let words = if kept && refused { vec![Word::Error] } else { vec![Word::Allow] };
    let detail = ran.results.last().map(windlass_protocol::ToolResult::wire_text).unwrap_or_default();
    Ok(with_counts(Observation::new(words, detail), &ran))
}

fn with_counts(observed: Observation, ran: &SessionResult) -> Observation {
    let executed = u64::try_from(ran.running.len()).unwrap_or(u64::MAX);
    observed.with_value("executed", executed)
}
