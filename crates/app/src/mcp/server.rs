//! Converts a configured server to a `McpServer`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use windlass_mcp::{Approval, FileTokens, Lifecycle, McpLimits, McpServer, Presence, SignIn};

use super::config::ConfiguredServer;
use super::entry::{ApprovalRule, LifecycleRule, ServerEntry, bearer_of};
use crate::app::App;
use crate::error::{AppError, Context as _, ErrorKind, Result, bail};

/// Folder of the sign-ins' tokens, in the state folder.
const TOKENS: &str = "mcp/tokens";

/// Default limit on the start of a server. The first start of many servers downloads a package.
const STARTUP: Duration = Duration::from_secs(30);

/// Converts a configured server to a `McpServer`.
///
/// # Errors
///
/// Fails if a value of the entry cannot be used.
pub fn build_server(app: &App, configured: &ConfiguredServer, root: &Path) -> Result<McpServer> {
    let ConfiguredServer { name, entry, .. } = configured;
    let of_it = || format!("the MCP server {name} cannot be used");
    let mut server = match (&entry.command, &entry.url) {
        (Some(command), _) => {
            let server = McpServer::new(name, command).with_context(of_it)?.with_folder(entry.folder(root));
            let server = entry.args.iter().fold(server, McpServer::with_argument);
            environment(app, name, entry)
                .into_iter()
                .fold(server, |server, (name, value)| server.with_environment_value(name, value))
        }
        (None, Some(url)) => build_http_server(app, name, url, entry).with_context(of_it)?,
        (None, None) => bail!(Invalid, "the MCP server {name} has neither `command` nor `url`"),
    };
    server = server.with_limits(limits(entry)).with_disabled_tools(&entry.disabled_tools);
    if let Some(tools) = &entry.enabled_tools {
        server = server.with_enabled_tools(tools);
    }
    if let Some(rule) = entry.lifecycle {
        server = server.with_lifecycle(lifecycle(rule));
    }
    if entry.required {
        server = server.with_presence(Presence::Required);
    }
    if let Some(word) = entry.approval {
        server = server.with_approval(approval(word));
    }
    for (tool, entry) in &entry.tools {
        if let Some(word) = entry.approval {
            server = server.with_tool_approval(tool, approval(word));
        }
    }
    Ok(server)
}

fn build_http_server(app: &App, name: &str, url: &str, entry: &ServerEntry) -> Result<McpServer> {
    let mut server = McpServer::http(name, url)?;
    if let Some(variable) = &entry.bearer_token_env_var {
        server = server.with_bearer_from(variable);
    }
    for (header, value) in &entry.http_headers {
        server = match bearer_of(header, value) {
            Some(token) => server.with_bearer(token.into())?,
            None => server.with_header(header, value)?,
        };
    }
    for (header, variable) in &entry.env_http_headers {
        server = server.with_header_from(header, variable)?;
    }
    let tokens = FileTokens::new(app.state_file(TOKENS)?);
    let sign_in =
        entry.oauth_authorities.iter().try_fold(SignIn::new(Arc::new(tokens)), |sign_in, origin| {
            let refused = || format!("`oauth_authorities` has {origin:?}, which is not an address");
            let sign_in = sign_in.with_authority(origin);
            sign_in.map_err(|error| AppError::foreign(ErrorKind::Invalid, error)).with_context(refused)
        });
    Ok(server.with_sign_in(sign_in?))
}

fn limits(entry: &ServerEntry) -> McpLimits {
    let seconds = |seconds: Option<f64>, usual| seconds.map_or(usual, Duration::from_secs_f64);
    let usual = McpLimits::default();
    McpLimits {
        start: seconds(entry.startup_timeout_sec, STARTUP),
        call: seconds(entry.tool_timeout_sec, usual.call),
        ..usual
    }
}

fn lifecycle(rule: LifecycleRule) -> Lifecycle {
    match rule {
        LifecycleRule::Auto => Lifecycle::Auto,
        LifecycleRule::Discover => Lifecycle::Discover,
        LifecycleRule::Initialize => Lifecycle::Initialize,
    }
}

fn approval(word: ApprovalRule) -> Approval {
    match word {
        ApprovalRule::Policy => Approval::Policy,
        ApprovalRule::Always => Approval::Always,
        ApprovalRule::Never => Approval::Never,
    }
}

/// Returns the environment variables for the server's process. Sends a warning for a missing variable,
/// because the server would fail without it.
pub(crate) fn environment(app: &App, server: &str, entry: &ServerEntry) -> BTreeMap<String, OsString> {
    let mut values: BTreeMap<String, OsString> =
        entry.env.iter().map(|(name, value)| (name.clone(), value.into())).collect();
    for name in &entry.env_vars {
        match std::env::var_os(name) {
            Some(value) => drop(values.insert(name.clone(), value)),
            None => app.warn(format!("{name}, which the MCP server {server} needs, is not set")),
        }
    }
    values
}
