//! `windlass proxy check`.

use std::process::ExitCode;

use windlass_app::App;

use super::assembly::{self, Purpose};
use super::endpoint;
use super::file::{ProxyFile, UpstreamEntry};
use crate::arguments::ProxyCheck;
use crate::output;

/// Checks a file, and prints its upstreams, aliases and clients.
pub(super) async fn check(arguments: &ProxyCheck, app: &App) -> anyhow::Result<ExitCode> {
    let options = arguments.reach.options();
    let (file, _) = assembly::load(&arguments.file, &options, app, Purpose::Check).await?;
    if let Some(entry) = &file.tls {
        endpoint::read_certificate(entry)?;
    }
    output::print(&describe(&file)?)?;
    Ok(ExitCode::SUCCESS)
}

fn describe(file: &ProxyFile) -> anyhow::Result<String> {
    let default = file.default_upstream()?;
    let mut lines = Vec::new();
    for (name, entry) in &file.upstreams {
        let mark = if name == default { " (default)" } else { "" };
        lines.push(format!("upstream {name}{mark}: {}", describe_upstream(entry)));
    }
    for (name, alias) in &file.aliases {
        lines.push(format!("alias {name}: {alias}"));
    }
    for (name, client) in &file.clients {
        let models = client.models.as_ref().filter(|models| !models.is_empty());
        let models = models.map_or_else(|| "all models".to_owned(), |models| models.join(", "));
        let limits = serde_json::to_string(&client.limits)?;
        lines.push(format!("client {name}: {models}; limits {limits}"));
    }
    Ok(format!("the file is valid\n{}\n", lines.join("\n")))
}

fn describe_upstream(entry: &UpstreamEntry) -> String {
    let address = entry.base_url.as_deref().or(entry.provider.as_deref()).unwrap_or_default();
    let key = match (&entry.key_env, entry.key_command.first()) {
        (Some(name), _) => format!("key from {name}"),
        (None, Some(program)) => format!("key from the command {program}, which was not run"),
        (None, None) => "key as for every command".to_owned(),
    };
    let models =
        if entry.models.is_empty() { String::new() } else { format!("; {}", entry.models.join(", ")) };
    format!("{address}, {key}{models}")
}
