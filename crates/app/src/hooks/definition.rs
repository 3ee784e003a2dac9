//! Definitions of hooks, as their files write them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::matcher::{CallFilter, Matcher};
use crate::error::{Context as _, Result, ensure};

/// Maximum number of hooks in one file, and maximum length of a command in bytes.
const MAX_HOOKS: usize = 100;
const MAX_COMMAND: usize = 16 * 1024;

/// Default and maximum time that a hook may take.
const DEFAULT_TIMEOUT: Duration = Duration::from_mins(1);
const MAX_TIMEOUT: Duration = Duration::from_mins(10);

/// Point of a run at which a hook is started, under its documented name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum HookEvent {
    /// The first task of a run in this process.
    SessionStart,
    /// A task, or a message to the run.
    UserPromptSubmit,
    /// A call, before it is decided.
    PreToolUse,
    /// A call that succeeded.
    PostToolUse,
    /// The end of a task.
    Stop,
    /// The end of the task of a sub-agent.
    SubagentStop,
    /// Turns are about to be summarised.
    PreCompact,
    /// A question waits for a person.
    Notification,
    /// The end of a run.
    SessionEnd,
}

impl HookEvent {
    /// Names of events.
    const ALL: [(&'static str, Self); 9] = [
        ("SessionStart", Self::SessionStart),
        ("UserPromptSubmit", Self::UserPromptSubmit),
        ("PreToolUse", Self::PreToolUse),
        ("PostToolUse", Self::PostToolUse),
        ("Stop", Self::Stop),
        ("SubagentStop", Self::SubagentStop),
        ("PreCompact", Self::PreCompact),
        ("Notification", Self::Notification),
        ("SessionEnd", Self::SessionEnd),
    ];

    /// Returns the documented name.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(_, event)| *event == self).map_or("", |(name, _)| name)
    }

    fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, event)| *event)
    }
}

/// Owner of the file that defines a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookOwner {
    /// The user. The hook has the user's rights.
    User,
    /// A trusted project. The hook runs in the sandbox of commands.
    Project,
}

/// A hook of a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HookDefinition {
    /// Point at which the hook is started.
    pub event: HookEvent,
    /// Owner of the file.
    pub owner: HookOwner,
    /// Path of the file.
    pub file: PathBuf,
    /// Command for a shell, or the program if `arguments` has a value.
    pub command: String,
    /// Arguments of a program that is started without a shell.
    pub arguments: Option<Vec<String>>,
    /// Time after which the hook is killed.
    pub timeout: Duration,
    /// True if a failure of the hook blocks like its refusal.
    pub blocks_on_failure: bool,
    matcher_text: String,
    pub(super) matcher: Matcher,
    pub(super) filter: Option<CallFilter>,
}

impl HookDefinition {
    /// Returns the matcher as the file writes it; empty for every name.
    pub fn matcher_text(&self) -> &str {
        &self.matcher_text
    }

    /// Returns the program, with its arguments, that is started.
    pub(super) fn argv(&self) -> Vec<String> {
        if let Some(arguments) = &self.arguments {
            return std::iter::once(&self.command).chain(arguments).cloned().collect();
        }
        let shell = if Path::new("/bin/bash").exists() { "/bin/bash" } else { "/bin/sh" };
        vec![shell.to_owned(), "-c".to_owned(), self.command.clone()]
    }
}

/// The hooks of one file, and the entries that this program does not support.
#[derive(Debug, Default)]
pub(super) struct ParsedHooks {
    pub(super) hooks: Vec<HookDefinition>,
    pub(super) unsupported: Vec<String>,
}

#[derive(Deserialize)]
struct Group {
    #[serde(default)]
    matcher: Option<String>,
    #[serde(default)]
    hooks: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Handler {
    command: String,
    #[serde(default)]
    args: Option<Vec<String>>,
    #[serde(default)]
    timeout: Option<f64>,
    #[serde(default, rename = "if")]
    condition: Option<String>,
    #[serde(default)]
    on_failure: Option<String>,
}

/// Parses a file of hooks: an object with the key `hooks`. Other keys belong to other settings and are ignored.
pub(super) fn parse(text: &str, owner: HookOwner, file: &Path) -> Result<ParsedHooks> {
    let whole: Value = serde_json::from_str(text).context("it is not JSON")?;
    let mut parsed = ParsedHooks::default();
    let Some(events) = whole.get("hooks") else { return Ok(parsed) };
    let events: BTreeMap<String, Vec<Group>> =
        Deserialize::deserialize(events).context("`hooks` is not an object with lists of groups")?;
    for (name, groups) in events {
        let Some(event) = HookEvent::find(&name) else {
            parsed.unsupported.push(format!("the event {name}"));
            continue;
        };
        for group in groups {
            let matcher = Matcher::parse(group.matcher.as_deref()).with_context(|| name.clone())?;
            for value in group.hooks {
                let kind = value.get("type").and_then(Value::as_str).unwrap_or("command");
                if kind != "command" {
                    parsed.unsupported.push(format!("a hook of the type {kind} for {name}"));
                    continue;
                }
                let handler = Handler::deserialize(&value).with_context(|| format!("a hook for {name}"))?;
                let matcher = (group.matcher.clone().unwrap_or_default(), matcher.clone());
                parsed.hooks.push(define(event, owner, file, matcher, handler)?);
                ensure!(parsed.hooks.len() <= MAX_HOOKS, Invalid, "it has more than {MAX_HOOKS} hooks");
            }
        }
    }
    Ok(parsed)
}

fn define(
    event: HookEvent,
    owner: HookOwner,
    file: &Path,
    (matcher_text, matcher): (String, Matcher),
    handler: Handler,
) -> Result<HookDefinition> {
    let is_short = handler.command.len() <= MAX_COMMAND && !handler.command.trim().is_empty();
    ensure!(is_short, Invalid, "a command is empty or has more than {MAX_COMMAND} bytes");
    let timeout = match handler.timeout {
        Some(seconds) => Duration::try_from_secs_f64(seconds).ok().context("a timeout is not valid")?,
        None => DEFAULT_TIMEOUT,
    };
    Ok(HookDefinition {
        event,
        owner,
        file: file.to_owned(),
        command: handler.command,
        arguments: handler.args,
        timeout: timeout.clamp(Duration::from_millis(1), MAX_TIMEOUT),
        blocks_on_failure: handler.on_failure.as_deref() == Some("block"),
        matcher_text,
        matcher,
        filter: handler.condition.as_deref().map(CallFilter::parse).transpose()?,
    })
}
