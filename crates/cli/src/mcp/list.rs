//! `windlass mcp list`: lists the configured servers.

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use windlass_app::mcp::{ConfiguredServer, ServerOwner, describe_command, load_servers};
use windlass_app::{App, resolve_root};

use crate::output;

pub(crate) fn list(app: &App, root: &Path, json: bool) -> anyhow::Result<ExitCode> {
    for server in load_servers(app, &resolve_root(root)?)? {
        let (owner, state, words) = (owner(&server), state(&server), describe_command(&server.entry));
        if json {
            output::line(&json!({ "name": server.name, "owner": owner, "state": state, "server": words }))?;
        } else {
            output::print(&format!(
                "{:<20} {owner:<8} {state:<12} {words}\n",
                windlass_hitl::display_safe(&server.name)
            ))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn owner(server: &ConfiguredServer) -> &'static str {
    match server.owner {
        ServerOwner::User => "user",
        ServerOwner::Project => "project",
    }
}

fn state(server: &ConfiguredServer) -> &'static str {
    match (server.entry.enabled, server.is_trusted(), server.entry.required) {
        (false, ..) => "disabled",
        (true, false, _) => "not trusted",
        (true, true, true) => "required",
        (true, true, false) => "enabled",
    }
}
