//! `windlass mcp tools`: lists the tools of servers.

use std::process::ExitCode;

use serde_json::json;
use windlass_app::App;
use windlass_hitl::display_safe;

use super::targets::{connect, find_targets};
use crate::arguments::McpTarget;
use crate::output;

pub(crate) async fn tools(app: &App, target: &McpTarget, json: bool) -> anyhow::Result<ExitCode> {
    let targets = find_targets(app, target)?;
    let connected = connect(app, &targets, &target.spot).await?;
    connected.report_failures(app);
    let mut is_any = false;
    for client in connected.connections.clients() {
        is_any |= client.is_connected();
        let unaccepted = client.definitions_to_accept();
        for definition in client.definitions().iter().filter(|one| client.server().enables(&one.name)) {
            let is_accepted = !unaccepted.iter().any(|other| other.name == definition.name);
            if json {
                output::line(&json!({
                    "server": definition.server, "name": definition.name, "description": definition.description,
                    "schema": definition.input_schema, "fingerprint": definition.fingerprint, "accepted": is_accepted,
                }))?;
            } else {
                let mark = if is_accepted { ' ' } else { '*' };
                let words = display_safe(&definition.description);
                let first = words.lines().next().unwrap_or_default();
                output::print(&format!("{mark} {}/{:<28} {first}\n", definition.server, definition.name))?;
            }
        }
    }
    if !json && is_any {
        output::note(
            "a tool with * has not been accepted: its first call needs approval and shows its \
             definition",
        );
    }
    connected.connections.close().await;
    Ok(if is_any { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
