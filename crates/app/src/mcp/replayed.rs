//! Servers of a replay: they answer from the recording, in memory, and start and reach nothing.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use windlass_mcp::{
    AcceptedTools, Approval, ClientOptions, ConnectFuture, ConnectionOptions, Connector, McpClient,
    McpConnections, Pipes, ServerStatus, WeakMcpConnections,
};
use windlass_toolbox::DynamicTools;

use super::ConnectedServers;
use super::accepted::AcceptedFile;
use super::config::{ConfiguredServer, ServerOwner};
use super::entry::ApprovalRule;
use super::recorded::{RecordedServer, RecordedServers, SOURCE};
use super::server::build_server;
use crate::app::App;
use crate::error::Result;
use crate::runs::Recording;

/// Bytes that one side may write before the other side reads them.
const BUFFER: usize = 64 * 1024;

/// JSON-RPC's code for an unknown method.
const METHOD_NOT_FOUND: i32 = -32601;

/// Connects to recorded servers. The acceptance of tools is the recorded one, and is not stored.
pub(super) async fn connect_recorded(
    app: &App,
    root: &Path,
    recorded: &RecordedServers,
    recording: &Recording,
) -> Result<ConnectedServers> {
    let accepted = AcceptedFile::in_memory(app);
    let (kept, taps) = (accepted.clone(), recording.clone());
    // The replayed tool is inside, because it does not call the tool that it wraps, and a replayed approval must
    // accept the definition as the recorded one did.
    let options = ClientOptions::default()
        .with_accepted(accepted.tools.clone())
        .with_each(move |client, tool| kept.wrap_tool(client, taps.tool(tool)));
    let (mut clients, mut states) = (Vec::new(), BTreeMap::new());
    for server in &recorded.servers {
        let connector = Arc::new(RecordedConnector::new(server.clone()));
        states.insert(server.name.clone(), connector.server.clone());
        let configured = build_server(app, &server.configuration(), root)?;
        clients.push(McpClient::with_connector(configured, connector, options.clone()));
    }
    let dynamic = DynamicTools::default();
    let options = ConnectionOptions::default().with_dynamic(dynamic.clone());
    let connections = McpConnections::start_clients(clients, options).await?;
    connections.wait_until_settled().await;
    for server in &recorded.servers {
        accept_recorded(&connections, &accepted, server);
    }
    let follower =
        ChangeFollower { connections: connections.downgrade(), accepted: accepted.clone(), states };
    let follower = Arc::new(follower);
    recording.follow_definitions(SOURCE, move |definitions| {
        let follower = follower.clone();
        Box::pin(async move { follower.apply(definitions).await })
    });
    let connected = ConnectedServers::new(connections, accepted, dynamic);
    connected.fix_ruled_tools(recorded.find_permitted_tools());
    Ok(connected)
}

/// Accepts the tools of a server that were accepted in the recorded run.
fn accept_recorded(connections: &McpConnections, accepted: &AcceptedFile, server: &RecordedServer) {
    let Some(client) = connections.client(&server.name) else { return };
    let mut tools = accepted.tools.write().unwrap_or_else(PoisonError::into_inner);
    let definitions = client.definitions();
    let reading = client.reading();
    let all = definitions.iter().map(|definition| &**definition).chain([&reading]);
    all.filter(|definition| server.accepted.contains(&definition.name))
        .for_each(|definition| tools.accept(definition));
}

/// The state of a recorded server, shared by its connector and its connections.
type SharedServer = Arc<RwLock<RecordedServer>>;

/// The servers of a replay, whose tools change as in the recorded run.
struct ChangeFollower {
    connections: WeakMcpConnections,
    accepted: AcceptedFile,
    states: BTreeMap<String, SharedServer>,
}

impl ChangeFollower {
    /// Changes the tools of the servers to recorded definitions. Definitions that cannot be read change nothing, and
    /// the next request then differs from the recorded one.
    async fn apply(&self, definitions: Value) {
        let Ok(changed) = serde_json::from_value::<RecordedServers>(definitions) else { return };
        let Some(connections) = self.connections.upgrade() else { return };
        for server in changed.servers {
            let Some(state) = self.states.get(&server.name) else { continue };
            let is_same = {
                let mut state = state.write().unwrap_or_else(PoisonError::into_inner);
                let is_same = state.tools == server.tools && state.failure == server.failure;
                *state = server.clone();
                is_same
            };
            if !is_same {
                // A failure is that of the recorded server, whose tools the run did without, too.
                let _ = connections.list_again(&server.name).await;
            }
            accept_recorded(&connections, &self.accepted, &server);
        }
    }
}

/// Returns the part of the connected servers that a recording stores.
pub(super) fn describe_servers(
    connections: &McpConnections,
    accepted: &AcceptedTools,
    configured: &[ConfiguredServer],
    accepts_tools: bool,
) -> RecordedServers {
    let status = connections.status();
    let accepted = accepted.read().unwrap_or_else(PoisonError::into_inner);
    let describe = |client: &McpClient| {
        let server = client.server();
        let definitions = client.definitions().into_iter().filter(|tool| server.enables(&tool.name));
        let definitions: Vec<_> = definitions.collect();
        let reading = client.reading();
        let is_users =
            |known: &ConfiguredServer| known.name == client.id() && known.owner == ServerOwner::User;
        let approval = |tool: &str| match server.approval(tool) {
            Approval::Always => Some(ApprovalRule::Always),
            Approval::Never => Some(ApprovalRule::Never),
            _ => None,
        };
        let of_server = status.iter().find(|(id, _)| id == client.id());
        RecordedServer {
            name: client.id().to_owned(),
            owner: if configured.iter().any(is_users) { ServerOwner::User } else { ServerOwner::Project },
            failure: of_server.and_then(|(_, status)| describe_failure(status)),
            has_resources: client.has_resources(),
            tools: definitions.iter().map(|tool| tool.as_listed().as_str().to_owned()).collect(),
            accepted: definitions
                .iter()
                .map(|tool| &**tool)
                .chain([&reading])
                .filter(|tool| accepted.is_known(tool))
                .map(|tool| tool.name.clone())
                .collect(),
            approvals: definitions
                .iter()
                .filter_map(|tool| Some((tool.name.clone(), approval(&tool.name)?)))
                .collect(),
        }
    };
    RecordedServers { accepts_tools, servers: connections.clients().map(describe).collect() }
}

fn describe_failure(status: &ServerStatus) -> Option<String> {
    match status {
        ServerStatus::Failed { why, .. } => Some(why.clone()),
        ServerStatus::Starting => Some("it was still starting".to_owned()),
        _ => None,
    }
}

/// A connector to a recorded server.
struct RecordedConnector {
    server: SharedServer,
}

impl RecordedConnector {
    fn new(server: RecordedServer) -> Self {
        Self { server: Arc::new(RwLock::new(server)) }
    }
}

impl Connector for RecordedConnector {
    fn connect(&self) -> ConnectFuture<'_> {
        Box::pin(async {
            let failure = self.server.read().unwrap_or_else(PoisonError::into_inner).failure.clone();
            if let Some(failure) = failure {
                return Err(io::Error::other(format!("the recorded run began without it: {failure}")));
            }
            let (client, server) = tokio::io::duplex(BUFFER);
            tokio::spawn(serve(self.server.clone(), server));
            let (reader, writer) = tokio::io::split(client);
            Ok(Pipes::new(reader, writer))
        })
    }
}

/// A message of the client.
#[derive(Deserialize)]
struct Request<'a> {
    /// Absent in a notification.
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(default)]
    method: String,
    #[serde(default)]
    params: Value,
}

/// Answers the requests of a client until it closes the connection.
async fn serve(server: SharedServer, stream: DuplexStream) {
    let (reader, mut writer) = tokio::io::split(stream);
    let mut lines = BufReader::new(reader).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let Ok(request) = serde_json::from_str::<Request<'_>>(&line) else { continue };
        let Some(id) = request.id else { continue };
        let now = server.read().unwrap_or_else(PoisonError::into_inner).clone();
        let body = if let Some(result) = answer(&now, &request) {
            format!(r#""result":{result}"#)
        } else {
            let error = json!({ "code": METHOD_NOT_FOUND, "message": "the recording has no answer" });
            format!(r#""error":{error}"#)
        };
        let text = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{body}}}\n");
        if writer.write_all(text.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// Returns the result of a request as JSON, or `None` for a method that a replay does not use.
fn answer(server: &RecordedServer, request: &Request<'_>) -> Option<String> {
    match request.method.as_str() {
        "initialize" => {
            let mut capabilities = json!({ "tools": {} });
            if server.has_resources {
                capabilities["resources"] = json!({});
            }
            let result = json!({
                "protocolVersion": request.params.get("protocolVersion"),
                "capabilities": capabilities,
                "serverInfo": { "name": server.name, "version": "recorded" },
            });
            Some(result.to_string())
        }
        "ping" => Some("{}".to_owned()),
        // The definitions are inserted as text, because their fingerprints depend on each number in them.
        "tools/list" => Some(format!(r#"{{"tools":[{}]}}"#, server.tools.join(","))),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
