//! MCP servers of a run, connected before its first turn, under the run's policy and with its human.

use std::path::Path;
#[cfg(feature = "mcp")]
use std::time::Duration;

use secrecy::SecretString;
use windlass_hitl::{Policy, display_safe};
use windlass_redact::Redactor;
use windlass_tools_shell::Shell;

use super::ConnectedServers;
#[cfg(feature = "mcp")]
use super::changes::record_changes;
use super::config::{ConfiguredServer, load_servers};
#[cfg(feature = "mcp")]
use super::connect::{ConnectOptions, add_approval_rules, connect_servers};
use super::recorded::{RecordedServer, RecordedServers, SOURCE};
#[cfg(feature = "mcp")]
use super::replayed::{connect_recorded, describe_servers};
use super::secrets::collect_secrets;
use crate::app::App;
use crate::assembly::People;
use crate::error::{Context as _, Result};
use crate::runs::Recording;

/// Maximum time that a run waits for optional servers at its start. Tools of slower servers are offered as
/// soon as they connect.
#[cfg(feature = "mcp")]
const PATIENCE: Duration = Duration::from_secs(10);

/// Warning about a recording that does not contain the definitions of MCP servers.
const NO_DEFINITIONS: &str = "the recording has no definitions of MCP tools, because an earlier version wrote it. A \
    replay starts no server, so the tools of MCP servers are absent; record the run again with --record to replay it \
    with them";

/// The servers of a run: the configured ones, or in a replay those of the recorded run.
pub(crate) struct RunServers {
    servers: Vec<ConfiguredServer>,
    /// The recorded servers of a replay.
    recorded: Option<RecordedServers>,
}

impl RunServers {
    /// Loads the configured servers of a folder.
    pub(crate) fn load(app: &App, root: &Path) -> Result<Self> {
        Ok(Self { servers: load_servers(app, root)?, recorded: None })
    }

    /// Creates servers without the configured ones.
    pub(crate) fn empty() -> Self {
        Self { servers: Vec::new(), recorded: None }
    }

    /// Adds the servers of a session. A configured server with the same name takes precedence, with a notice.
    pub(crate) fn with_session_servers(mut self, app: &App, servers: &[ConfiguredServer]) -> Self {
        for server in servers {
            if self.servers.iter().any(|known| known.name == server.name) {
                app.inform(format!(
                    "the session's MCP server {} is left out: a configured server has the same name",
                    display_safe(&server.name)
                ));
            } else {
                self.servers.push(server.clone());
            }
        }
        self
    }

    /// Returns the servers of a recorded run, whose tools a replay offers. Warns of a recording that does not
    /// contain them: a replay starts no server, so the tools of the servers are then absent.
    pub(crate) fn load_recorded(app: &App, root: &Path, recording: &Recording) -> Result<Option<Self>> {
        let Some(definitions) = recording.definitions(SOURCE) else {
            let configured = load_servers(app, root).unwrap_or_default();
            if configured.iter().any(|server| server.entry.enabled && server.is_trusted()) {
                app.warn(NO_DEFINITIONS.to_owned());
            }
            return Ok(None);
        };
        let recorded: RecordedServers = serde_json::from_value(definitions.clone())
            .context("the definitions of MCP servers in the recording cannot be read")?;
        let servers = recorded.servers.iter().map(RecordedServer::configuration).collect();
        Ok(Some(Self { servers, recorded: Some(recorded) }))
    }

    /// Returns whether an approval of a tool accepts its definition. In a replay this is as in the recorded run.
    pub(crate) fn accepts_tools(&self, people: &People) -> bool {
        self.recorded.as_ref().map_or(people.accepts_tools, |recorded| recorded.accepts_tools)
    }

    /// Returns the secrets of the servers' entries.
    pub(crate) fn secrets(&self) -> Vec<SecretString> {
        collect_secrets(&self.servers)
    }

    /// Starts and connects the servers. A failed server gives a warning, and an error only if it is required
    /// (RULES M4). A recording gets the definitions of their tools and later changes. Servers of a replay answer from the
    /// recording, and nothing is started.
    #[cfg(feature = "mcp")]
    pub(crate) async fn connect(
        &self,
        app: &App,
        root: &Path,
        (shell, recording): (&Shell, &Recording),
        people: &People,
        redactor: Redactor,
    ) -> Result<ConnectedServers> {
        if let Some(recorded) = &self.recorded {
            return connect_recorded(app, root, recorded, recording).await;
        }
        let human = people.human.clone();
        let options = ConnectOptions::new(shell, redactor).with_human(human).with_recording(recording);
        let connected = connect_servers(app, root, &self.servers, options).await?;
        // `report_failures` names the servers that are still starting.
        let _ = tokio::time::timeout(PATIENCE, connected.connections.wait_until_settled()).await;
        connected.connections.begin_turn();
        connected.report_failures(app);
        if recording.is_recorded() {
            let (servers, accepts_tools) = (self.servers.clone(), self.accepts_tools(people));
            let ruled = connected.find_permitted_tools();
            connected.fix_ruled_tools(ruled.clone());
            record_changes(&connected, recording, move |connections, accepted| {
                let mut described = describe_servers(connections, accepted, &servers, accepts_tools);
                described.fix_permissions(&ruled);
                described
            });
        }
        Ok(connected)
    }

    /// Fails if a server is required, and otherwise warns of the servers that this build cannot connect.
    #[cfg(not(feature = "mcp"))]
    #[expect(clippy::unused_async, reason = "a build with the feature waits here")]
    pub(crate) async fn connect(
        &self,
        app: &App,
        _: &Path,
        _: (&Shell, &Recording),
        _: &People,
        _: Redactor,
    ) -> Result<ConnectedServers> {
        for server in self.servers.iter().filter(|server| server.entry.enabled) {
            let name = &server.name;
            crate::error::ensure!(
                !server.entry.required,
                MissingFeature,
                "the MCP server {name} is required, and this build lacks the feature `mcp`"
            );
            app.warn(format!("the MCP server {name} is left out: this build lacks the feature `mcp`"));
        }
        Ok(ConnectedServers)
    }

    /// Adds the configured approvals to the policy.
    pub(crate) fn add_rules(&self, policy: Policy, connected: &ConnectedServers) -> Result<Policy> {
        #[cfg(feature = "mcp")]
        return add_approval_rules(policy, connected, &self.servers);
        #[cfg(not(feature = "mcp"))]
        {
            let ConnectedServers = connected;
            Ok(policy)
        }
    }
}
