//! Cases about the policy engine alone: rules, modes, constraints and lessons are in the input.

use std::collections::BTreeSet;

use anyhow::{Context as _, bail};
use serde_json::{Map, Value};
use windlass_hitl::{ApprovalHistory, AskOutcome, Autonomy, Grants, Policy, RuleFile, Source, decide};
use windlass_protocol::{Effect, Hints, ToolCall, ToolName};
use windlass_testkit::split::SplitMix64;

use crate::case::Stage;
use crate::catalogue::Word;
use crate::decide as decided;
use crate::engine::{Engine, EngineDecision, now_ms};
use crate::observed::{Observation, skip};
use crate::setup::{EarlierAnswers, RuleWords, Setup};
use crate::{rules, words};

const DAY_MS: u64 = 24 * 60 * 60 * 1000;
const KNOWN: &[&str] = &[
    "rules",
    "source",
    "mode",
    "learned",
    "call",
    "headless",
    "constraint",
    "shuffle_rules",
    "clock_jump_back_s",
    "expired_grant",
];

pub(super) fn run(stage: &Stage<'_>) -> anyhow::Result<Observation> {
    let members = super::members(stage, KNOWN)?;
    let setup = setup(stage, members)?;
    let observed = decide_with(stage, members, &setup)?;
    // The example of a question is none under a sandbox (decision 144); the case is about what follows from a question.
    if observed.rule.as_deref() == Some("d.reads") {
        return decide_with(stage, members, &setup.with_questions());
    }
    Ok(observed)
}

fn decide_with(
    stage: &Stage<'_>,
    members: &Map<String, Value>,
    setup: &Setup,
) -> anyhow::Result<Observation> {
    let mut engine = Engine::new(stage.scene, setup)?;
    engine.policy = policy(stage, members, &setup.rules)?;
    engine.learned = ApprovalHistory::new(engine.policy.epoch());
    engine.mode = mode(members)?;
    let (tool, arguments) = parse_call(members)?;
    if let Some(count) = members.get("shuffle_rules") {
        let count = count.as_u64().context("`shuffle_rules` is a number")?;
        return decide_shuffled(stage, &engine, (&tool, &arguments), &setup.rules, count);
    }
    let call = match engine.call(&tool, &arguments)? {
        Ok(call) => call,
        Err(result) => return Ok(Observation::new([Word::Error], result.wire_text())),
    };
    if let Some(seconds) = members.get("clock_jump_back_s") {
        let seconds = seconds.as_u64().context("`clock_jump_back_s` is a number")?;
        return clock(&mut engine, &call, seconds);
    }
    if tool.starts_with("mcp__") {
        return remote(&mut engine, &setup.heard, &call);
    }
    engine.teach(&setup.heard, &call)?;
    let observed = match engine.decide_call(&call) {
        EngineDecision::Refused(_) if !engine.has(&tool) && !words::is_misspelt(&engine.toolbox, &tool) => {
            return skip(format!("the tool {tool} does not exist yet"));
        }
        EngineDecision::Refused(result) => Observation::new([Word::Error], result.wire_text()),
        EngineDecision::Decided(_, decision) => decided::to_observed(&decision),
    };
    Ok(observed)
}

fn setup(stage: &Stage<'_>, members: &Map<String, Value>) -> anyhow::Result<Setup> {
    let mut inline = Map::new();
    for word in ["rules", "learned"] {
        if let Some(value) = members.get(word) {
            inline.insert(word.to_owned(), value.clone());
        }
    }
    let setups = Map::from_iter([("inline".to_owned(), Value::Object(inline))]);
    let mut setup = Setup::read(&setups, "inline", str::to_owned)?;
    setup.rules.splice(0..0, stage.setup.rules.iter().cloned());
    Ok(setup)
}

/// Returns a policy with the rules of the input, from the source that it names. If a project's file has a rule that
/// is only permitted to users, the whole file is refused.
fn policy(stage: &Stage<'_>, members: &Map<String, Value>, rules: &[RuleWords]) -> anyhow::Result<Policy> {
    let mut file: RuleFile = rules::parse(&rules::text(rules, &stage.scene.workspace)?)?;
    if let Some(constraint) = members.get("constraint") {
        file.constraints.extend(constraints(constraint)?.constraints);
    }
    let source = match members.get("source").map(|source| source.as_str()) {
        None | Some(Some("user")) => Source::User,
        Some(Some("project")) => Source::Project,
        Some(other) => bail!("the source {other:?} is not known"),
    };
    let policy = Policy::default().with_file(source, file);
    match policy {
        Err(_) if source == Source::Project => Ok(Policy::default()),
        policy => policy.context("the engine does not take the rules"),
    }
}

/// Converts a constraint to the engine's form. The engine applies constraints by effect and not by tool, so
/// `tools` is ignored.
fn constraints(value: &Value) -> anyhow::Result<RuleFile> {
    let members = value.as_object().context("`constraint` is an object")?;
    let mut table = toml::Table::new();
    for (word, value) in members {
        match word.as_str() {
            "tools" => {}
            "max_bytes" | "blocked" | "paths" | "extensions" | "hosts" | "ports" => {
                table.insert(word.clone(), toml::Value::try_from(value)?);
            }
            _ => bail!("the word `{word}` of a constraint is not known"),
        }
    }
    table.insert("id".to_owned(), "constraint-1".into());
    let is_network = ["hosts", "ports"].iter().any(|word| members.contains_key(*word));
    table.insert("effect".to_owned(), if is_network { "network" } else { "write" }.into());
    let list = toml::Value::Array(vec![toml::Value::Table(table)]);
    rules::parse(&toml::to_string(&toml::Table::from_iter([("constraint".to_owned(), list)]))?)
}

fn mode(members: &Map<String, Value>) -> anyhow::Result<Autonomy> {
    let headless = members.get("headless").is_some_and(|value| value == &Value::Bool(true));
    Ok(match members.get("mode").map(|mode| mode.as_str()) {
        None if headless => Autonomy::Headless,
        None | Some(Some("ask")) => Autonomy::Ask,
        Some(Some("auto_approve" | "auto" | "auto_edit")) => Autonomy::AutoEdit,
        Some(Some("read_only")) => Autonomy::ReadOnly,
        Some(Some("headless")) => Autonomy::Headless,
        Some(other) => bail!("the mode {other:?} is not known"),
    })
}

/// Returns the decided call, which is a command unless the input names a tool.
fn parse_call(members: &Map<String, Value>) -> anyhow::Result<(String, String)> {
    let Some(call) = members.get("call") else {
        return Ok(("run_command".to_owned(), r#"{"command":"ls"}"#.to_owned()));
    };
    let mut call = call.as_object().context("`call` is an object")?.clone();
    let tool = match call.remove("tool") {
        None => "run_command".to_owned(),
        Some(tool) => tool.as_str().context("`tool` is a text")?.to_owned(),
    };
    let (arguments, _) = words::arguments(&tool, &Value::Object(call).to_string());
    Ok((tool, arguments))
}

/// Decides about a call of an MCP server's tool by its effect, without a server.
fn remote(engine: &mut Engine, heard: &[EarlierAnswers], call: &ToolCall) -> anyhow::Result<Observation> {
    let (server, tool) = call
        .name
        .as_str()
        .strip_prefix("mcp__")
        .and_then(|name| name.split_once("__"))
        .context("a server")?;
    let (server, tool) = (server.to_owned(), tool.to_owned());
    let effect = Effect::Mcp { server, tool, fingerprint: "0".repeat(64), known: true };
    let facts = windlass_hitl::PolicyInput::new(call.name.clone(), Hints::default(), call, vec![effect]);
    let facts = engine.place_facts(facts, now_ms());
    for heard in
        heard.iter().filter(|heard| heard.tool.as_deref().is_none_or(|tool| tool == call.name.as_str()))
    {
        engine.hear(heard, &facts);
    }
    Ok(decided::to_observed(&decide(&engine.policy, &Grants::default(), &engine.learned, &facts)))
}

/// Decides about a call with the rules in many orders. The decision and its rule must always be the same.
fn decide_shuffled(
    stage: &Stage<'_>,
    engine: &Engine,
    (tool, arguments): (&str, &str),
    given: &[RuleWords],
    count: u64,
) -> anyhow::Result<Observation> {
    let call = engine.call(tool, arguments)?;
    let call = call.map_err(|result| anyhow::anyhow!("{}", result.wire_text()))?;
    let EngineDecision::Decided(checked, _) = engine.decide_call(&call) else { bail!("the call is refused") };
    let facts = engine.place_facts(checked.facts, now_ms());
    let mut file = if given.is_empty() {
        rules::parse(MANY)?
    } else {
        rules::parse(&rules::text(given, &stage.scene.workspace)?)?
    };
    let mut random = SplitMix64::new(now_ms());
    let mut outcomes = BTreeSet::new();
    let mut observed = Observation::default();
    for _ in 0..count {
        for last in (1..file.rules.len()).rev() {
            file.rules.swap(last, random.in_range(0, last));
        }
        let policy = Policy::default().with_file(Source::User, file.clone())?;
        let decision = decide(&policy, &Grants::default(), &ApprovalHistory::default(), &facts);
        outcomes
            .insert(format!("{} {:?} {}", decision.verdict, decision.reason.source, decision.reason.rule_id));
        observed.words.extend(decided::to_observed(&decision).words);
    }
    observed.detail = outcomes.iter().cloned().collect::<Vec<_>>().join(", ");
    Ok(observed.with_value("distinct_outcomes", u64::try_from(outcomes.len())?))
}

/// Rules of which several match `ls`, and several match no call.
const MANY: &str = r#"
rule = [
  { id = "list", action = "allow", tool = "run_command", argv = ["ls"] },
  { id = "also-list", action = "allow", tool = "run_command", argv = ["ls"] },
  { id = "show", action = "allow", tool = "run_command", argv = ["cat"] },
  { id = "no-removal", action = "deny", tool = "run_command", argv = ["rm"] },
  { id = "no-push", action = "deny", tool = "run_command", argv = ["git", "push"] },
  { id = "ask-writes", action = "ask", effect = "write", path = "docs/**" },
  { id = "source", action = "allow", effect = "write", path = "src/**" },
  { id = "fetch", action = "allow", effect = "network", host = "docs.rs" },
]
"#;

/// Checks that an expired lesson stays expired, even if the clock is set back.
fn clock(engine: &mut Engine, call: &ToolCall, back_s: u64) -> anyhow::Result<Observation> {
    // A command is never learned, so use a call that can be.
    let call = if call.name.as_str() == "run_command" {
        let arguments = windlass_protocol::Arguments::parse(r#"{"path":"src/a.rs","content":"x"}"#)?;
        ToolCall::function(call.id.clone(), ToolName::new("write_file")?, arguments)
    } else {
        call.clone()
    };
    let EngineDecision::Decided(checked, _) = engine.decide_call(&call) else { bail!("the call is refused") };
    let begin = now_ms();
    let at = |engine: &Engine, ms: u64| engine.place_facts(checked.facts.clone(), ms);
    for _ in 0..3 {
        let facts = at(engine, begin);
        engine.learned.record(&facts, AskOutcome::Approved);
    }
    let decided = |engine: &Engine, ms: u64| {
        decide(&engine.policy, &Grants::default(), &engine.learned, &at(engine, ms))
    };
    let fresh = decided(engine, begin);
    if fresh.verdict != windlass_hitl::Verdict::Allow {
        bail!("the lesson does not hold while it is fresh: {}", fresh.reason.rule_id);
    }
    let over = begin.saturating_add(30 * DAY_MS).saturating_add(1000);
    let expired = decided(engine, over);
    if expired.verdict == windlass_hitl::Verdict::Allow {
        return Ok(decided::to_observed(&expired));
    }
    // The question that is asked instead stays unanswered, which lets the engine record the later time.
    let facts = at(engine, over);
    engine.learned.record(&facts, AskOutcome::Unanswered);
    Ok(decided::to_observed(&decided(engine, over.saturating_sub(back_s.saturating_mul(1000)))))
}
