//! Connects the configured servers.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use windlass_agent::Approver;
use windlass_hitl::{Action, Policy, Rule, RuleFile, Source, display_safe};
use windlass_mcp::{
    AcceptedTools, Approval, ClientOptions, ConnectionOptions, McpClient, McpConnections, ServerStatus,
};
use windlass_redact::Redactor;
use windlass_tool::Human;
use windlass_toolbox::DynamicTools;
use windlass_tools_shell::{ServiceCommand, Shell};

use super::accepted::AcceptedFile;
use super::config::{ConfiguredServer, ServerOwner};
use super::confined::ConfinedConnector;
use super::description::describe_command;
use super::server::{build_server, environment};
use crate::app::App;
use crate::assembly::OfferedServers;
use crate::config::Confinement;
use crate::error::{Context as _, Result, ensure};
use crate::runs::Recording;

/// Options of the connections: the human, the redactor and the shell.
pub struct ConnectOptions<'a> {
    human: Option<Arc<dyn Human>>,
    redactor: Redactor,
    shell: &'a Shell,
    recording: Recording,
}

impl<'a> ConnectOptions<'a> {
    /// Creates options. The shell starts the processes of confined servers.
    pub fn new(shell: &'a Shell, redactor: Redactor) -> Self {
        Self { human: None, redactor, shell, recording: Recording::none() }
    }

    /// Sets the human who answers elicitations of the servers.
    pub fn with_human(self, human: Option<Arc<dyn Human>>) -> Self {
        Self { human, ..self }
    }

    /// Sets the recording of the calls of the servers' tools.
    pub(crate) fn with_recording(self, recording: &Recording) -> Self {
        Self { recording: recording.clone(), ..self }
    }
}

/// Names of tools, by the name of their server.
type ToolsByServer = Vec<(String, Vec<String>)>;

/// The connected servers of a run or of one command.
#[derive(Clone)]
#[non_exhaustive]
pub struct ConnectedServers {
    /// The connections.
    pub connections: McpConnections,
    accepted: AcceptedFile,
    dynamic: DynamicTools,
    /// The tools with rules from the configured approvals, by server, in a run that is recorded or replayed.
    ruled: Arc<OnceLock<ToolsByServer>>,
}

/// Starts and connects the enabled servers concurrently. `root` is a path without links. A failed server is an
/// error only if it is required.
///
/// # Errors
///
/// Fails if an entry cannot be used, or if a required server fails.
pub async fn connect_servers(
    app: &App,
    root: &Path,
    servers: &[ConfiguredServer],
    options: ConnectOptions<'_>,
) -> Result<ConnectedServers> {
    let accepted = AcceptedFile::load(app)?;
    let (stored, recording) = (accepted.clone(), options.recording.clone());
    let mut client_options = ClientOptions::default()
        .with_accepted(accepted.tools.clone())
        .with_redactor(options.redactor.clone())
        .with_root(file_url(root))
        .with_each(move |client, tool| recording.tool(stored.wrap_tool(client, tool)));
    if let Some(human) = &options.human {
        client_options = client_options.with_human(human.clone());
    }
    let mut clients = Vec::new();
    for configured in servers.iter().filter(|server| server.entry.enabled) {
        if let Some(why) = &configured.refusal {
            app.inform(format!(
                "the project's MCP server {0} is not started: {1}\n  {2}; approve it with: windlass mcp \
                 trust {0}",
                display_safe(&configured.name),
                describe_command(&configured.entry),
                display_safe(why)
            ));
            continue;
        }
        let server = build_server(app, configured, root)?;
        clients.push(match confine(app, configured, root, options.shell)? {
            Some(confined) => McpClient::with_connector(server, Arc::new(confined), client_options.clone()),
            None => McpClient::new(server, client_options.clone()),
        });
    }
    let dynamic = DynamicTools::default();
    let mut connection_options = ConnectionOptions::default().with_dynamic(dynamic.clone());
    if options.recording.is_recorded() {
        // A recording must know which turns had a changed list.
        connection_options = connection_options.with_renewal_on_demand();
    }
    let connections = McpConnections::start_clients(clients, connection_options).await?;
    Ok(ConnectedServers::new(connections, accepted, dynamic))
}

/// Returns the connector of a confined server, or `None` if the server is not confined.
fn confine(
    app: &App,
    configured: &ConfiguredServer,
    root: &Path,
    shell: &Shell,
) -> Result<Option<ConfinedConnector>> {
    let ConfiguredServer { name, entry, owner, .. } = configured;
    let Some(command) = &entry.command else { return Ok(None) };
    let usual = if *owner == ServerOwner::Project { Confinement::Auto } else { Confinement::Off };
    let wanted = entry.sandbox.unwrap_or(usual);
    let is_apart = shell.level().is_apart();
    ensure!(
        is_apart || wanted != Confinement::Required,
        Unavailable,
        "the MCP server {name} requires confinement, which this machine or the confinement of the run does \
         not permit"
    );
    if wanted == Confinement::Off || !is_apart {
        return Ok(None);
    }
    let words = std::iter::once(command).chain(&entry.args).cloned();
    let service = ServiceCommand::new(words, entry.folder(root), root);
    let service = environment(app, name, entry)
        .into_iter()
        .fold(service, |service, (name, value)| service.with_value(name, value));
    Ok(Some(ConfinedConnector::new(shell.clone(), service)))
}

impl ConnectedServers {
    /// Creates the value from connections that were started with this set of accepted tools.
    pub(super) fn new(connections: McpConnections, accepted: AcceptedFile, dynamic: DynamicTools) -> Self {
        Self { connections, accepted, dynamic, ruled: Arc::default() }
    }

    /// Fixes the tools for which [`add_approval_rules`] adds rules. The names of a recorded run can change between this
    /// moment and its first request, and a replay has to add the same rules.
    pub(super) fn fix_ruled_tools(&self, tools: ToolsByServer) {
        // The first call counts.
        drop(self.ruled.set(tools));
    }

    /// Returns the offered tools whose configured approval is "never", by server.
    pub(super) fn find_permitted_tools(&self) -> ToolsByServer {
        let permitted = |(server, mut tools): (String, Vec<String>)| {
            let client = self.connections.client(&server)?;
            tools.retain(|tool| client.server().approval(tool) == Approval::Never);
            Some((server, tools))
        };
        self.connections.names().into_iter().filter_map(permitted).collect()
    }

    fn find_ruled_tools(&self) -> ToolsByServer {
        self.ruled.get().cloned().unwrap_or_else(|| self.find_permitted_tools())
    }

    /// Calls `update` before a turn compares its tools with those of the servers.
    pub(super) fn register_updater(&self, update: impl Fn() + Send + Sync + 'static) {
        self.dynamic.register_updater(update);
    }

    /// Returns the accepted tools, which the servers share.
    pub(super) fn acceptance(&self) -> &AcceptedTools {
        &self.accepted.tools
    }

    /// Sends a warning for each server that failed or is still starting, and for each tool that was refused.
    pub fn report_failures(&self, app: &App) {
        for (name, status) in self.connections.status() {
            match status {
                ServerStatus::Failed { why, .. } => {
                    app.warn(format!("the MCP server {name} is not available: {why}"));
                }
                ServerStatus::Starting => {
                    app.warn(format!(
                        "the MCP server {name} is still starting; its tools become available \
                         later"
                    ));
                }
                _ => {}
            }
        }
        for client in self.connections.clients() {
            for refused in client.list_refused_tools() {
                app.warn(format!("{} of {} is refused: {}", refused.name, client.id(), refused.why));
            }
        }
    }

    /// Wraps an approver: approving a call also approves the displayed definition of its tool.
    pub fn wrap_approver(&self, approver: Arc<dyn Approver>) -> Arc<dyn Approver> {
        self.accepted.wrap_approver(approver)
    }

    /// Returns the tools of the servers, and those that call a server by its name.
    pub(crate) fn offer(&self) -> OfferedServers {
        OfferedServers { dynamic: self.dynamic.clone(), proxies: self.connections.proxies() }
    }

    /// Keeps the connections, and the updates of their tools, alive until the runtime ends: no object of a
    /// run lives as long.
    pub(crate) fn keep_alive(self) {
        tokio::spawn(async move {
            let _connected = self;
            std::future::pending::<()>().await;
        });
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
///
/// # Errors
///
/// Fails if a name of the configuration cannot be used in a rule.
pub fn add_approval_rules(
    policy: Policy,
    connected: &ConnectedServers,
    servers: &[ConfiguredServer],
) -> Result<Policy> {
    let mut file = RuleFile::default();
    let users = servers.iter().filter(|server| server.owner == ServerOwner::User);
    let names: Vec<&str> = users.map(|server| server.name.as_str()).collect();
    for (server, tools) in connected.find_ruled_tools() {
        if !names.contains(&server.as_str()) {
            continue;
        }
        for tool in &tools {
            let id = format!("mcp_servers.{server}.{tool}.approval");
            let mut rule = Rule::new(id, Action::Allow).with_server(&server).with_mcp_tool(tool);
            rule.reason = Some("the configuration says approval = \"never\"".to_owned());
            file.rules.push(rule);
        }
    }
    if file.rules.is_empty() {
        return Ok(policy);
    }
    policy.with_file(Source::User, file).context(
        "the approval setting of the configuration is not a valid \
         rule",
    )
}

impl std::fmt::Debug for ConnectOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConnectOptions").field("has_human", &self.human.is_some()).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for ConnectedServers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConnectedServers").field("connections", &self.connections).finish_non_exhaustive()
    }
}
