//! The asserts of a case: conditions in addition to its outcome.

mod characters;
mod files;

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use serde_json::Value;

pub(crate) use self::files::mode as mode_of;
use crate::observed::Observation;
use crate::processes;
use crate::scene::Scene;
use crate::snapshot::Snapshot;

/// The state before the case ran.
pub(crate) struct StateBefore {
    pub(crate) around: Snapshot,
    pub(crate) workspace: Vec<(PathBuf, Vec<u8>)>,
    /// The ids of processes that belong to the harness.
    pub(crate) expected: Vec<i32>,
}

/// The evidence that asserts can examine.
pub(crate) struct Evidence<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) before: &'a StateBefore,
    pub(crate) observed: &'a Observation,
    /// The case's input, with its placeholders filled in.
    pub(crate) input: &'a Value,
    /// The output of the case's process.
    pub(crate) log: &'a str,
}

impl StateBefore {
    pub(crate) fn look(scene: &Scene, expected: Vec<i32>) -> Self {
        Self { around: take_around(scene), workspace: files::contents(&scene.workspace), expected }
    }
}

/// Takes a snapshot of the folders around the workspace, without those that the case itself uses.
fn take_around(scene: &Scene) -> Snapshot {
    Snapshot::take(&scene.outside).merge(Snapshot::take(&scene.sibling)).merge(Snapshot::take(&scene.home))
}

/// Returns the reason why an assert does not hold, or `None` if it does.
pub(crate) fn check(name: &str, wanted: &Value, evidence: &Evidence<'_>) -> anyhow::Result<Option<String>> {
    let observed = evidence.observed;
    match name {
        "dials"
        | "dials_to_private"
        | "dials_to_private_after_first"
        | "packets_out"
        | "tcp_accepts"
        | "executed"
        | "results"
        | "routed_ok"
        | "distinct_outcomes"
        | "calls_parsed"
        | "no_crash"
        | "host_ok"
        | "message_count_unchanged"
        | "origin_shown"
        | "second_host_saw_auth" => equals(name, wanted, &find_measurement(name, evidence)?),
        "survivors" => {
            let left = processes::survivors(&evidence.before.expected);
            let count = u64::try_from(left.len()).unwrap_or(u64::MAX);
            let wrong = equals(name, wanted, &Value::from(count))?;
            processes::kill(&left);
            Ok(wrong)
        }
        "iterations" => {
            check_bound(name, wanted, &find_measurement(name, evidence)?, |met, wanted| met >= wanted)
        }
        "wall_s_max" | "rss_mb_max" | "result_bytes_max" | "max_running" | "pids_max" => {
            let measure = name.strip_suffix("_max").unwrap_or(name);
            check_bound(name, wanted, &find_measurement(measure, evidence)?, |met, wanted| met <= wanted)
        }
        "file_absent"
        | "outside_unchanged"
        | "workspace_exists"
        | "unchanged"
        | "other_bytes_identical"
        | "mode" => files::check(name, wanted, evidence),
        "prompt_excludes_bytes" | "prompt_excludes_cp" => characters::check(name, wanted, evidence),
        "prompt_contains" => contains(name, wanted, &prompts(evidence)?),
        "prompt_excludes" => lacks(name, wanted, &prompts(evidence)?),
        "result_contains" => contains(name, wanted, &observed.results.join("\n")),
        "result_lacks" => result_lacks(name, wanted, evidence),
        "logs_lack" => lacks(name, wanted, &format!("{}\n{}", evidence.log, observed.results.join("\n"))),
        "journal_lacks" | "trace_lacks" => {
            let measure = name.strip_suffix("_lacks").unwrap_or(name);
            let text = find_measurement(measure, evidence)?;
            lacks(name, wanted, text.as_str().context("a text was to be measured")?)
        }
        "flag" => {
            let flags = find_measurement("flags", evidence)?;
            let has = flags.as_array().is_some_and(|flags| flags.contains(wanted));
            Ok((!has).then(|| format!("the result is not flagged {wanted}, only {flags}")))
        }
        "suggestion_not" => {
            let offered = find_measurement("suggestions", evidence)?;
            let is_bad = offered.as_array().is_some_and(|offered| offered.contains(wanted));
            Ok(is_bad.then(|| format!("{wanted} is offered as a rule")))
        }
        _ => bail!("the assert `{name}` is not known"),
    }
}

/// Checks that results lack a text. A secret that was read and then redacted was still read, so the marker
/// beside the secret has to be absent too.
fn result_lacks(name: &str, wanted: &Value, evidence: &Evidence<'_>) -> anyhow::Result<Option<String>> {
    let text = evidence.observed.results.join("\n");
    let is_secret = texts(name, wanted)?.contains(&evidence.scene.secret.as_str());
    if is_secret && text.contains(&evidence.scene.marker) {
        return Ok(Some(format!("{name}: the text beside the secret is there")));
    }
    lacks(name, wanted, &text)
}

/// Returns the value that was measured under a name. A value that was not measured is an error.
fn find_measurement(name: &str, evidence: &Evidence<'_>) -> anyhow::Result<Value> {
    let of_scene = match name {
        "dials" if !evidence.observed.measures.contains_key(name) => {
            Some(Value::from(evidence.scene.dials.all()))
        }
        "dials_to_private" => Some(Value::from(evidence.scene.dials.to_private())),
        "dials_to_private_after_first" => Some(Value::from(evidence.scene.dials.to_private_after_first())),
        "tcp_accepts" => Some(Value::from(evidence.scene.loopback.accepts())),
        "second_host_saw_auth" => Some(Value::from(evidence.scene.loopback.second_saw_credentials())),
        "rss_mb" => processes::peak_memory_mib().map(Value::from),
        "result_bytes" => {
            let longest = evidence.observed.results.iter().map(String::len).max();
            longest.and_then(|length| u64::try_from(length).ok()).map(Value::from)
        }
        // The process that checks this has not crashed.
        "no_crash" => Some(Value::Bool(true)),
        _ => None,
    };
    let value = of_scene.or_else(|| evidence.observed.measures.get(name).cloned());
    value.with_context(|| format!("`{name}` was not measured"))
}

fn prompts(evidence: &Evidence<'_>) -> anyhow::Result<String> {
    let prompts = &evidence.observed.prompts;
    if prompts.is_empty() {
        bail!("no prompt was shown");
    }
    Ok(prompts.join("\n"))
}

#[expect(clippy::unnecessary_wraps, reason = "as all asserts are")]
fn equals(name: &str, wanted: &Value, met: &Value) -> anyhow::Result<Option<String>> {
    Ok((wanted != met).then(|| format!("{name} is {met}, not {wanted}")))
}

fn check_bound(
    name: &str,
    wanted: &Value,
    met: &Value,
    holds: fn(f64, f64) -> bool,
) -> anyhow::Result<Option<String>> {
    let (limit, figure) =
        wanted.as_f64().zip(met.as_f64()).with_context(|| format!("`{name}` is a number"))?;
    Ok((!holds(figure, limit)).then(|| format!("{name} is {limit}, and {figure:.1} was met")))
}

/// Returns one text or a list of texts as a list.
pub(super) fn texts<'a>(name: &str, wanted: &'a Value) -> anyhow::Result<Vec<&'a str>> {
    let one = wanted.as_str().map(|text| vec![text]);
    let many = || wanted.as_array()?.iter().map(Value::as_str).collect::<Option<Vec<_>>>();
    one.or_else(many).with_context(|| format!("`{name}` is a text or a list of texts"))
}

fn contains(name: &str, wanted: &Value, text: &str) -> anyhow::Result<Option<String>> {
    let missing = texts(name, wanted)?.into_iter().find(|wanted| !text.contains(wanted));
    Ok(missing.map(|missing| format!("{name}: {missing:?} is not there")))
}

fn lacks(name: &str, wanted: &Value, text: &str) -> anyhow::Result<Option<String>> {
    let found = texts(name, wanted)?.into_iter().find(|wanted| text.contains(wanted));
    Ok(found.map(|found| format!("{name}: {found:?} is there")))
}

#[cfg(test)]
mod tests;
