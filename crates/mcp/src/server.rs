//! What a server is: its name here, how it is reached, and what of it is used.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::address::{Address, AddressError};
use crate::oauth::SignIn;
use crate::program::Program;
use crate::{Approval, Limits, Presence};

/// The longest id of a server.
const ID_BYTES: usize = 64;
/// The longest name of a tool (SECURITY "MCP").
const NAME_BYTES: usize = 128;

/// A server: a child process that is spoken with over its standard input and output, or an address.
///
/// ```
/// use windlass_mcp::McpServer;
/// let server = McpServer::new("files", "mcp-files")?.with_argument("--read-only").with_environment_name("RUST_LOG");
/// assert_eq!(server.id(), "files");
/// assert!(McpServer::new("my files", "mcp-files").is_err());
/// let server = McpServer::http("issues", "https://mcp.example.com/")?.with_bearer_from("ISSUES_TOKEN");
/// assert!(McpServer::http("plain", "http://mcp.example.com/").is_err(), "https, or this machine");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct McpServer {
    id: String,
    reach: Reach,
    limits: Limits,
    presence: Presence,
    enabled: Option<BTreeSet<String>>,
    disabled: BTreeSet<String>,
    approval: Approval,
    approvals: BTreeMap<String, Approval>,
}

/// How it is reached.
#[derive(Clone)]
pub(crate) enum Reach {
    Program(Program),
    Address(Address),
}

/// Why a text is no id of a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{id:?} is no id of a server: 1 to 64 letters, digits, dots, dashes and underscores are")]
pub struct ServerIdError {
    id: String,
}

impl McpServer {
    /// A server by the name that policy and people use, and the program that it is. No shell reads the program's name.
    ///
    /// # Errors
    /// If the id has other characters than `A-Z a-z 0-9 _ . -`, or not 1 to 64 of them.
    pub fn new(id: impl Into<String>, command: impl Into<OsString>) -> Result<Self, ServerIdError> {
        Self::reached(id.into(), Reach::Program(Program::new(command.into())))
    }

    /// A server by the name that policy and people use, and its address (streamable HTTP). Only `https` is taken, and
    /// `http` to this machine itself.
    ///
    /// # Errors
    /// If the id is none, or the address is not one that a server may have.
    pub fn http(id: impl Into<String>, url: &str) -> Result<Self, AddressError> {
        Ok(Self::reached(id.into(), Reach::Address(Address::parse(url)?))?)
    }

    fn reached(id: String, reach: Reach) -> Result<Self, ServerIdError> {
        if !is_name(&id, ID_BYTES) {
            return Err(ServerIdError { id });
        }
        Ok(Self {
            id,
            reach,
            limits: Limits::default(),
            presence: Presence::default(),
            enabled: None,
            disabled: BTreeSet::new(),
            approval: Approval::default(),
            approvals: BTreeMap::new(),
        })
    }

    /// The same with one more argument of its program.
    pub fn with_argument(self, argument: impl Into<OsString>) -> Self {
        self.of_program(|program| program.arguments.push(argument.into()))
    }

    /// The same, and the child sees one more variable of the host. Names that look like secrets stay stripped.
    pub fn with_environment_name(self, name: impl Into<OsString>) -> Self {
        self.of_program(|program| program.environment = program.environment.clone().with_name(name))
    }

    /// The same with a variable that is set for the child, whatever the host has: the way for a key that it needs.
    pub fn with_environment_value(self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.of_program(|program| program.environment = program.environment.clone().with_value(name, value))
    }

    /// The same, started in a folder.
    pub fn with_folder(self, folder: impl Into<PathBuf>) -> Self {
        self.of_program(|program| program.folder = Some(folder.into()))
    }

    /// The same with a token that is in this variable of the host when it is connected.
    pub fn with_bearer_from(self, variable: impl Into<String>) -> Self {
        self.of_address(|address| address.set_bearer_from(variable.into()))
    }

    /// The same with a header in every request. Its value is never shown.
    ///
    /// # Errors
    /// If it is no header, or one that the protocol itself sets.
    pub fn with_header(mut self, name: &str, value: &str) -> Result<Self, AddressError> {
        if let Reach::Address(address) = &mut self.reach {
            address.add_header(name, value)?;
        }
        Ok(self)
    }

    /// The same with a header whose value is in this variable of the host when it is connected.
    ///
    /// # Errors
    /// If it is no header, or one that the protocol itself sets.
    pub fn with_header_from(mut self, name: &str, variable: impl Into<String>) -> Result<Self, AddressError> {
        if let Reach::Address(address) = &mut self.reach {
            address.add_header_from(name, variable.into())?;
        }
        Ok(self)
    }

    /// The same with tokens of a sign-in (OAuth): they are used and refreshed where there are some.
    pub fn with_sign_in(self, sign_in: SignIn) -> Self {
        self.of_address(|address| address.sign_in = Some(Arc::new(sign_in)))
    }

    /// The same with other limits.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The same, which has to be there or need not.
    pub fn with_presence(mut self, presence: Presence) -> Self {
        self.presence = presence;
        self
    }

    /// The same with these of its tools alone, by its own names for them.
    pub fn with_enabled_tools(mut self, tools: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.enabled = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// The same without these of its tools. What is disabled is not enabled by the other list.
    pub fn with_disabled_tools(mut self, tools: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.disabled = tools.into_iter().map(Into::into).collect();
        self
    }

    /// The same with whether its tools ask.
    pub fn with_approval(mut self, approval: Approval) -> Self {
        self.approval = approval;
        self
    }

    /// The same with whether one of its tools asks, whatever the others do.
    pub fn with_tool_approval(mut self, tool: impl Into<String>, approval: Approval) -> Self {
        self.approvals.insert(tool.into(), approval);
        self
    }

    /// Its name here.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its address, if it has one.
    pub fn url(&self) -> Option<&str> {
        match &self.reach {
            Reach::Address(address) => Some(address.as_str()),
            Reach::Program(_) => None,
        }
    }

    /// How much of it is taken, and how long it is waited for.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether it has to be there.
    pub fn presence(&self) -> Presence {
        self.presence
    }

    /// Whether a tool of it asks.
    pub fn approval(&self, tool: &str) -> Approval {
        self.approvals.get(tool).copied().unwrap_or(self.approval)
    }

    /// Whether a tool of it may be used, by its own name for it (RULES M6).
    pub fn enables(&self, tool: &str) -> bool {
        self.enabled.as_ref().is_none_or(|enabled| enabled.contains(tool)) && !self.disabled.contains(tool)
    }

    /// A digest of the command or the address: under the same id another program is another server (SECURITY "MCP").
    pub fn origin(&self) -> String {
        match &self.reach {
            Reach::Program(program) => program.digest(),
            Reach::Address(address) => address.digest(),
        }
    }

    pub(crate) fn reach(&self) -> &Reach {
        &self.reach
    }

    fn of_program(mut self, change: impl FnOnce(&mut Program)) -> Self {
        if let Reach::Program(program) = &mut self.reach {
            change(program);
        }
        self
    }

    fn of_address(mut self, change: impl FnOnce(&mut Address)) -> Self {
        if let Reach::Address(address) = &mut self.reach {
            change(address);
        }
        self
    }
}

/// Without the environment and the headers, which may hold keys.
impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("McpServer");
        debug.field("id", &self.id);
        match &self.reach {
            Reach::Program(program) => debug.field("command", &program.command),
            Reach::Address(address) => debug.field("url", &address.as_str()),
        };
        debug.finish_non_exhaustive()
    }
}

/// Whether a server may call a tool so.
pub(crate) fn is_tool_name(name: &str) -> bool {
    is_name(name, NAME_BYTES)
}

fn is_name(name: &str, max: usize) -> bool {
    let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    (1..=max).contains(&name.len()) && name.bytes().all(is_fit)
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
