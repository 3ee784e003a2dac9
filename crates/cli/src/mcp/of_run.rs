//! The servers of a run: connected before its first turn, under the run's own policy and human.

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

/// How long a run waits for servers that need not be there. The tools of those that come later are offered from
/// then on.
const PATIENCE: Duration = Duration::from_secs(10);

/// The servers that are configured for a run.
pub(crate) struct Servers {
    servers: Vec<Configured>,
}

impl Servers {
    /// What is configured for a folder.
    pub(crate) fn of(root: &Path) -> anyhow::Result<Self> {
        Ok(Self { servers: config::load(root)? })
    }

    /// What is secret to them.
    pub(crate) fn secrets(&self) -> Vec<secrecy::SecretString> {
        connect::secrets_of(&self.servers)
    }

    /// Starts and reaches them. One that fails is said and stops nothing, unless it is required (RULES M4).
    pub(crate) async fn connect(
        &self,
        root: &Path,
        (shell, tape): (&Shell, &Tape),
        human: Option<Arc<dyn Human>>,
        redactor: Redactor,
    ) -> anyhow::Result<Connected> {
        let connecting = Connecting { root, human, redactor, shell, tape };
        let connected = connecting.connect(&self.servers).await?;
        // Whoever is not there in time is told below.
        let _ = tokio::time::timeout(PATIENCE, connected.connections.settled()).await;
        connected.connections.begin_turn();
        connected.tell_failures();
        Ok(connected)
    }

    /// The policy with what the configuration says of approvals.
    pub(crate) fn ruled(&self, policy: Policy, connected: &Connected) -> anyhow::Result<Policy> {
        connect::ruled(policy, connected, &self.servers)
    }
}
