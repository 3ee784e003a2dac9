//! The servers that a command's options name, and the connection to them.

use windlass_app::App;
use windlass_app::assembly::build_shell;
use windlass_app::mcp::{ConnectOptions, ConnectedServers, ServerTargets, connect_servers};

use crate::arguments::{McpSpot, McpTarget};
use crate::manual::terminal_human;

/// Returns the servers that a command's options name.
pub(super) fn find_targets(app: &App, target: &McpTarget) -> anyhow::Result<ServerTargets> {
    find_named(app, target.server.as_deref(), &target.spot)
}

/// Returns the server that the options define, the configured server with this name, or all configured
/// servers.
pub(super) fn find_named(app: &App, name: Option<&str>, spot: &McpSpot) -> anyhow::Result<ServerTargets> {
    Ok(match (&spot.url, &spot.command) {
        (Some(url), _) => ServerTargets::from_url(&spot.root, url, spot.bearer_token_env_var.clone())?,
        (None, Some(command)) => ServerTargets::from_command(&spot.root, command)?,
        (None, None) => ServerTargets::find(app, &spot.root, name)?,
    })
}

/// Starts and connects all servers. If there is a terminal, its user answers their elicitations.
pub(super) async fn connect(
    app: &App,
    targets: &ServerTargets,
    spot: &McpSpot,
) -> anyhow::Result<ConnectedServers> {
    let shell = build_shell(app, spot.sandbox.confinement(), None)?;
    let options = ConnectOptions::new(&shell, targets.redactor()).with_human(terminal_human());
    let connected = connect_servers(app, &targets.root, &targets.servers, options).await?;
    connected.connections.wait_until_settled().await;
    Ok(connected)
}
