//! Stage 4 of a decision: built-in rules that ask regardless of allow rules.

use windlass_command::Danger;
use windlass_protocol::{Effect, Payload, TargetKind};

use crate::part::{Origin, Part};
use crate::place::Place;
use crate::{PolicyInput, Reason, Source};

/// Returns all built-in reasons to ask about a part of a call.
pub(crate) fn must_ask(facts: &PolicyInput, part: &Part<'_>) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let mut ask = |id: &str, text: String| reasons.push(Reason::new(id, Source::Builtin, text));
    if has_hidden_characters(&facts.payload, &part.effect) {
        ask("p.control_chars", "the call has control or invisible characters".to_owned());
    }
    if facts.has_secret && carries(&part.effect) {
        ask("p.secret_in_args", "its arguments hold a secret".to_owned());
    }
    if let Effect::Mcp { server, tool, known: false, .. } = part.effect.as_ref() {
        ask("p.untrusted_first_use", format!("the current definition of {tool} of {server} is not accepted"));
    }
    if let Some(reading) = &part.reading {
        if let Some(text) = reading.too_much() {
            ask("p.too_much", text);
        }
        if let Some(text) = reading.not_simple() {
            ask(Reason::NOT_SIMPLE, text);
        }
        for danger in reading.scan.dangers() {
            ask("p.critical", danger_text(danger));
        }
    }
    if let Some(text) = missing_confinement(facts, part) {
        ask("p.unconfined", text);
    }
    if let Some(path) = part.effect.path() {
        ask_for_path(part, path, &mut ask);
    }
    reasons
}

/// Returns why the confinement does not suffice for a command, or `None` if it does. Without confinement
/// every command is asked; with gaps each command that is not proved to only read (SECURITY "Sandbox", levels
/// D and C). An unknown confinement counts as none.
fn missing_confinement(facts: &PolicyInput, part: &Part<'_>) -> Option<String> {
    let reading = part.reading.as_ref()?;
    match &facts.containment {
        Some(containment) if containment.is_full() => None,
        Some(containment) if !containment.is_none() => (!reading.reads_only(false)).then(|| {
            format!("it may do more than read, and the sandbox here ({}) leaves gaps", containment.level)
        }),
        _ => Some("commands are not confined here".to_owned()),
    }
}

/// Returns whether an effect can store or send the content of its arguments.
fn carries(effect: &Effect) -> bool {
    !effect.is_read()
        && !matches!(effect, Effect::Delete { .. } | Effect::DeleteTree { .. } | Effect::Internal)
}

fn ask_for_path(part: &Part<'_>, path: &str, ask: &mut impl FnMut(&str, String)) {
    let writes = !part.effect.is_read();
    match part.place {
        Place::Protected if writes => ask("p.protected", format!("{path} decides what runs later")),
        Place::Secret => ask("p.secret_file", format!("{path} looks like a secret")),
        Place::Outside if part.origin == Origin::Command => {
            ask("p.outside", format!("{path} is outside the workspace"));
        }
        Place::Inside | Place::Outside | Place::Protected => {}
    }
    let Some(target) = part.target.filter(|_| writes) else { return };
    if target.in_repository && part.place == Place::Inside {
        ask(
            "p.protected",
            format!("{path} is a file of a git repository, which decides what git runs there"),
        );
    }
    if removes_unseen(part) {
        ask("p.unlisted", format!("{path} is a folder whose content was not checked"));
    }
    if target.kind == TargetKind::Outside {
        ask("p.symlink_escape", format!("{path} is a link that leads out of the workspace"));
    }
    if target.kind == TargetKind::File && target.links > 1 {
        ask(
            "p.hardlink",
            format!("{path} has {} names, and a change breaks or reaches the others", target.links),
        );
    }
}

/// Returns whether a tool would remove a folder whose content was not listed.
pub(crate) fn removes_unseen(part: &Part<'_>) -> bool {
    part.reaches_unlisted()
        && matches!(part.effect.as_ref(), Effect::DeleteTree { .. })
        && part.target.is_some_and(|target| target.kind == TargetKind::Folder)
}

fn danger_text(danger: &Danger) -> String {
    match danger {
        Danger::RemovesTree { target } => format!("it removes the whole tree {target}"),
        Danger::Escalates => "it changes who runs the command".to_owned(),
        Danger::FeedsShell => "a shell runs what another program prints".to_owned(),
        Danger::Evaluates => "it runs text that the command does not show".to_owned(),
        Danger::WritesDevice => "it writes a device".to_owned(),
        Danger::ForkBomb => "it starts itself without end".to_owned(),
        Danger::OpensNetwork => "it opens a connection through the shell".to_owned(),
        Danger::StopsSystem => "it stops the machine or its processes".to_owned(),
        Danger::WritesProtected { path } => format!("it writes {path}, which decides what runs later"),
        _ => "it is dangerous".to_owned(),
    }
}

/// Returns whether hidden characters make the displayed call differ from the real one. File contents may have
/// such characters; paths, commands and names of tools, hosts and agents must not. A line break is visible in
/// a command, but hides the rest of a name.
fn has_hidden_characters(payload: &Payload, effect: &Effect) -> bool {
    let named = match effect {
        Effect::Execute { command, directory } => is_hidden_in_command(command) || is_hidden(directory),
        Effect::Connect { host, .. } => is_hidden(host),
        Effect::Spawn { agent } => is_hidden(agent),
        Effect::Custom { kind, target, amount } => {
            is_hidden(kind)
                || is_hidden(target)
                || amount.as_ref().is_some_and(|amount| is_hidden(&amount.unit))
        }
        Effect::Mcp { server, tool, .. } => is_hidden(server) || is_hidden(tool),
        _ => effect.path().is_some_and(is_hidden),
    };
    named || matches!(payload, Payload::Mcp { server, tool, .. } if is_hidden(server) || is_hidden(tool))
}

fn is_hidden(name: &str) -> bool {
    name.contains('\n') || is_hidden_in_command(name)
}

fn is_hidden_in_command(text: &str) -> bool {
    text.chars().any(|character| character != '\n' && crate::display::is_unsafe(character))
}
