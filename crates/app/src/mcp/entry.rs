//! A server's entry in a configuration file.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::config::Confinement;
use crate::error::{Result, bail, ensure};

/// The table `[mcp_servers.NAME]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ServerEntry {
    /// Program of a server that runs as a child process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Arguments of the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Working directory of the process, relative to the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// Address of a server that is reached over HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Name of the environment variable with the server's bearer token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bearer_token_env_var: Option<String>,
    /// Origins that a sign-in may reach although their addresses are not public, such as the authority in a
    /// company's network.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub oauth_authorities: Vec<String>,
    /// Time limit in seconds for the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub startup_timeout_sec: Option<f64>,
    /// Time limit in seconds for a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_timeout_sec: Option<f64>,
    /// The request that opens a connection. By default `server/discover`, and `initialize` for servers of
    /// versions before 2026-07-28.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifecycle: Option<LifecycleRule>,
    /// The only tools that are offered, if set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled_tools: Option<Vec<String>>,
    /// Tools that are not offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disabled_tools: Vec<String>,
    /// True if a run must not start without the server.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// False if runs do not use the server.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub enabled: bool,
    /// Approval of calls of the server's tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalRule>,
    /// Confinement of the process: write access to the workspace only, and no network. By default a project's
    /// server is confined, and a user's server is not, because users know what their servers need.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<Confinement>,
    /// Names of environment variables that the process inherits, whatever their names are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env_vars: Vec<String>,
    /// Environment variables that are set for the process.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Headers that are sent with each request.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub http_headers: BTreeMap<String, String>,
    /// Names of environment variables with the values of headers, by header.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env_http_headers: BTreeMap<String, String>,
    /// Settings of single tools.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, ToolEntry>,
}

/// The table `[mcp_servers.NAME.tools.TOOL]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ToolEntry {
    /// Approval of calls of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalRule>,
}

/// Approval of a tool's calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "the configuration names one of these")]
pub enum ApprovalRule {
    /// Policy decides.
    Policy,
    /// Each call asks.
    Always,
    /// Calls do not ask after the tool's definition was accepted.
    Never,
}

/// The request that opens a connection to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "the configuration names one of these")]
pub enum LifecycleRule {
    /// `server/discover`, then `initialize` if the server does not know it.
    Auto,
    /// `server/discover` only: protocol version 2026-07-28 and later.
    Discover,
    /// `initialize` only: protocol versions before 2026-07-28.
    Initialize,
}

/// Keys of an entry, for the suggestion after an unknown key.
pub(crate) const KEYS: [&str; 20] = [
    "command",
    "args",
    "cwd",
    "url",
    "bearer_token_env_var",
    "oauth_authorities",
    "startup_timeout_sec",
    "tool_timeout_sec",
    "lifecycle",
    "enabled_tools",
    "disabled_tools",
    "required",
    "enabled",
    "approval",
    "sandbox",
    "env_vars",
    "env",
    "http_headers",
    "env_http_headers",
    "tools",
];
/// Keys of a tool's entry.
pub(crate) const TOOL_KEYS: [&str; 1] = ["approval"];

fn yes() -> bool {
    true
}

impl ServerEntry {
    /// Creates the entry of a server that runs as a child process.
    pub fn for_command(command: impl Into<String>, args: Vec<String>) -> Self {
        Self { command: Some(command.into()), args, enabled: true, ..Self::default() }
    }

    /// Creates the entry of a server that is reached over HTTP.
    pub fn for_url(url: impl Into<String>) -> Self {
        Self { url: Some(url.into()), enabled: true, ..Self::default() }
    }

    /// Checks the entry's values and combinations of keys. The keys themselves were checked before.
    pub(crate) fn check(&self) -> Result<()> {
        match (&self.command, &self.url) {
            (Some(_), Some(_)) => bail!(Invalid, "it has both `command` and `url`; give one of them"),
            (None, None) => bail!(Invalid, "it has neither `command` nor `url`"),
            (Some(command), None) => {
                ensure!(!command.trim().is_empty(), Invalid, "its `command` is empty");
                let of_addresses = [
                    ("bearer_token_env_var", self.bearer_token_env_var.is_some()),
                    ("oauth_authorities", !self.oauth_authorities.is_empty()),
                    ("http_headers", !self.http_headers.is_empty()),
                    ("env_http_headers", !self.env_http_headers.is_empty()),
                ];
                no_such(&of_addresses, "`command`; that key is for a `url`")?;
            }
            (None, Some(_)) => {
                let of_programs = [
                    ("args", !self.args.is_empty()),
                    ("cwd", self.cwd.is_some()),
                    ("env", !self.env.is_empty()),
                    ("env_vars", !self.env_vars.is_empty()),
                    ("sandbox", self.sandbox.is_some()),
                ];
                no_such(&of_programs, "`url`; that key is for a `command`")?;
            }
        }
        for origin in &self.oauth_authorities {
            ensure!(
                is_origin(origin),
                Invalid,
                "`oauth_authorities` has {origin:?}, which is not an origin such as \"https://login.example\""
            );
            ensure!(
                !is_foreign_address(origin),
                Invalid,
                "`oauth_authorities` has the address {origin:?}; name the authority by its host's name"
            );
        }
        for (key, seconds) in
            [("startup_timeout_sec", self.startup_timeout_sec), ("tool_timeout_sec", self.tool_timeout_sec)]
        {
            let is_time = seconds.is_none_or(|seconds| seconds > 0.0 && seconds <= 86_400.0);
            ensure!(is_time, Invalid, "`{key}` is not between 0 and 86400 seconds");
        }
        Ok(())
    }

    /// Returns the working directory of the server's process.
    pub(crate) fn folder(&self, root: &Path) -> PathBuf {
        self.cwd.as_ref().map_or_else(|| root.to_path_buf(), |folder| root.join(folder))
    }

    /// Returns the command or the address for display. Values of variables may be secrets and are replaced by
    /// `…`.
    pub fn words(&self) -> String {
        if let Some(url) = &self.url {
            return url.clone();
        }
        let mut words: Vec<String> =
            self.env.keys().chain(&self.env_vars).map(|name| format!("{name}=…")).collect();
        words.extend(self.command.iter().chain(&self.args).map(|word| quote(word)));
        words.join(" ")
    }
}

/// Returns the token of an `Authorization` header with a bearer token. The client sets this header itself.
pub(crate) fn bearer_of<'a>(header: &str, value: &'a str) -> Option<&'a str> {
    let (scheme, token) = value.split_once(' ')?;
    let is_bearer = header.eq_ignore_ascii_case("authorization") && scheme.eq_ignore_ascii_case("bearer");
    is_bearer.then(|| token.trim())
}

/// Returns true if a text consists of a scheme, a host and an optional port.
fn is_origin(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = host.map(|rest| rest.strip_suffix('/').unwrap_or(rest));
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-._:[]".contains(letter);
    host.is_some_and(|host| !host.is_empty() && host.chars().all(is_plain))
}

/// Returns true if an origin has an IP address that is not a loopback address. Sign-ins refuse such origins.
fn is_foreign_address(origin: &str) -> bool {
    let host = origin.rsplit("//").next().unwrap_or_default().trim_end_matches('/');
    let host = if host.starts_with('[') { host.split_inclusive(']').next() } else { host.split(':').next() };
    let host = host.unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host.parse::<IpAddr>().is_ok_and(|address| !address.is_loopback())
}

fn no_such(keys: &[(&str, bool)], with: &str) -> Result<()> {
    match keys.iter().find(|(_, is_said)| *is_said) {
        Some((key, _)) => bail!(Invalid, "it has `{key}` with {with}"),
        None => Ok(()),
    }
}

/// Quotes a word that contains a space or a special character.
fn quote(word: &str) -> String {
    let is_plain = !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:=@,+%".contains(&byte));
    if is_plain { word.to_owned() } else { format!("{word:?}") }
}
