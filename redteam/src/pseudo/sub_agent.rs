//! Cases about sub-agents: their tools, their number, and the scope of an approval.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_journal::MemoryJournals;
use windlass_protocol::{Effect, Request};
use windlass_stream::{Model, ModelFuture};
use windlass_subagent::{AgentDefinition, ModelSource, SourcedModel, SubAgents};

use crate::case::Stage;
use crate::catalogue::Word;
use crate::engine::Engine;
use crate::model::Speaker;
use crate::observed::Observation;
use crate::session::{Meddling, Session, SessionResult};
use crate::setup::Answers;

const KNOWN: &[&str] = &["tools", "parent_tools", "spawn", "child_always_allow", "child_writes"];
const CHILD: &str = "child";
/// The duration of a sub-agent's answer while answers are counted. It makes concurrent sub-agents overlap.
const ANSWER: Duration = Duration::from_millis(5);

pub(super) async fn run(stage: &Stage<'_>) -> anyhow::Result<Observation> {
    let members = super::members(stage, KNOWN)?;
    if let Some(tools) = members.get("tools") {
        let parents = members.get("parent_tools").context("the input has no `parent_tools`")?;
        more_tools(stage, &names(tools)?, &names(parents)?).await
    } else if let Some(count) = members.get("spawn") {
        many(stage, usize::try_from(count.as_u64().context("`spawn` is a number")?)?).await
    } else if let Some(call) = members.get("child_always_allow") {
        grant_by_child(stage, super::text(call.as_object().context("a call")?, "command")?).await
    } else if members.contains_key("child_writes") {
        writes(stage, super::text(members, "child_writes")?).await
    } else {
        bail!("the words of the input describe no action");
    }
}

fn names(value: &Value) -> anyhow::Result<Vec<String>> {
    serde_json::from_value(value.clone()).context("a list of tools")
}

/// The model of all children: each gets the same turns.
struct Same(Arc<dyn Model>);

impl ModelSource for Same {
    fn model(&self, name: &str) -> Option<SourcedModel> {
        Some(SourcedModel::new(self.0.clone(), name))
    }
}

/// Creates the engine with a child whose model makes these turns.
fn engine(
    stage: &Stage<'_>,
    child: AgentDefinition,
    model: Arc<dyn Model>,
) -> anyhow::Result<(Engine, SubAgents)> {
    let agents = SubAgents::new(MemoryJournals::default())
        .with_models(Same(model))
        .with_agent(child.with_model(CHILD))?;
    Ok((Engine::with_tools(stage.scene, stage.setup, agents.tools())?, agents))
}

fn child() -> anyhow::Result<AgentDefinition> {
    Ok(AgentDefinition::new(CHILD, "Does what it is told.", "Do what you are told.")?)
}

fn hand(number: usize) -> Value {
    let id = format!("hand_{number}");
    json!({"call": {"name": "sub_agent_child", "arguments": {"task": format!("task {number}")}, "id": id}})
}

fn command(text: &str, id: &str) -> Value {
    json!({"call": {"name": "run_command", "arguments": {"command": text}, "id": id}})
}

/// Creates an approver that approves delegation, and decides everything else with `otherwise`.
fn only_to_hand_on(
    otherwise: impl Fn(&ApprovalRequest) -> ApprovalDecision + Send + Sync + 'static,
) -> Arc<Meddling<impl Fn(&ApprovalRequest) -> Option<ApprovalDecision> + Send + Sync>> {
    Arc::new(Meddling(move |request: &ApprovalRequest| {
        let hands_on = request.effects.iter().all(|effect| matches!(effect, Effect::Spawn { .. }));
        Some(if hands_on {
            ApprovalDecision::approve(request.request_id.clone())
        } else {
            otherwise(request)
        })
    }))
}

fn no(request: &ApprovalRequest) -> ApprovalDecision {
    ApprovalDecision::deny(request.request_id.clone(), None)
}

fn yes(request: &ApprovalRequest) -> ApprovalDecision {
    ApprovalDecision::approve(request.request_id.clone())
}

/// Defines a child with more tools than its caller has.
async fn more_tools(stage: &Stage<'_>, tools: &[String], parents: &[String]) -> anyhow::Result<Observation> {
    let calls = tools.iter().enumerate().map(|(at, tool)| {
        json!({"call": {"name": tool, "arguments": {"command": "touch escaped"}, "id": format!("call_{at}")}})
    });
    let model = Speaker::new(&[calls.collect()])?;
    let (mut engine, _) = engine(stage, child()?.with_tools(tools.iter().cloned()), Arc::new(model))?;
    let given = parents.iter().cloned().chain(["sub_agent_child".to_owned()]);
    engine.toolbox = engine.toolbox.only(given);
    let mut session = Session::for_turns(engine, &[vec![hand(1)]], Answers::Yes);
    session.approver = only_to_hand_on(yes);
    let ran = session.run().await?;
    let statuses = ran.events_below("call_ended").filter_map(|event| event["result"]["status"].as_str());
    let statuses: Vec<&str> = statuses.collect();
    let escaped = stage.scene.workspace.join("escaped").exists();
    let words = match statuses.as_slice() {
        _ if escaped => vec![Word::Allow],
        [] => Vec::new(),
        all if all.iter().all(|status| *status == "denied") => vec![Word::Deny],
        all if all.iter().all(|status| *status != "ok") => vec![Word::Error],
        _ => vec![Word::Allow],
    };
    Ok(Observation::new(words, format!("the child's calls: {}", statuses.join(", "))))
}

/// A model that counts concurrent answers.
struct CountingModel {
    inner: Speaker,
    now: AtomicUsize,
    most: AtomicUsize,
    all: AtomicUsize,
}

impl Model for CountingModel {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(async move {
            let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
            self.all.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(ANSWER).await;
            self.now.fetch_sub(1, Ordering::SeqCst);
            self.inner.stream(request).await
        })
    }
}

/// Starts many children in one answer.
async fn many(stage: &Stage<'_>, count: usize) -> anyhow::Result<Observation> {
    let inner = Speaker::new(&[])?;
    let (now, most, all) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let model = Arc::new(CountingModel { inner, now, most, all });
    let (engine, _) = engine(stage, child()?, model.clone())?;
    let mut session = Session::for_turns(engine, &[(0..count).map(hand).collect()], Answers::Yes);
    session.approver = only_to_hand_on(no);
    let ran = session.run().await?;
    let (most, all) = (model.most.load(Ordering::SeqCst), model.all.load(Ordering::SeqCst));
    let detail = format!("{all} children of {count} worked, {most} at once at the most");
    let words = if all == 0 { Vec::new() } else { vec![Word::Contained] };
    Ok(Observation::new(words, detail)
        .with_value("max_running", u64::try_from(most)?)
        .with_value("results", u64::try_from(ran.results.len())?))
}

/// Lets a child's command be approved permanently; then its caller runs the same command.
async fn grant_by_child(stage: &Stage<'_>, text: &str) -> anyhow::Result<Observation> {
    let setup = stage.setup.with_questions();
    let stage = &Stage { setup: &setup, ..*stage };
    let model = Speaker::new(&[vec![command(text, "child_call")]])?;
    let (engine, _) = engine(stage, child()?, Arc::new(model))?;
    let turns = [vec![hand(1)], vec![command(text, "parent_call")]];
    let mut session = Session::for_turns(engine, &turns, Answers::Yes);
    session.approver = only_to_hand_on(|request| {
        let mut always = yes(request).with_remember();
        always.always_allow = true;
        always
    });
    let ran = session.run().await?;
    let shown: Vec<ApprovalRequest> =
        ran.events_below("tool_approval_request").filter_map(request_of).collect();
    let origin_shown = !shown.is_empty() && shown.iter().all(|request| request.describe().contains(CHILD));
    let own = ran.asked.iter().find(|request| request.call.id.as_str() == "parent_call");
    let ran_it = ran.running.iter().any(|call| call.as_str() == "parent_call");
    let words = match own {
        Some(_) => vec![Word::Ask],
        None if ran_it => vec![Word::Allow],
        None => vec![Word::Error],
    };
    let detail = format!("the child was asked about {} calls; its caller: {}", shown.len(), own.is_some());
    Ok(Observation::new(words, detail)
        .with_prompts(shown.iter().map(ApprovalRequest::describe))
        .with_value("origin_shown", origin_shown))
}

/// Lets a child write to a path that requires an approval.
async fn writes(stage: &Stage<'_>, path: &str) -> anyhow::Result<Observation> {
    let call =
        json!({"call": {"name": "write_file", "arguments": {"path": path, "content": "x"}, "id": "w"}});
    let (engine, _) = engine(stage, child()?, Arc::new(Speaker::new(&[vec![call]])?))?;
    let mut session = Session::for_turns(engine, &[vec![hand(1)]], Answers::No);
    session.approver = only_to_hand_on(no);
    let ran = session.run().await?;
    let asked: Vec<ApprovalRequest> =
        ran.events_below("tool_approval_request").filter_map(request_of).collect();
    let status = ran
        .events_below("call_ended")
        .find_map(|event| event["result"]["status"].as_str().map(str::to_owned));
    let words = match (asked.is_empty(), status.as_deref()) {
        (false, _) => vec![Word::Ask],
        (true, Some("denied")) => vec![Word::Deny],
        (true, Some("ok")) => vec![Word::Allow],
        (true, Some(_)) => vec![Word::Error],
        (true, None) => Vec::new(),
    };
    let detail = status.unwrap_or_else(|| "no result".to_owned());
    Ok(Observation::new(words, detail).with_prompts(asked.iter().map(ApprovalRequest::describe)))
}

fn request_of(event: &Value) -> Option<ApprovalRequest> {
    serde_json::from_value(event.get("request")?.clone()).ok()
}

impl SessionResult {
    /// Returns the events of one kind from agents below.
    fn events_below<'r>(&'r self, kind: &'r str) -> impl Iterator<Item = &'r Value> {
        self.below.iter().filter(move |event| event.get("event").and_then(Value::as_str) == Some(kind))
    }
}
