//! The configuration of a server: its id, its program or URL, its limits and the lists of its tools.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use secrecy::SecretString;

use crate::address::{Address, AddressError};
use crate::oauth::SignIn;
use crate::program::Program;
use crate::{Approval, Lifecycle, McpLimits, Presence};

/// Maximum length of a server's id in bytes.
const ID_BYTES: usize = 64;
/// Maximum length of a tool's name in bytes (SECURITY "MCP").
const NAME_BYTES: usize = 128;

/// The configuration of an MCP server: a program that is started as a child process and speaks over standard
/// input and output, or a URL for streamable HTTP.
///
/// The id names the server in policy files, in the names of its tools and in messages to people. Methods that
/// configure a program (such as [`with_argument`](Self::with_argument)) have no effect on a server with a
/// URL, and those that configure a URL (such as [`with_header`](Self::with_header)) have no effect on a
/// program. [`McpClient`](crate::McpClient) uses one server, [`McpConnections`](crate::McpConnections)
/// several.
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
    limits: McpLimits,
    presence: Presence,
    lifecycle: Lifecycle,
    enabled: Option<BTreeSet<String>>,
    disabled: BTreeSet<String>,
    approval: Approval,
    approvals: BTreeMap<String, Approval>,
}

/// The program or the URL of a server.
#[derive(Clone)]
pub(crate) enum Reach {
    Program(Program),
    Address(Address),
}

/// Error of a text that is not a valid id of a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{id:?} is not a valid server id: use 1 to 64 letters, digits, dots, dashes and underscores")]
pub struct ServerIdError {
    id: String,
}

impl McpServer {
    /// Creates the configuration of a server that is a program. The program is started directly, without a
    /// shell.
    ///
    /// # Errors
    /// If the id does not have 1 to 64 characters of `A-Z a-z 0-9 _ . -`.
    pub fn new(id: impl Into<String>, command: impl Into<OsString>) -> Result<Self, ServerIdError> {
        Self::new_reach(id.into(), Reach::Program(Program::new(command.into())))
    }

    /// Creates the configuration of a server with a URL (streamable HTTP).
    ///
    /// # Errors
    /// If the id is not valid (see [`new`](Self::new)), or if the URL has more than 8 KiB, contains a user or
    /// a password, or has another scheme than `https`. `http` is accepted for this machine only.
    pub fn http(id: impl Into<String>, url: &str) -> Result<Self, AddressError> {
        Ok(Self::new_reach(id.into(), Reach::Address(Address::parse(url)?))?)
    }

    fn new_reach(id: String, reach: Reach) -> Result<Self, ServerIdError> {
        if !is_name(&id, ID_BYTES) {
            return Err(ServerIdError { id });
        }
        Ok(Self {
            id,
            reach,
            limits: McpLimits::default(),
            presence: Presence::default(),
            lifecycle: Lifecycle::default(),
            enabled: None,
            disabled: BTreeSet::new(),
            approval: Approval::default(),
            approvals: BTreeMap::new(),
        })
    }

    /// Adds an argument to the program's command line.
    pub fn with_argument(self, argument: impl Into<OsString>) -> Self {
        self.update_program(|program| program.arguments.push(argument.into()))
    }

    /// Passes one more variable of the host's environment to the child process. Variables whose names look
    /// like those of secrets are not passed.
    pub fn with_environment_name(self, name: impl Into<OsString>) -> Self {
        self.update_program(|program| program.environment = program.environment.clone().with_name(name))
    }

    /// Sets a variable in the child's environment, whether or not the host has it. Use it for a key that the
    /// server needs.
    pub fn with_environment_value(self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.update_program(|program| {
            program.environment = program.environment.clone().with_value(name, value);
        })
    }

    /// Sets the working directory of the child process.
    pub fn with_folder(self, folder: impl Into<PathBuf>) -> Self {
        self.update_program(|program| program.folder = Some(folder.into()))
    }

    /// Sends this token as bearer token. A token of [`with_bearer_from`](Self::with_bearer_from) takes precedence.
    ///
    /// # Errors
    /// If the token is empty or cannot be sent in a header.
    pub fn with_bearer(mut self, token: SecretString) -> Result<Self, AddressError> {
        if let Reach::Address(address) = &mut self.reach {
            address.set_bearer(token)?;
        }
        Ok(self)
    }

    /// Sends the value of this environment variable as bearer token. The variable is read when a connection
    /// starts.
    pub fn with_bearer_from(self, variable: impl Into<String>) -> Self {
        self.update_address(|address| address.set_bearer_from(variable.into()))
    }

    /// Sends a header with each request. `Debug` does not print its value.
    ///
    /// # Errors
    /// If the name or the value is not valid in a header, or if the protocol sets this header.
    pub fn with_header(mut self, name: &str, value: &str) -> Result<Self, AddressError> {
        if let Reach::Address(address) = &mut self.reach {
            address.add_header(name, value)?;
        }
        Ok(self)
    }

    /// Sends a header whose value is read from an environment variable when a connection starts.
    ///
    /// # Errors
    /// If the name is not valid in a header, or if the protocol sets this header.
    pub fn with_header_from(mut self, name: &str, variable: impl Into<String>) -> Result<Self, AddressError> {
        if let Reach::Address(address) = &mut self.reach {
            address.add_header_from(name, variable.into())?;
        }
        Ok(self)
    }

    /// Uses the stored tokens of an OAuth sign-in, if there are any, and refreshes them.
    pub fn with_sign_in(self, sign_in: SignIn) -> Self {
        self.update_address(|address| address.sign_in = Some(Arc::new(sign_in)))
    }

    /// Sets the limits on the server's time and output.
    pub fn with_limits(mut self, limits: McpLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets whether [`McpConnections::start`](crate::McpConnections::start) fails if this server does not
    /// start.
    pub fn with_presence(mut self, presence: Presence) -> Self {
        self.presence = presence;
        self
    }

    /// Sets the request that opens a connection.
    pub fn with_lifecycle(mut self, lifecycle: Lifecycle) -> Self {
        self.lifecycle = lifecycle;
        self
    }

    /// Enables only the listed tools, by the server's own names.
    pub fn with_enabled_tools(mut self, tools: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.enabled = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Disables the listed tools, by the server's own names. A tool in both lists is disabled.
    pub fn with_disabled_tools(mut self, tools: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.disabled = tools.into_iter().map(Into::into).collect();
        self
    }

    /// Sets whether a call of the server's tools asks a human.
    pub fn with_approval(mut self, approval: Approval) -> Self {
        self.approval = approval;
        self
    }

    /// Sets whether a call of one tool asks a human. It overrides [`with_approval`](Self::with_approval) for
    /// this tool.
    pub fn with_tool_approval(mut self, tool: impl Into<String>, approval: Approval) -> Self {
        self.approvals.insert(tool.into(), approval);
        self
    }

    /// Returns the server's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the server's URL, or `None` if the server is a program.
    pub fn url(&self) -> Option<&str> {
        match &self.reach {
            Reach::Address(address) => Some(address.as_str()),
            Reach::Program(_) => None,
        }
    }

    /// Returns the limits on the server's time and output.
    pub fn limits(&self) -> &McpLimits {
        &self.limits
    }

    /// Returns whether the application requires this server.
    pub fn presence(&self) -> Presence {
        self.presence
    }

    /// Returns the request that opens a connection.
    pub fn lifecycle(&self) -> Lifecycle {
        self.lifecycle
    }

    /// Returns whether a call of this tool asks a human.
    pub fn approval(&self, tool: &str) -> Approval {
        self.approvals.get(tool).copied().unwrap_or(self.approval)
    }

    /// Returns whether a tool is enabled, by the server's own name for it (RULES M6).
    pub fn enables(&self, tool: &str) -> bool {
        self.enabled.as_ref().is_none_or(|enabled| enabled.contains(tool)) && !self.disabled.contains(tool)
    }

    /// Returns a digest of the command with its arguments, or of the URL. Another command under the same id
    /// is another server (SECURITY "MCP").
    pub fn origin(&self) -> String {
        match &self.reach {
            Reach::Program(program) => program.digest(),
            Reach::Address(address) => address.digest(),
        }
    }

    pub(crate) fn reach(&self) -> &Reach {
        &self.reach
    }

    fn update_program(mut self, change: impl FnOnce(&mut Program)) -> Self {
        if let Reach::Program(program) = &mut self.reach {
            change(program);
        }
        self
    }

    fn update_address(mut self, change: impl FnOnce(&mut Address)) -> Self {
        if let Reach::Address(address) = &mut self.reach {
            change(address);
        }
        self
    }
}

/// Prints neither the environment nor the headers, which may contain keys.
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

/// Returns whether a text is valid as a tool's name: 1 to 128 characters of `A-Z a-z 0-9 _ . -`.
pub(crate) fn is_tool_name(name: &str) -> bool {
    is_name(name, NAME_BYTES)
}

fn is_name(name: &str, max: usize) -> bool {
    let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    (1..=max).contains(&name.len()) && name.bytes().all(is_fit)
}
