//! From configuration to connections.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use secrecy::SecretString;
use windlass_hitl::{Action, Policy, Rule, RuleFile, Source, display_safe};
use windlass_mcp::{Approval, ClientOptions, ConnectionOptions, McpClient, McpConnections, ServerStatus};
use windlass_redact::Redactor;
use windlass_tool::{Human, Tool};
use windlass_toolbox::DynamicTools;
use windlass_tools_control::McpServers;
use windlass_tools_shell::{ServiceCommand, Shell};

use super::accepted::AcceptedFile;
use super::config::{Configured, Owner};
use super::confined::Confined;
use super::server::{environment, folder, server};
use super::shown;
use crate::arguments::SandboxName;
use crate::tape::Tape;
use crate::{output, secrets};

/// What servers are given.
pub(crate) struct Connecting<'a> {
    /// The folder of the work, without links.
    pub(crate) root: &'a Path,
    /// Whom servers may ask.
    pub(crate) human: Option<Arc<dyn Human>>,
    pub(crate) redactor: Redactor,
    /// How processes are confined that are to be.
    pub(crate) shell: &'a Shell,
    /// What records or plays their calls.
    pub(crate) tape: &'a Tape,
}

/// The servers of a run, or of one command.
#[derive(Clone)]
pub(crate) struct Connected {
    pub(crate) connections: McpConnections,
    pub(crate) accepted: AcceptedFile,
    dynamic: DynamicTools,
}

impl Connecting<'_> {
    /// Starts and reaches servers, beside each other. One that cannot be had stops nothing but where it is required.
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

    /// How a server is started that is to be confined; nothing if it is not.
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
    /// Says which servers are not there, and why.
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

    /// Whether there is no server.
    pub(crate) fn is_empty(&self) -> bool {
        self.connections.clients().next().is_none()
    }

    /// Keeps them, and what they offer true, until the runtime ends: a run has no better place for them.
    pub(crate) fn keep(self) {
        tokio::spawn(async move {
            let _connected = self;
            std::future::pending::<()>().await;
        });
    }

    /// What all of them offer, as it comes and goes.
    pub(crate) fn dynamic(&self) -> &DynamicTools {
        &self.dynamic
    }
}

/// By the servers' own names.
impl McpServers for Connected {
    fn names(&self) -> Vec<(String, Vec<String>)> {
        self.connections.names()
    }

    fn tool(&self, server: &str, tool: &str) -> Option<Arc<dyn Tool>> {
        self.connections.tool(server, tool)
    }

    fn reader(&self, server: &str) -> Option<Arc<dyn Tool>> {
        self.connections.reader(server)
    }
}

fn file_url(root: &Path) -> String {
    // What an address does not take as it is, is written as percent signs and digits.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    root.as_os_str().as_encoded_bytes().iter().fold("file://".to_owned(), |url, &byte| {
        if plain(byte) {
            url + char::from(byte).encode_utf8(&mut [0; 4])
        } else {
            url + &format!("%{byte:02X}")
        }
    })
}

/// The policy with what the user's configuration says of approvals: a rule for each tool that needs no more questions once
/// it was accepted. A project's entry can only tighten (RULES H11), and `always` needs no rule: such a tool is critical.
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

/// The secrets of the entries: what is set for a server, or sent to it, and looks like one.
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
