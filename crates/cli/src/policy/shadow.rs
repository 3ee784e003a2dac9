//! `windlass policy shadow`: applies another policy to recorded runs, and lists the changed decisions.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::json;
use windlass_agent::Entry;
use windlass_app::policies::load_policy;
use windlass_app::{App, resolve_root};
use windlass_hitl::{ApprovalHistory, Decision, Grants, Policy, PolicyInput, Verdict, decide, display_safe};
use windlass_journal::{FileJournal, Record};
use windlass_protocol::{CallId, Payload};

use crate::drive::Telling;
use crate::output;

/// Numbers of repeated decisions, of changed ones, and of those that were recorded without facts.
#[derive(Default)]
struct Count {
    decisions: usize,
    changed: usize,
    without_facts: usize,
}

pub(crate) fn shadow(
    app: &App,
    root: &Path,
    candidate: &Path,
    journals: &[PathBuf],
    telling: Telling,
) -> anyhow::Result<ExitCode> {
    let policy = load_policy(app, &resolve_root(root)?, Some(candidate))?;
    let mut count = Count::default();
    for journal in journals {
        let path = path_of(app, journal)?;
        let records = FileJournal::read(&path)?;
        let entries = records.iter().map(Record::read::<Entry>).collect::<Result<Vec<_>, _>>();
        let entries = entries.with_context(|| format!("{} is not the journal of a run", path.display()))?;
        shadow_run(&policy, &path, entries, telling, &mut count)?;
    }
    let Count { decisions, changed, without_facts } = count;
    if telling == Telling::Json {
        output::line(&json!({ "decisions": decisions, "changed": changed, "without_facts": without_facts }))?;
    } else {
        output::print(&format!(
            "{decisions} decisions, {changed} would change, {without_facts} recorded without their facts\n"
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the path of a journal, given as a path or as the id of its run.
fn path_of(app: &App, journal: &Path) -> anyhow::Result<PathBuf> {
    if journal.is_file() {
        return Ok(journal.to_owned());
    }
    let id = journal.to_str().context("this is neither a journal nor the id of a run")?;
    Ok(app.find_run(id)?.journal())
}

fn shadow_run(
    policy: &Policy,
    path: &Path,
    entries: Vec<Entry>,
    telling: Telling,
    count: &mut Count,
) -> anyhow::Result<()> {
    let mut payloads: HashMap<CallId, Payload> = HashMap::new();
    for entry in entries {
        match entry {
            Entry::Answered { message, .. } => {
                payloads.extend(message.calls().map(|call| (call.id.clone(), call.payload.clone())));
            }
            Entry::Decided { call, decision, facts } => {
                let (Some(facts), Some(payload)) = (facts, payloads.get(&call)) else {
                    count.without_facts = count.without_facts.saturating_add(1);
                    continue;
                };
                count.decisions = count.decisions.saturating_add(1);
                let facts = facts.with_payload(payload.clone());
                let now = decide(policy, &Grants::default(), &ApprovalHistory::default(), &facts);
                if is_changed(&decision, &now) {
                    count.changed = count.changed.saturating_add(1);
                    tell(path, &call, &facts, &decision, &now, telling)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns true if the verdict differs. A call that a human allowed for the session or by a learned
/// permission counts as unchanged if the other policy only asks and can remember the answer: the permission
/// would then apply there, too.
fn is_changed(before: &Decision, now: &Decision) -> bool {
    let by_human = before.reason.rule_id.starts_with("g.") || before.reason.rule_id.starts_with("l.");
    let may_hold = now.verdict == Verdict::Ask && now.can_remember();
    before.verdict != now.verdict && !(by_human && may_hold)
}

fn tell(
    path: &Path,
    call: &CallId,
    facts: &PolicyInput,
    before: &Decision,
    now: &Decision,
    telling: Telling,
) -> anyhow::Result<()> {
    if telling == Telling::Json {
        return output::line(&json!({
            "journal": path,
            "call": call,
            "tool": facts.tool,
            "before": before.verdict,
            "before_rule": before.reason.rule_id,
            "now": now.verdict,
            "now_rule": now.reason.rule_id,
        }));
    }
    let about = now.trace.last().map_or("", |step| step.about.as_str());
    output::print(&format!(
        "{} {}: {} by {} -> {} by {}  {}\n",
        call,
        facts.tool,
        before.verdict,
        before.reason.rule_id,
        now.verdict,
        now.reason.rule_id,
        display_safe(about)
    ))
}
