//! MCP servers of a run, connected before its first turn, under the run's policy and with its human.

use std::path::Path;
use std::sync::Arc;
#[cfg(feature = "mcp")]
use std::time::Duration;

use secrecy::SecretString;
use windlass_hitl::Policy;
use windlass_redact::Redactor;
use windlass_tool::Human;
use windlass_tools_shell::Shell;

use super::ConnectedServers;
use super::config::{ConfiguredServer, load_servers};
#[cfg(feature = "mcp")]
use super::connect::{ConnectOptions, add_approval_rules, connect_servers};
use super::secrets::collect_secrets;
use crate::app::App;
use crate::error::Result;
use crate::runs::Recording;

/// Maximum time that a run waits for optional servers at its start. Tools of slower servers are offered as
/// soon as they connect.
#[cfg(feature = "mcp")]
const PATIENCE: Duration = Duration::from_secs(10);

/// The configured servers of a run.
pub(crate) struct RunServers {
    servers: Vec<ConfiguredServer>,
}

impl RunServers {
    /// Loads the configured servers of a folder.
    pub(crate) fn load(app: &App, root: &Path) -> Result<Self> {
        Ok(Self { servers: load_servers(app, root)? })
    }

    /// Returns the secrets of the servers' entries.
    pub(crate) fn secrets(&self) -> Vec<SecretString> {
        collect_secrets(&self.servers)
    }

    /// Starts and connects the servers. A failed server gives a warning, and an error only if it is required
    /// (RULES M4).
    #[cfg(feature = "mcp")]
    pub(crate) async fn connect(
        &self,
        app: &App,
        root: &Path,
        (shell, recording): (&Shell, &Recording),
        human: Option<Arc<dyn Human>>,
        redactor: Redactor,
    ) -> Result<ConnectedServers> {
        let options = ConnectOptions::new(shell, redactor).with_human(human).with_recording(recording);
        let connected = connect_servers(app, root, &self.servers, options).await?;
        // `report_failures` names the servers that are still starting.
        let _ = tokio::time::timeout(PATIENCE, connected.connections.wait_until_settled()).await;
        connected.connections.begin_turn();
        connected.report_failures(app);
        Ok(connected)
    }

    /// Fails if a server is required, and otherwise warns of the servers that this build cannot connect.
    #[cfg(not(feature = "mcp"))]
    #[expect(clippy::unused_async, reason = "a build with the feature waits here")]
    pub(crate) async fn connect(
        &self,
        app: &App,
        _: &Path,
        _: (&Shell, &Recording),
        _: Option<Arc<dyn Human>>,
        _: Redactor,
    ) -> Result<ConnectedServers> {
        for server in self.servers.iter().filter(|server| server.entry.enabled) {
            let name = &server.name;
            crate::error::ensure!(
                !server.entry.required,
                MissingFeature,
                "the MCP server {name} is required, and this build lacks the feature `mcp`"
            );
            app.warn(format!("the MCP server {name} is left out: this build lacks the feature `mcp`"));
        }
        Ok(ConnectedServers)
    }

    /// Adds the configured approvals to the policy.
    pub(crate) fn add_rules(&self, policy: Policy, connected: &ConnectedServers) -> Result<Policy> {
        #[cfg(feature = "mcp")]
        return add_approval_rules(policy, connected, &self.servers);
        #[cfg(not(feature = "mcp"))]
        {
            let ConnectedServers = connected;
            Ok(policy)
        }
    }
}
