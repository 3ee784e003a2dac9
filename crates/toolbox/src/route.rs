//! Routing of payload kinds: the kinds that a tool accepts, and the party at fault for an unsuitable kind.

use std::fmt;

use serde_json::{Map, Value, json};
use windlass_protocol::{Arguments, Payload, RawJson, ToolName, ToolSpec};

use crate::Identity;
use crate::entry::Entry;

/// The kinds of payload that routing distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PayloadKind {
    /// A function call with JSON arguments.
    Function,
    /// A call with free text.
    Custom,
    /// A call that the provider addresses by server and tool.
    Mcp,
    /// A call of the provider's local shell.
    LocalShell,
    /// A kind that this toolbox cannot route.
    Other,
}

impl PayloadKind {
    /// Returns the kind of a payload.
    pub fn from_payload(payload: &Payload) -> Self {
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

/// Error for a call whose payload kind its tool does not accept and that only the program can have caused. It
/// ends the run because a different call of the model would not help.
///
/// A model or a provider may send free text to a function, arguments to a free-text tool, or a call addressed
/// to another server's tool; these calls are refused with a result. Only the program can cause the remaining
/// cases: it registered a tool without an `argv` parameter under the name of the provider's shell, it passed
/// on a payload kind without a route, or it replaced the payload of a checked call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the tool {tool} does not take a {kind} call; it is registered under a name that routes such calls to it"
)]
#[non_exhaustive]
pub struct WrongPayload {
    /// The tool, by its registered name.
    pub tool: ToolName,
    /// The kind of the payload.
    pub kind: PayloadKind,
}

/// The payload kinds that a tool accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Takes {
    /// The kind that `Tool::call` receives. Other kinds are converted to it or refused.
    form: PayloadKind,
    /// True for a server's tool, which also accepts payloads that name its server.
    is_remote: bool,
    /// True for a tool with an `argv` parameter, which can run calls of the provider's shell.
    is_shell: bool,
}

impl Takes {
    pub(crate) fn from_spec(identity: &Identity, spec: &ToolSpec) -> Self {
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

    /// Returns whether `Tool::call` accepts the payload.
    pub(crate) fn runs(self, payload: &Payload) -> bool {
        let kind = PayloadKind::from_payload(payload);
        kind == self.form || (kind == PayloadKind::Mcp && self.is_remote)
    }
}

/// The result of routing: the payload in the form that the tool accepts, a text for the model, or the
/// program's mistake.
pub(crate) enum Route {
    Fits(Payload),
    Model(String),
    Program(WrongPayload),
}

pub(crate) fn route(entry: &Entry, is_exact: bool, payload: &Payload) -> Route {
    let (shown, takes) = (&entry.shown, entry.takes);
    match (payload, takes.form) {
        (Payload::Function { .. }, PayloadKind::Function) | (Payload::Custom { .. }, PayloadKind::Custom) => {
            Route::Fits(payload.clone())
        }
        // Some providers only support functions, so free text can arrive as an argument.
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
                "{shown} is not the tool {tool} of a server {server}; this tool does not exist here"
            ))
        }
        (Payload::LocalShell { command, working_directory, timeout_ms }, _) if takes.is_shell => {
            Route::Fits(shell_call(&entry.schema, command, working_directory.as_deref(), *timeout_ms))
        }
        // A name that only resembles the shell's name comes from the model or a server.
        (Payload::LocalShell { .. }, _) if !is_exact || takes.is_remote => {
            Route::Model(format!("{shown} does not run commands"))
        }
        (other, _) => {
            Route::Program(WrongPayload { tool: entry.name.clone(), kind: PayloadKind::from_payload(other) })
        }
    }
}

/// Converts a call of the provider's shell into a call of the tool. The program is started directly and never
/// through a shell.
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
        // If the tool has no `cwd` parameter, validation refuses the unknown name. The command must not run
        // in another folder than the requested one.
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

/// Returns the free text in arguments: the argument with the reserved name, or the only argument if it is a
/// string.
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
