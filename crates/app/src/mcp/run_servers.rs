//! MCP servers of a run, connected before its first turn, under the run's policy and with its human.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use windlass_hitl::Policy;
use windlass_redact::Redactor;
use windlass_tool::Human;
use windlass_tools_shell::Shell;

use super::config::{self, Configured};
use super::connect::{self, Connected, Connecting};
use crate::tape::Tape;

/// Maximum time that a run waits for optional servers at its start. Tools of slower servers are offered as
/// soon as they connect.
const PATIENCE: Duration = Duration::from_secs(10);

/// The configured servers of a run.
pub(crate) struct Servers {
    servers: Vec<Configured>,
}

impl Servers {
    /// Loads the configured servers of a folder.
    pub(crate) fn of(root: &Path) -> anyhow::Result<Self> {
        Ok(Self { servers: config::load(root)? })
    }

    /// Returns the secrets of the servers' entries.
    pub(crate) fn secrets(&self) -> Vec<secrecy::SecretString> {
        connect::secrets_of(&self.servers)
    }

    /// Starts and connects the servers. A failed server gives a warning, and an error only if it is required
    /// (RULES M4).
    pub(crate) async fn connect(
        &self,
        root: &Path,
        (shell, tape): (&Shell, &Tape),
        human: Option<Arc<dyn Human>>,
        redactor: Redactor,
    ) -> anyhow::Result<Connected> {
        let connecting = Connecting { root, human, redactor, shell, tape };
        let connected = connecting.connect(&self.servers).await?;
        // `tell_failures` reports the servers that are still starting.
        let _ = tokio::time::timeout(PATIENCE, connected.connections.settled()).await;
        connected.connections.begin_turn();
        connected.tell_failures();
        Ok(connected)
    }

    /// Adds the configured approvals to the policy.
    pub(crate) fn ruled(&self, policy: Policy, connected: &Connected) -> anyhow::Result<Policy> {
        connect::ruled(policy, connected, &self.servers)
    }
}
