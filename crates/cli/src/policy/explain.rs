//! `windlass policy explain` and `policy test`: decide about hypothetical calls.

use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;
use windlass_hitl::{Decision, TraceEntry, display_safe};
use windlass_protocol::{ResultStatus, Risk, ToolResult};

use super::decider::{AskedCall, Decider};
use crate::{input, output};

#[derive(Serialize)]
struct Explanation<'a> {
    tool: &'a str,
    decision: String,
    rule_id: String,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    risk: Option<Risk>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    trace: &'a [TraceEntry],
}

impl<'a> Explanation<'a> {
    fn new(asked: &'a AskedCall, decided: &'a Result<Decision, ToolResult>) -> Self {
        let tool = asked.tool.as_str();
        match decided {
            Ok(decision) => Self {
                tool,
                decision: decision.verdict.to_string(),
                rule_id: decision.reason.rule_id.clone(),
                reason: decision.reason.text.clone(),
                risk: Some(decision.risk),
                trace: &decision.trace,
            },
            // A call that is refused before policy receives it counts as invalid.
            Err(result) => {
                let is_unknown = result.status == ResultStatus::UnknownTool;
                Self {
                    tool,
                    decision: "deny".to_owned(),
                    rule_id: if is_unknown { "v.unknown_tool" } else { "v.schema" }.to_owned(),
                    reason: result.display_text(),
                    risk: None,
                    trace: &[],
                }
            }
        }
    }
}

pub(crate) fn explain(decider: &Decider, file: &Path) -> anyhow::Result<ExitCode> {
    for asked in AskedCall::read(&input::text(file)?) {
        let (_, asked) = asked?;
        output::line(&Explanation::new(&asked, &decider.decide(&asked)?))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Decides about each call, and compares the decision with the expected one.
pub(crate) fn test(decider: &Decider, file: &Path) -> anyhow::Result<ExitCode> {
    let (mut passed, mut failed) = (0_usize, 0_usize);
    for asked in AskedCall::read(&input::text(file)?) {
        let (number, asked) = asked?;
        anyhow::ensure!(
            asked.expect.is_some() || asked.rule.is_some(),
            "line {number} has neither `expect` nor `rule`"
        );
        let outcome = decider.decide(&asked)?;
        let told = Explanation::new(&asked, &outcome);
        let is_met = asked.expect.as_ref().is_none_or(|expected| *expected == told.decision)
            && asked.rule.as_ref().is_none_or(|rule| *rule == told.rule_id);
        if is_met {
            passed = passed.saturating_add(1);
            continue;
        }
        failed = failed.saturating_add(1);
        output::print(&format!(
            "line {number}: {} is {} by {}, and not {} by {}\n",
            display_safe(&asked.tool),
            told.decision,
            told.rule_id,
            display_safe(asked.expect.as_deref().unwrap_or("anything")),
            display_safe(asked.rule.as_deref().unwrap_or("any rule")),
        ))?;
    }
    output::print(&format!("{passed} passed, {failed} failed\n"))?;
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
