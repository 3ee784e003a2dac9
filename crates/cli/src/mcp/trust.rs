//! `windlass mcp trust`: trusts servers of the project, or revokes the trust. Without names, lists them.

use std::process::ExitCode;

use serde_json::json;
use windlass_app::mcp::{TrustCard, change_trust, list_trust};
use windlass_app::{App, resolve_root};
use windlass_hitl::display_safe;

use crate::arguments::McpTrust;
use crate::output;

pub(crate) fn trust(arguments: &McpTrust, app: &App) -> anyhow::Result<ExitCode> {
    let root = resolve_root(&arguments.root)?;
    if arguments.names.is_empty() {
        for card in list_trust(app, &root)? {
            list(&card, arguments.json)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    for card in change_trust(app, &root, &arguments.names, !arguments.revoke)? {
        if arguments.json {
            list(&card, true)?;
            continue;
        }
        let word = if card.is_trusted { "may be started" } else { "is no longer started" };
        let TrustCard { name, command, permissions, .. } = &card;
        output::print(&format!("{} {word}: {command}\n{permissions}", display_safe(name)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a server with everything that trust in it permits.
fn list(card: &TrustCard, json: bool) -> anyhow::Result<()> {
    if json {
        return output::line(&json!({
            "name": card.name,
            "is_trusted": card.is_trusted,
            "command": card.command,
            "permissions": card.permissions,
            "refusal": card.refusal,
        }));
    }
    let word = if card.is_trusted { "trusted" } else { "not trusted" };
    let why = card.refusal.as_ref();
    let why = why.map(|why| format!("    {}\n", display_safe(why))).unwrap_or_default();
    let TrustCard { name, command, permissions, .. } = card;
    output::print(&format!("{:<20} {word:<12} {command}\n{why}{permissions}", display_safe(name)))
}
