//! The connection to a client, and what its requests share.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use tokio::sync::watch;
use windlass_app::sessions::SessionHost;
use windlass_app::{App, RunSettings, resolve_root};

use crate::peer::Peer;
use crate::rpc::RpcError;
use crate::sessions::OpenSessions;

/// Options of an agent.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AcpOptions {
    /// True if the MCP servers that a client passes are ignored. Otherwise a session with such servers is refused,
    /// because a run uses the configured servers only.
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
    mcp_servers: Vec<Value>,
    #[serde(default)]
    additional_directories: Vec<Value>,
}

/// Checks the parts of a setup that are not the session, and returns the folder.
pub(crate) fn check_setup(connection: &Connection, setup: &Setup) -> Result<PathBuf, RpcError> {
    if !setup.mcp_servers.is_empty() && !connection.shared.options.ignore_client_servers {
        return Err(RpcError::invalid_params(
            "MCP servers of a client are not supported: configure them in the settings of windlass, or start the \
             agent with --ignore-client-servers",
        ));
    }
    if !setup.additional_directories.is_empty() {
        return Err(RpcError::invalid_params("a session has one folder; further ones are not supported"));
    }
    if !setup.cwd.is_absolute() {
        return Err(RpcError::invalid_params("the folder of a session is an absolute path"));
    }
    Ok(resolve_root(&setup.cwd)?)
}
