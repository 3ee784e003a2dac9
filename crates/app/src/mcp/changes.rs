//! Changed lists of MCP servers in a recorded run: they are offered and recorded in one step.

use std::sync::{Mutex, PoisonError};

use windlass_mcp::{AcceptedTools, McpConnections};

use super::ConnectedServers;
use super::recorded::{RecordedServers, SOURCE};
use crate::runs::Recording;

/// Offers and records the lists of the servers now, and each changed list when a turn compares its tools. The lists of
/// the servers change at any time, so both happen in one step before the request of a turn is composed: the last
/// recorded definitions are those that the request offers.
pub(super) fn record_changes(
    connected: &ConnectedServers,
    recording: &Recording,
    describe: impl Fn(&McpConnections, &AcceptedTools) -> RecordedServers + Send + Sync + 'static,
) {
    // The recording lives as long as the tools, so it must not own the connections.
    let (connections, accepted) = (connected.connections.downgrade(), connected.acceptance().clone());
    let (recording, last) = (recording.clone(), Mutex::new(None::<RecordedServers>));
    let update = move || {
        let Some(connections) = connections.upgrade() else { return };
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        let now = loop {
            connections.renew_offers();
            let now = describe(&connections, &accepted);
            // If a list changed while the definitions were described, the description is possibly newer than the
            // offer.
            if !connections.renew_offers() {
                break now;
            }
        };
        // An approval during the run accepts a definition. A replay of the approval does this, too.
        if last.as_ref().is_none_or(|last| !last.offers_same(&now)) {
            recording.record_definitions(SOURCE, &now);
            *last = Some(now);
        }
    };
    update();
    connected.register_updater(update);
}
