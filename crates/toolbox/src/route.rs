//! Which kinds of payload a tool takes, and whose fault it is when one comes that it does not.

use std::fmt;

use serde_json::{Map, Value, json};
use windlass_protocol::{Arguments, Payload, RawJson, ToolName, ToolSpec};

use crate::Identity;
use crate::entry::Entry;

/// The kinds of payload, as a route tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PayloadKind {
    /// A function with JSON arguments.
    Function,
    /// Free text.
    Custom,
    /// A tool that the provider names by server and tool.
    Mcp,
    /// The provider's local shell.
    LocalShell,
    /// A kind that this toolbox has no route for.
    Other,
}

impl PayloadKind {
    /// The kind of a payload.
    pub fn of(payload: &Payload) -> Self {
        match payload {
            Payload::Function { .. } => Self::Function,
            Payload::Custom { .. } => Self::Custom,
            Payload::Mcp { .. } => Self::Mcp,
            Payload::LocalShell { .. } => Self::LocalShell,
            _ => Self::Other,
        }
    }
}

impl fmt::Display for PayloadKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Function => "function",
            Self::Custom => "custom",
            Self::Mcp => "mcp",
            Self::LocalShell => "local shell",
            Self::Other => "unknown",
        })
    }
}

/// A call of a kind that its tool does not take, where only the program can have caused that. It ends the run: nothing
/// that a model does differently would help.
///
/// A model, or a provider, may call a function with free text, a tool for free text with arguments, or a tool under
/// another server's name; each of these goes back as a result. Two things only the program does: it gives the name of the
/// provider's shell to a tool that takes no command, and it hands on a kind of payload, or a checked call whose payload
/// it exchanged, that nobody made a route for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the tool {tool} does not take a {kind} call; it is registered under a name that leads such calls to it"
)]
#[non_exhaustive]
pub struct Misrouted {
    /// The tool, by its name in the registry.
    pub tool: ToolName,
    /// What came.
    pub kind: PayloadKind,
}

/// What a tool takes, as it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Takes {
    /// The kind that `Tool::call` gets; calls of other kinds are put into it or refused.
    form: PayloadKind,
    /// It comes from a server, and takes the provider's word for it too.
    is_remote: bool,
    /// It takes a program with its arguments, so that the provider's shell may lead to it.
    is_shell: bool,
}

impl Takes {
    pub(crate) fn of(identity: &Identity, spec: &ToolSpec) -> Self {
        let is_remote = identity.remote().is_some();
        match spec {
            ToolSpec::Function { parameters, .. } => Self {
                form: PayloadKind::Function,
                is_remote,
                is_shell: !is_remote && takes_argv(parameters),
            },
            _ => Self { form: PayloadKind::Custom, is_remote, is_shell: false },
        }
    }

    /// Whether `Tool::call` may get it.
    pub(crate) fn runs(self, payload: &Payload) -> bool {
        let kind = PayloadKind::of(payload);
        kind == self.form || (kind == PayloadKind::Mcp && self.is_remote)
    }
}

/// What a call is for a tool: its payload in the form that the tool takes, a text for the model, or the program's mistake.
pub(crate) enum Route {
    Fits(Payload),
    Model(String),
    Program(Misrouted),
}

pub(crate) fn route(entry: &Entry, is_exact: bool, payload: &Payload) -> Route {
    let (shown, takes) = (&entry.shown, entry.takes);
    match (payload, takes.form) {
        (Payload::Function { .. }, PayloadKind::Function) | (Payload::Custom { .. }, PayloadKind::Custom) => {
            Route::Fits(payload.clone())
        }
        // Where only functions are known, free text comes as an argument.
        (Payload::Function { arguments }, _) => match only_text(arguments) {
            Some(input) => Route::Fits(Payload::Custom { input }),
            None => Route::Model(format!("{shown} takes free text, in one argument `input`")),
        },
        (Payload::Custom { .. }, _) => Route::Model(format!("{shown} takes JSON arguments, not free text")),
        (Payload::Mcp { server, tool, .. }, _) => {
            if entry.remote.as_ref().is_some_and(|(own, name)| own == server && name == tool) {
                return Route::Fits(payload.clone());
            }
            Route::Model(format!(
                "{shown} is not the tool {tool} of a server {server}; there is no such tool here"
            ))
        }
        (Payload::LocalShell { command, working_directory, timeout_ms }, _) if takes.is_shell => {
            Route::Fits(shell_call(&entry.schema, command, working_directory.as_deref(), *timeout_ms))
        }
        // A name that only resembles the shell's is the model's or a server's doing.
        (Payload::LocalShell { .. }, _) if !is_exact || takes.is_remote => {
            Route::Model(format!("{shown} does not run commands"))
        }
        (other, _) => Route::Program(Misrouted { tool: entry.name.clone(), kind: PayloadKind::of(other) }),
    }
}

/// A call of the provider's shell as a call of the tool: the program as it is, never through a shell.
fn shell_call(
    schema: &RawJson,
    command: &[String],
    folder: Option<&str>,
    timeout_ms: Option<u64>,
) -> Payload {
    let schema = schema.to_value();
    let known = |name: &str| schema.pointer("/properties").is_some_and(|all| all.get(name).is_some());
    let mut arguments = Map::new();
    arguments.insert("argv".to_owned(), json!(command));
    if let Some(folder) = folder {
        // Under a name that the tool does not know it is refused with the tool's own words: a command must not run in
        // another folder than the one that was said.
        arguments.insert(if known("cwd") { "cwd" } else { "working_directory" }.to_owned(), json!(folder));
    }
    if let Some(timeout_ms) = timeout_ms.filter(|_| known("timeout_ms")) {
        arguments.insert("timeout_ms".to_owned(), json!(timeout_ms));
    }
    let arguments = Arguments::parse(Value::Object(arguments).to_string()).unwrap_or_default();
    Payload::Function { arguments }
}

fn takes_argv(parameters: &RawJson) -> bool {
    parameters.to_value().pointer("/properties/argv/type").is_some_and(|kind| kind == "array")
}

/// The free text among arguments: the argument that stands for it, or the only one there is, whatever its name.
fn only_text(arguments: &Arguments) -> Option<String> {
    if let Some(Payload::Custom { input }) = Payload::from_arguments(arguments) {
        return Some(input);
    }
    let mut fields = arguments.as_object().iter();
    match (fields.next(), fields.next()) {
        (Some((_, value)), None) => value.as_str().map(str::to_owned),
        _ => None,
    }
}
