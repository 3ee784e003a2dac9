//! One server as a configuration file has it.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::arguments::SandboxName;

/// One `[mcp_servers.NAME]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// The program that is the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) command: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) args: Vec<String>,
    /// Where it starts; relative to the folder of the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cwd: Option<PathBuf>,
    /// The address of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
    /// The variable of the environment that holds the token for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) bearer_token_env_var: Option<String>,
    /// Origins that a sign-in may reach although their addresses are not public, such as the authority of a company's own
    /// network.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) oauth_authorities: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) startup_timeout_sec: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool_timeout_sec: Option<f64>,
    /// These tools alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) enabled_tools: Option<Vec<String>>,
    /// None of these tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) disabled_tools: Vec<String>,
    /// Whether nothing begins without it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) required: bool,
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub(crate) enabled: bool,
    /// Whether its tools ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) approval: Option<ApprovalWord>,
    /// Whether its process is confined: the folder of the work to write, no network. Without a word a project's server
    /// is, and one of the user's, who knows what it needs, is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sandbox: Option<SandboxName>,
    /// Variables of the environment that it gets, whatever their names are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) env_vars: Vec<String>,
    /// Variables that are set for it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) env: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) http_headers: BTreeMap<String, String>,
    /// Headers by the variables of the environment that hold them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) env_http_headers: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) tools: BTreeMap<String, ToolEntry>,
}

/// One `[mcp_servers.NAME.tools.TOOL]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolEntry {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) approval: Option<ApprovalWord>,
}

/// Whether a tool asks before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ApprovalWord {
    /// As policy says.
    Policy,
    /// Each time.
    Always,
    /// Not, once its definition was accepted.
    Never,
}

/// The keys of an entry, for the near miss of one that is unknown.
pub(crate) const KEYS: [&str; 19] = [
    "command",
    "args",
    "cwd",
    "url",
    "bearer_token_env_var",
    "oauth_authorities",
    "startup_timeout_sec",
    "tool_timeout_sec",
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
/// The keys of a tool's entry.
pub(crate) const TOOL_KEYS: [&str; 1] = ["approval"];

fn yes() -> bool {
    true
}

impl Entry {
    /// What is wrong with it, beside its keys.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        match (&self.command, &self.url) {
            (Some(_), Some(_)) => anyhow::bail!("it has `command` and `url`; a server is one of both"),
            (None, None) => anyhow::bail!("it has neither `command` nor `url`"),
            (Some(command), None) => {
                anyhow::ensure!(!command.trim().is_empty(), "its `command` is empty");
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
            anyhow::ensure!(
                is_origin(origin),
                "`oauth_authorities` has {origin:?}, which is not an origin such as \"https://login.example\""
            );
            anyhow::ensure!(
                !is_foreign_address(origin),
                "`oauth_authorities` has the address {origin:?}; name the authority by its host's name"
            );
        }
        for (key, seconds) in
            [("startup_timeout_sec", self.startup_timeout_sec), ("tool_timeout_sec", self.tool_timeout_sec)]
        {
            let is_time = seconds.is_none_or(|seconds| seconds > 0.0 && seconds <= 86_400.0);
            anyhow::ensure!(is_time, "`{key}` is not between 0 and 86400 seconds");
        }
        Ok(())
    }

    /// What it would start or reach, in words. Values may be keys and are not in it.
    pub(crate) fn words(&self) -> String {
        if let Some(url) = &self.url {
            return url.clone();
        }
        let mut words: Vec<String> =
            self.env.keys().chain(&self.env_vars).map(|name| format!("{name}=…")).collect();
        words.extend(self.command.iter().chain(&self.args).map(|word| quoted(word)));
        words.join(" ")
    }
}

/// Whether a text is a scheme, a host and perhaps a port.
fn is_origin(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = host.map(|rest| rest.strip_suffix('/').unwrap_or(rest));
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-._:[]".contains(letter);
    host.is_some_and(|host| !host.is_empty() && host.chars().all(is_plain))
}

/// Whether an origin has an address of another machine in the place of a name. Sign-ins take none of those.
fn is_foreign_address(origin: &str) -> bool {
    let host = origin.rsplit("//").next().unwrap_or_default().trim_end_matches('/');
    let host = if host.starts_with('[') { host.split_inclusive(']').next() } else { host.split(':').next() };
    let host = host.unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host.parse::<IpAddr>().is_ok_and(|address| !address.is_loopback())
}

fn no_such(keys: &[(&str, bool)], with: &str) -> anyhow::Result<()> {
    match keys.iter().find(|(_, is_said)| *is_said) {
        Some((key, _)) => anyhow::bail!("it has `{key}` with {with}"),
        None => Ok(()),
    }
}

/// A word that can be told from its neighbours.
fn quoted(word: &str) -> String {
    let is_plain = !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:=@,+%".contains(&byte));
    if is_plain { word.to_owned() } else { format!("{word:?}") }
}
