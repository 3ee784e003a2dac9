//! Effect of the autonomy: read-only runs deny at the stage of constraints, and the autonomy decides at the
//! last stage, if no rule applies.

use windlass_protocol::Effect;

use crate::part::{Origin, Part};
use crate::place::Place;
use crate::reading::{Hindrance, hindrance};
use crate::{Autonomy, PolicyInput, Reason, Source, Stage, TraceEntry, Verdict};

/// Returns the reason to deny a part in a read-only run. No rule lifts this denial.
pub(crate) fn read_only(facts: &PolicyInput, part: &Part<'_>) -> Option<Reason> {
    if facts.autonomy != Autonomy::ReadOnly || part.origin == Origin::Command {
        return None;
    }
    let reads = match part.effect.as_ref() {
        Effect::Read { .. } | Effect::ReadTree { .. } | Effect::Internal => true,
        Effect::Execute { .. } => part.reading.as_ref().is_some_and(|reading| reading.reads_only(true)),
        _ => false,
    };
    (!reads).then(|| Reason::new("d.read_only", Source::Builtin, "this run is read-only"))
}

/// Decides a part at the last stage, if no rule, grant or learned approval applies.
pub(crate) fn decide_by_autonomy(facts: &PolicyInput, part: &Part<'_>) -> TraceEntry {
    let (verdict, id, text) = match facts.autonomy {
        Autonomy::Headless => {
            (Verdict::Deny, "d.headless", "no rule allows this, and no approver is available")
        }
        _ if part.reads_confined(facts) => (Verdict::Allow, "d.reads", "it only reads, and is confined"),
        Autonomy::AutoEdit if edits(part) => {
            (Verdict::Allow, "d.auto", "a file inside the workspace is changed")
        }
        _ => (Verdict::Ask, "d.ask", ask_text(part)),
    };
    part.to_entry(Stage::Autonomy, verdict, Reason::new(id, Source::Builtin, text))
}

/// Returns whether the tool itself writes a file in the workspace: such a change is shown as a diff and
/// recorded.
fn edits(part: &Part<'_>) -> bool {
    matches!(part.effect.as_ref(), Effect::Write { .. })
        && part.origin != Origin::Command
        && part.place == Place::Inside
}

fn ask_text(part: &Part<'_>) -> &'static str {
    match part.effect.as_ref() {
        Effect::Write { .. } | Effect::WriteTree { .. } => "changing a file needs approval",
        Effect::Delete { .. } | Effect::DeleteTree { .. } => "deleting a file needs approval",
        Effect::Execute { .. } => command_text(part),
        Effect::Connect { .. } => "opening a connection needs approval",
        Effect::Mcp { .. } => "a tool of another program needs approval",
        Effect::Spawn { .. } => "delegating work to another agent needs approval",
        Effect::Custom { .. } => "an effect outside of the run needs approval",
        _ => "the effects of this call are not known, so it needs approval",
    }
}

fn command_text(part: &Part<'_>) -> &'static str {
    let commands = part.reading.as_ref().and_then(crate::reading::CommandReading::simple).unwrap_or_default();
    let found = commands.iter().find_map(|simple| hindrance(simple.argv()));
    match found {
        Some(Hindrance::Wraps) => "it runs a program through another one, so it needs approval",
        Some(Hindrance::Unproven) => "its options or operands can do more than read, so it needs approval",
        None => "running a command needs approval",
    }
}
