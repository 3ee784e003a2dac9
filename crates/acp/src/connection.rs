//! The connection to a client, and what its requests share.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde::Deserialize;
use serde_json::Value;
use tokio::sync::watch;
use windlass_app::mcp::ConfiguredServer;
use windlass_app::sessions::{EditorFiles, SessionHost};
use windlass_app::{App, RunSettings, resolve_root};

use crate::client_files::{ClientFiles, ClientFolder};
use crate::peer::Peer;
use crate::rpc::RpcError;
use crate::servers::{ClientServer, to_configured};
use crate::sessions::OpenSessions;

/// Options of an agent.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AcpOptions {
    /// True if the MCP servers that a client passes are ignored, so that a run uses the configured servers only.
    pub ignore_client_servers: bool,
}

pub(crate) struct Shared {
    pub(crate) app: App,
    pub(crate) host: SessionHost,
    pub(crate) template: RunSettings,
    pub(crate) options: AcpOptions,
}

/// Connection to a client. Clones share it.
#[derive(Clone)]
pub(crate) struct Connection {
    pub(crate) shared: Arc<Shared>,
    pub(crate) peer: Peer,
    pub(crate) sessions: OpenSessions,
    pub(crate) closing: watch::Receiver<bool>,
    /// The abilities of the client, after its first `initialize`.
    pub(crate) client: Arc<OnceLock<ClientCapabilities>>,
}

impl Connection {
    /// Returns true if the client shows forms, so that a question in words can be asked in the middle of a prompt.
    pub(crate) fn has_forms(&self) -> bool {
        let elicitation = self.client.get().and_then(|client| client.elicitation.as_ref());
        elicitation.and_then(|modes| modes.get("form")).is_some_and(Value::is_object)
    }
}

impl Connection {
    /// Lets the runs of a session read and change text files through the client, if it offers that. `folder` is the
    /// session's folder as the client names it.
    pub(crate) fn attach_files(&self, session: &str, folder: &Path) {
        let files = self.client.get().map(|client| client.fs).filter(|files| files.read_text_file);
        let files = files.map(|files| {
            let folder = ClientFolder { session: session.to_owned(), folder: folder.to_path_buf() };
            Arc::new(ClientFiles::new(self.peer.clone(), folder, files.write_text_file))
                as Arc<dyn EditorFiles>
        });
        self.shared.host.set_editor(session, files);
    }

    /// Returns true if the client shows output that it receives as a terminal.
    pub(crate) fn shows_terminals(&self) -> bool {
        let meta = self.client.get().and_then(|client| client.meta.as_ref());
        meta.and_then(|meta| meta.get("terminal_output")) == Some(&Value::Bool(true))
    }
}

/// The field `clientCapabilities` of `initialize`, without the abilities that the agent does not use.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct ClientCapabilities {
    #[serde(default)]
    elicitation: Option<Value>,
    #[serde(default)]
    fs: FileCapabilities,
    #[serde(default, rename = "_meta")]
    meta: Option<Value>,
}

/// The requests about files that the client answers.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct FileCapabilities {
    read_text_file: bool,
    write_text_file: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionId {
    pub(crate) session_id: String,
}

/// Parameters of `session/new`, `session/load` and `session/resume`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Setup {
    #[serde(default)]
    pub(crate) session_id: String,
    pub(crate) cwd: PathBuf,
    #[serde(default)]
    mcp_servers: Vec<ClientServer>,
    #[serde(default)]
    additional_directories: Vec<Value>,
}

/// Folder and MCP servers of a setup.
pub(crate) struct CheckedSetup {
    pub(crate) root: PathBuf,
    pub(crate) servers: Vec<ConfiguredServer>,
}

/// Checks the parts of a setup that are not the session.
pub(crate) fn check_setup(connection: &Connection, setup: &Setup) -> Result<CheckedSetup, RpcError> {
    let is_ignored = connection.shared.options.ignore_client_servers;
    let servers = if is_ignored { Vec::new() } else { to_configured(&setup.mcp_servers)? };
    if !setup.additional_directories.is_empty() {
        return Err(RpcError::invalid_params("a session has one folder; further ones are not supported"));
    }
    if !setup.cwd.is_absolute() {
        return Err(RpcError::invalid_params("the folder of a session is an absolute path"));
    }
    Ok(CheckedSetup { root: resolve_root(&setup.cwd)?, servers })
}
