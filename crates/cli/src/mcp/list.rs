//! `windlass mcp list`: lists the configured servers.

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;

use super::config::{self, Configured, Owner};
use super::shown;
use crate::{output, setup};

pub(crate) fn list(root: &Path, json: bool) -> anyhow::Result<ExitCode> {
    for server in config::load(&setup::root(root)?)? {
        let (owner, state, words) = (owner(&server), state(&server), shown::words(&server.entry));
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

fn owner(server: &Configured) -> &'static str {
    match server.owner {
        Owner::User => "user",
        Owner::Project => "project",
    }
}

fn state(server: &Configured) -> &'static str {
    match (server.entry.enabled, server.is_trusted(), server.entry.required) {
        (false, ..) => "disabled",
        (true, false, _) => "not trusted",
        (true, true, true) => "required",
        (true, true, false) => "enabled",
    }
}
