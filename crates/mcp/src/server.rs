//! What a server is: its name here, and the command that starts it.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use windlass_sandbox::ChildEnvironment;

use crate::Limits;

/// The longest id of a server.
const ID_BYTES: usize = 64;
/// The longest name of a tool (SECURITY "MCP").
const NAME_BYTES: usize = 128;

/// A server that is started as a child process and spoken with over its standard input and output.
///
/// ```
/// use windlass_mcp::McpServer;
/// let server = McpServer::new("files", "mcp-files")?.with_argument("--read-only").with_environment_name("RUST_LOG");
/// assert_eq!(server.id(), "files");
/// assert!(McpServer::new("my files", "mcp-files").is_err());
/// # Ok::<(), windlass_mcp::ServerIdError>(())
/// ```
#[derive(Clone)]
pub struct McpServer {
    id: String,
    command: OsString,
    arguments: Vec<OsString>,
    environment: ChildEnvironment,
    folder: Option<PathBuf>,
    limits: Limits,
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
        let id = id.into();
        if !is_name(&id, ID_BYTES) {
            return Err(ServerIdError { id });
        }
        Ok(Self {
            id,
            command: command.into(),
            arguments: Vec::new(),
            environment: ChildEnvironment::new(),
            folder: None,
            limits: Limits::default(),
        })
    }

    /// The same with one more argument.
    pub fn with_argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// The same, and the child sees one more variable of the host. Names that look like secrets stay stripped.
    pub fn with_environment_name(mut self, name: impl Into<OsString>) -> Self {
        self.environment = self.environment.with_name(name);
        self
    }

    /// The same with a variable that is set for the child, whatever the host has: the way for a key that it needs.
    pub fn with_environment_value(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment = self.environment.with_value(name, value);
        self
    }

    /// The same, started in a folder.
    pub fn with_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// The same with other limits.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Its name here.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// How much of it is taken, and how long it is waited for.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// A digest of the command: under the same id another program is another server (SECURITY "MCP").
    pub fn origin(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(b"windlass mcp server 1");
        for word in std::iter::once(&self.command).chain(&self.arguments) {
            let bytes = word.as_encoded_bytes();
            hash.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(bytes);
        }
        hex(&hash.finalize())
    }

    pub(crate) fn command(&self) -> (&OsString, &[OsString]) {
        (&self.command, &self.arguments)
    }

    pub(crate) fn environment(&self) -> &ChildEnvironment {
        &self.environment
    }

    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }
}

/// Without the environment, which may hold keys.
impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServer")
            .field("id", &self.id)
            .field("command", &self.command)
            .finish_non_exhaustive()
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
