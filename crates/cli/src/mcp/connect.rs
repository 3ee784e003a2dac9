//! Connects the configured servers.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use secrecy::SecretString;
use windlass_hitl::{Action, Policy, Rule, RuleFile, Source, display_safe};
use windlass_mcp::{Approval, ClientOptions, ConnectionOptions, McpClient, McpConnections, ServerStatus};
use windlass_redact::Redactor;
use windlass_tool::Human;
use windlass_toolbox::DynamicTools;
use windlass_tools_shell::{ServiceCommand, Shell};

use super::accepted::AcceptedFile;
use super::config::{Configured, Owner};
use super::confined::Confined;
use super::server::{environment, folder, server};
use super::shown;
use crate::arguments::SandboxName;
use crate::tape::Tape;
use crate::{output, secrets};

/// Context of the connections: the workspace, the human, the redactor, the sandbox and the recording.
pub(crate) struct Connecting<'a> {
    /// Root folder of the workspace, without links.
    pub(crate) root: &'a Path,
    /// Human who answers elicitations of the servers.
    pub(crate) human: Option<Arc<dyn Human>>,
    pub(crate) redactor: Redactor,
    /// Starts the processes of confined servers.
    pub(crate) shell: &'a Shell,
    /// Records or replays the calls of the servers' tools.
    pub(crate) tape: &'a Tape,
}

/// The connected servers of a run or of one command.
#[derive(Clone)]
pub(crate) struct Connected {
    pub(crate) connections: McpConnections,
    pub(crate) accepted: AcceptedFile,
    dynamic: DynamicTools,
}

impl Connecting<'_> {
    /// Starts and connects the enabled servers concurrently. A failed server is an error only if it is
    /// required.
    pub(crate) async fn connect(self, servers: &[Configured]) -> anyhow::Result<Connected> {
        let accepted = AcceptedFile::load()?;
        let (kept, tape) = (accepted.clone(), self.tape.clone());
        let mut options = ClientOptions::default()
            .with_accepted(accepted.tools.clone())
            .with_redactor(self.redactor.clone())
            .with_root(file_url(self.root))
            .with_each(move |client, tool| tape.tool(kept.of(client, tool)));
        if let Some(human) = &self.human {
            options = options.with_human(human.clone());
        }
        let mut clients = Vec::new();
        for configured in servers.iter().filter(|server| server.entry.enabled) {
            if let Some(why) = &configured.refusal {
                output::note(&format!(
                    "the project's MCP server {0} is not started: {1}\n  {2}; say yes to it with: windlass mcp trust {0}",
                    display_safe(&configured.name),
                    shown::words(&configured.entry),
                    display_safe(why)
                ));
                continue;
            }
            let server = server(configured, self.root)?;
            clients.push(match self.confined(configured)? {
                Some(confined) => McpClient::reached_by(server, Arc::new(confined), options.clone()),
                None => McpClient::of(server, options.clone()),
            });
        }
        let dynamic = DynamicTools::default();
        let options = ConnectionOptions::default().with_dynamic(dynamic.clone());
        let connections = McpConnections::of(clients, options).await?;
        Ok(Connected { connections, accepted, dynamic })
    }

    /// Returns the connector of a confined server, or `None` if the server is not confined.
    fn confined(&self, configured: &Configured) -> anyhow::Result<Option<Confined>> {
        let Configured { name, entry, owner, .. } = configured;
        let Some(command) = &entry.command else { return Ok(None) };
        let usual = if *owner == Owner::Project { SandboxName::Auto } else { SandboxName::Off };
        let wanted = entry.sandbox.unwrap_or(usual);
        let is_apart = self.shell.level().is_apart();
        anyhow::ensure!(
            is_apart || wanted != SandboxName::Required,
            "the MCP server {name} is to be confined, which this machine or --sandbox does not do"
        );
        if wanted == SandboxName::Off || !is_apart {
            return Ok(None);
        }
        let words = std::iter::once(command).chain(&entry.args).cloned();
        let service = ServiceCommand::new(words, folder(entry, self.root), self.root);
        let service = environment(name, entry)
            .into_iter()
            .fold(service, |service, (name, value)| service.with_value(name, value));
        Ok(Some(Confined::new(self.shell.clone(), service)))
    }
}

impl Connected {
    /// Prints a warning for each server that failed or is still starting, and for each tool that was refused.
    pub(crate) fn tell_failures(&self) {
        for (name, status) in self.connections.status() {
            match status {
                ServerStatus::Failed { why, .. } => {
                    output::note(&format!("warning: the MCP server {name} is not there: {why}"));
                }
                ServerStatus::Starting => {
                    output::note(&format!(
                        "warning: the MCP server {name} is still starting; its tools come later"
                    ));
                }
                _ => {}
            }
        }
        for client in self.connections.clients() {
            for refused in client.refused() {
                output::note(&format!(
                    "warning: {} of {} is not taken: {}",
                    refused.name,
                    client.id(),
                    refused.why
                ));
            }
        }
    }

    /// Keeps the connections, and the updates of their tools, alive until the runtime ends: no object of a
    /// run lives as long.
    pub(crate) fn keep(self) {
        tokio::spawn(async move {
            let _connected = self;
            std::future::pending::<()>().await;
        });
    }

    /// Returns the tools of all servers, which change when a server's list changes.
    pub(crate) fn dynamic(&self) -> &DynamicTools {
        &self.dynamic
    }
}

fn file_url(root: &Path) -> String {
    // Percent-encode every other byte.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    root.as_os_str().as_encoded_bytes().iter().fold("file://".to_owned(), |url, &byte| {
        if plain(byte) {
            url + char::from(byte).encode_utf8(&mut [0; 4])
        } else {
            url + &format!("%{byte:02X}")
        }
    })
}

/// Adds the user's configured approvals to the policy: one rule for each tool with `approval = "never"`,
/// which then asks only until its definition is accepted. A project's entry can only tighten, so it adds no
/// rule (RULES H11). `always` needs no rule, because it makes a tool critical.
pub(crate) fn ruled(policy: Policy, connected: &Connected, servers: &[Configured]) -> anyhow::Result<Policy> {
    let mut file = RuleFile::default();
    let users = servers.iter().filter(|server| server.owner == Owner::User);
    let names: Vec<&str> = users.map(|server| server.name.as_str()).collect();
    for (server, tools) in connected.connections.names() {
        let Some(client) = connected.connections.client(&server).filter(|_| names.contains(&server.as_str()))
        else {
            continue;
        };
        for tool in tools.iter().filter(|tool| client.server().approval(tool) == Approval::Never) {
            let id = format!("mcp_servers.{server}.{tool}.approval");
            let mut rule = Rule::new(id, Action::Allow).with_server(&server).with_mcp_tool(tool);
            rule.reason = Some("the configuration says approval = \"never\"".to_owned());
            file.rules.push(rule);
        }
    }
    if file.rules.is_empty() {
        return Ok(policy);
    }
    policy.with_file(Source::User, file).context("what the configuration says of approvals is no rule")
}

/// Returns the secrets of the entries: values of variables and headers that look secret.
pub(crate) fn secrets_of(servers: &[Configured]) -> Vec<SecretString> {
    let entries = servers.iter().map(|server| &server.entry);
    let values = entries.flat_map(|entry| {
        let variables =
            entry.env_vars.iter().chain(entry.env_http_headers.values()).chain(&entry.bearer_token_env_var);
        let of_host = variables.filter_map(|name| Some((name.clone(), std::env::var(name).ok()?)));
        let given = entry.env.iter().chain(&entry.http_headers);
        of_host.chain(given.map(|(name, value)| (name.clone(), value.clone()))).collect::<Vec<_>>()
    });
    let is_secret = |name: &str, value: &str| {
        let name = name.replace('-', "_");
        secrets::is_secret(&name, value) || name.eq_ignore_ascii_case("authorization")
    };
    values.filter(|(name, value)| is_secret(name, value)).map(|(_, value)| value.into()).collect()
}
