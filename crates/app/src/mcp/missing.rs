//! Stand-in for connections in builds without the feature `mcp`.

use std::sync::Arc;

use windlass_agent::Approver;
use windlass_toolbox::DynamicTools;

use crate::assembly::OfferedServers;

/// No connections.
pub(crate) struct ConnectedServers;

impl ConnectedServers {
    pub(crate) fn wrap_approver(&self, approver: Arc<dyn Approver>) -> Arc<dyn Approver> {
        approver
    }

    pub(crate) fn offer(&self) -> OfferedServers {
        OfferedServers { dynamic: DynamicTools::default(), proxies: Vec::new() }
    }

    pub(crate) fn keep_alive(self) {}
}
