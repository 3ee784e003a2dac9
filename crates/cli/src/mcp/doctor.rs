//! `windlass mcp doctor`: connects each server and prints its state and problems.

use std::process::ExitCode;

use serde_json::json;
use windlass_app::App;
use windlass_app::mcp::ConfiguredServer;
use windlass_mcp::{McpClient, ServerStatus};
use windlass_text::count_noun;

use super::targets::{connect, find_targets};
use crate::arguments::McpTarget;
use crate::output;

/// Number of printed lines from the end of a server's log.
const LINES: usize = 5;

pub(crate) async fn doctor(app: &App, target: &McpTarget, json: bool) -> anyhow::Result<ExitCode> {
    let mut targets = find_targets(app, target)?;
    // A required server must not stop the diagnosis of the others.
    for server in &mut targets.servers {
        server.entry.required = false;
    }
    let connected = connect(app, &targets, &target.spot).await?;
    let mut is_well = true;
    for server in &targets.servers {
        let client = connected.connections.client(&server.name);
        let all = connected.connections.status();
        let status = all.iter().find(|(name, _)| *name == server.name).map(|(_, status)| status);
        is_well &= !matches!(status, Some(ServerStatus::Failed { .. }));
        tell(server, client, status, json)?;
    }
    connected.connections.close().await;
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn tell(
    server: &ConfiguredServer,
    client: Option<&McpClient>,
    status: Option<&ServerStatus>,
    json: bool,
) -> anyhow::Result<()> {
    let state = match status {
        None if !server.entry.enabled => "disabled".to_owned(),
        None => {
            let why = server.refusal.as_deref().unwrap_or_default();
            format!("not started: the project's, and {why} (windlass mcp trust)")
        }
        Some(ServerStatus::Ready { tools }) => format!("ready, {}", count_noun(*tools, "tool")),
        Some(ServerStatus::Failed { why, .. }) => format!("not available: {why}"),
        Some(status) => format!("{status:?}").to_lowercase(),
    };
    let refused: Vec<String> = client.map_or_else(Vec::new, |client| {
        client
            .list_refused_tools()
            .into_iter()
            .map(|refused| format!("{}: {}", refused.name, refused.why))
            .collect()
    });
    let unaccepted = client.map_or(0, |client| client.definitions_to_accept().len());
    let log: Vec<String> = client.map_or_else(Vec::new, |client| {
        client.log().iter().rev().take(LINES).map(|line| line.text.clone()).collect()
    });
    let version = client.and_then(McpClient::protocol_version);
    let has_resources = client.is_some_and(McpClient::has_resources);
    if json {
        return output::line(&json!({
            "name": server.name, "server": server.entry.words(), "state": state, "refused": refused,
            "unaccepted": unaccepted, "resources": has_resources, "protocol": version, "log": log,
        }));
    }
    output::print(&format!("{}: {state}\n  {}\n", server.name, server.entry.words()))?;
    if let Some(version) = version {
        output::print(&format!("  it speaks MCP {version}\n"))?;
    }
    if has_resources {
        output::print("  it has resources\n")?;
    }
    if unaccepted > 0 {
        output::print(&format!("  tools that are not accepted yet: {unaccepted}\n"))?;
    }
    for refused in refused {
        output::print(&format!("  refused: {refused}\n"))?;
    }
    for line in log.iter().rev() {
        output::print(&format!("  its output: {line}\n"))?;
    }
    Ok(())
}
