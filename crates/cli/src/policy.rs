//! `windlass policy`: what the policy says about calls, without running anything.

use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use windlass_hitl::{Decision, Grants, Learned, Step, decide, display_safe};
use windlass_protocol::{Arguments, CallId, ResultStatus, Risk, ToolCall, ToolName, ToolResult};
use windlass_toolbox::Toolbox;

use crate::arguments::{Policy, PolicyCommand, PresetName};
use crate::drive::Telling;
use crate::lessons::LessonFile;
use crate::{input, output, setup};

pub(crate) fn policy(arguments: Policy) -> anyhow::Result<ExitCode> {
    match arguments.command {
        PolicyCommand::Explain { root, policy, file, json: _ } => explain(&root, policy.as_deref(), &file),
        PolicyCommand::Learned { root, policy, revoke, json } => {
            learned(&root, policy.as_deref(), revoke.as_deref(), Telling::of(json))
        }
    }
}

/// Lists what was learned in a workspace, or takes a lesson back.
fn learned(
    root: &Path,
    policy: Option<&Path>,
    revoke: Option<&str>,
    telling: Telling,
) -> anyhow::Result<ExitCode> {
    let root = setup::root(root)?;
    let file = LessonFile::of(&root)?;
    let mut learned = file.load(&setup::policy(&root, policy)?);
    if let Some(id) = revoke {
        anyhow::ensure!(learned.revoke(id), "there is no lesson {id}");
        file.save(&learned);
    }
    let now_ms = u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis())?;
    for (id, lesson) in learned.lessons() {
        let state = match (lesson.is_over(now_ms), lesson.suspended, lesson.is_active(now_ms)) {
            (true, ..) => "over".to_owned(),
            (_, 1.., _) => format!("suspended, {} approvals to come", lesson.suspended),
            (_, _, true) => "runs without a question".to_owned(),
            _ => "asks".to_owned(),
        };
        if telling == Telling::Json {
            output::line(&json!({ "id": id, "lesson": lesson, "state": state }))?;
            continue;
        }
        let counts = format!("{} of {} approved", lesson.approvals, lesson.total);
        output::print(&format!(
            "{id}  {} {}: {counts}; {state}\n",
            lesson.tool,
            display_safe(&lesson.shape)
        ))?;
    }
    if learned.lessons().next().is_none() {
        output::note("nothing is learned here yet");
    }
    Ok(ExitCode::SUCCESS)
}

/// A call as `policy explain` reads it: `{"tool", "input"}`, or `{"name", "arguments"}` as other commands
/// print it, with arguments as JSON or as a text of JSON.
#[derive(Deserialize)]
struct Asked {
    #[serde(alias = "name")]
    tool: String,
    #[serde(alias = "arguments", default)]
    input: Value,
}

#[derive(Serialize)]
struct Explained<'a> {
    tool: &'a str,
    decision: String,
    rule_id: &'a str,
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    risk: Option<Risk>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    trace: &'a [Step],
}

fn explain(root: &Path, policy: Option<&Path>, file: &Path) -> anyhow::Result<ExitCode> {
    let root = setup::root(root)?;
    let policy = setup::policy(&root, policy)?;
    let toolbox = setup::toolbox(&root, None, PresetName::Full)?;
    let text = input::text(file)?;
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let asked: Asked = serde_json::from_str(line)
            .with_context(|| format!("line {} is not a call", number.saturating_add(1)))?;
        match judge(&toolbox, &policy, &asked)? {
            Ok(decision) => told(&asked, &decision)?,
            Err(result) => refused(&asked, &result)?,
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn judge(
    toolbox: &Toolbox,
    policy: &windlass_hitl::Policy,
    asked: &Asked,
) -> anyhow::Result<Result<Decision, ToolResult>> {
    let id = CallId::new("explain")?;
    let text = match &asked.input {
        Value::Null => "{}".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let arguments = match Arguments::parse(text) {
        Ok(arguments) => arguments,
        Err(error) => {
            return Ok(Err(ToolResult::text(id, ResultStatus::InvalidArguments, error.to_string())));
        }
    };
    let Ok(name) = ToolName::new(asked.tool.clone()) else {
        return Ok(Err(ToolResult::text(id, ResultStatus::UnknownTool, "the name cannot be a tool's")));
    };
    let call = ToolCall::function(id, name, arguments);
    Ok(toolbox
        .check(&call)
        .map(|checked| decide(policy, &Grants::default(), &Learned::default(), &checked.facts))
        .map_err(|result| *result))
}

fn told(asked: &Asked, decision: &Decision) -> anyhow::Result<()> {
    output::line(&Explained {
        tool: &asked.tool,
        decision: decision.verdict.to_string(),
        rule_id: &decision.reason.rule_id,
        reason: &decision.reason.text,
        risk: Some(decision.risk),
        trace: &decision.trace,
    })
}

/// A call that is refused before policy sees it: stage 0, validity.
fn refused(asked: &Asked, result: &ToolResult) -> anyhow::Result<()> {
    let rule_id = if result.status == ResultStatus::UnknownTool { "v.unknown_tool" } else { "v.schema" };
    output::line(&Explained {
        tool: &asked.tool,
        decision: "deny".to_owned(),
        rule_id,
        reason: &result.wire_text(),
        risk: None,
        trace: &[],
    })
}
