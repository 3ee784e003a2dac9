//! Plain words for the calls of one shape.

use windlass_protocol::Effect;
use windlass_text::count_noun;

use super::{folder_and_ending, input, is_folder, place};
use crate::PolicyInput;

/// The kinds of effects that reach a path.
const PATH_KINDS: [&str; 3] = ["read", "write", "delete"];
const THE_CALL: &str = "make exactly this call";

/// Describes the calls of one shape for the human who may allow them all, for example `write files that end in .md in
/// docs/ with write_file`.
pub(crate) fn describe_calls(facts: &PolicyInput) -> String {
    let kind = facts.call_kind.iter().cloned();
    let parts = facts.effects_or_unknown().iter().map(|effect| describe_effect(facts, effect)).chain(kind);
    name_tool(&parts.collect::<Vec<_>>(), facts.tool.as_str())
}

/// Describes a stored shape, whose parts have spaces as separators. A shape with a part that has no words is returned as
/// it is stored.
pub(crate) fn describe_shape(tool: &str, shape: &str) -> String {
    match shape.split("; ").map(describe_part).collect::<Option<Vec<_>>>() {
        Some(parts) => name_tool(&parts, tool),
        None => format!("{shape} with {tool}"),
    }
}

fn name_tool(parts: &[String], tool: &str) -> String {
    format!("{} with {tool}", parts.join(" and "))
}

fn describe_part(part: &str) -> Option<String> {
    let (kind, rest) = part.split_once(' ')?;
    if kind == "network" {
        let (host, number) = rest.rsplit_once(' ')?;
        return Some(describe_connection(host, number));
    }
    let kind = PATH_KINDS.into_iter().find(|known| *known == kind)?;
    if let Some(path) = rest.strip_prefix("everything below ") {
        return Some(describe_tree(kind, path));
    }
    let (is_folder, rest) = rest.strip_prefix("folder ").map_or((false, rest), |rest| (true, rest));
    let (folder, ending) = rest.rsplit_once(' ')?;
    Some(describe_files(kind, is_folder, folder, ending))
}

fn describe_effect(facts: &PolicyInput, effect: &Effect) -> String {
    match effect {
        effect if effect.reaches_below() => describe_tree(effect.kind(), place(facts, effect)),
        Effect::Read { .. } | Effect::Write { .. } | Effect::Delete { .. } => {
            let (folder, ending) = folder_and_ending(place(facts, effect));
            describe_files(effect.kind(), is_folder(facts, effect), &folder, ending)
        }
        Effect::Execute { command, directory } => {
            let is_named = input::is_named(&facts.payload, command, directory);
            let exactly = if is_named { "" } else { ", with exactly these arguments," };
            format!("run exactly {} in {}{exactly}", name_command(command), name_folder(directory))
        }
        Effect::Connect { host, port } => describe_connection(host, port),
        _ => THE_CALL.to_owned(),
    }
}

/// Quotes a command of one line. The question about another command displays its text, so its size is enough here.
fn name_command(command: &str) -> String {
    if command.contains('\n') {
        let lines = count_noun(command.lines().count(), "line");
        return format!("this command of {lines} and {}", count_noun(command.len(), "byte"));
    }
    format!("`{command}`")
}

fn describe_connection(host: &str, port: impl std::fmt::Display) -> String {
    format!("connect to {host}:{port}")
}

fn describe_tree(kind: &str, path: &str) -> String {
    format!("{kind} everything in {}", name_folder(path))
}

fn describe_files(kind: &str, is_folder: bool, folder: &str, ending: &str) -> String {
    let files = if is_folder { "folders" } else { "files" };
    let ending = if ending.is_empty() { "have no ending".to_owned() } else { format!("end in .{ending}") };
    format!("{kind} {files} that {ending} in {}", name_folder(folder))
}

fn name_folder(path: &str) -> String {
    match path.trim_end_matches('/') {
        "" | "." if !path.starts_with('/') => "the workspace's own folder".to_owned(),
        path => format!("{path}/"),
    }
}

#[cfg(test)]
mod tests;
