//! Stand-in for connections in builds without the feature `mcp`.

use std::sync::Arc;

use windlass_agent::Approver;
use windlass_toolbox::DynamicTools;

use crate::assembly::OfferedServers;

/// No connections.
pub(crate) struct ConnectedServers;

impl ConnectedServers {
    #[expect(clippy::unused_self, reason = "a build with MCP servers wraps the approver")]
    pub(crate) fn wrap_approver(&self, approver: Arc<dyn Approver>) -> Arc<dyn Approver> {
        approver
    }

    #[expect(clippy::unused_self, reason = "a build with MCP servers offers their tools")]
    pub(crate) fn offer(&self) -> OfferedServers {
        OfferedServers { dynamic: DynamicTools::default(), proxies: Vec::new() }
    }

    pub(crate) fn keep_alive(self) {}
}
