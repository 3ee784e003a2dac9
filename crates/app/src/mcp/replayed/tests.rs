//! Servers that answer from a recording.

use std::sync::Arc;

use windlass_mcp::{ClientOptions, ConnectionOptions, McpClient, McpConnections, McpServer};
use windlass_toolbox::{DynamicTools, Preset, ToolConfig, Toolbox};

use super::{ChangeFollower, RecordedConnector};
use crate::app::App;
use crate::mcp::accepted::AcceptedFile;
use crate::mcp::config::ServerOwner;
use crate::mcp::entry::ApprovalRule;
use crate::mcp::recorded::{RecordedServer, RecordedServers};

/// A definition whose fingerprint depends on a number that no float holds.
const TOOL: &str = r#"{"name":"look","description":"Looks.","inputSchema":{"type":"object","maxProperties":123456789012345678901},"annotations":{"destructiveHint":true}}"#;

fn server() -> RecordedServer {
    RecordedServer {
        name: "far".into(),
        owner: ServerOwner::User,
        failure: None,
        has_resources: true,
        tools: vec![TOOL.into()],
        accepted: ["look".to_owned()].into(),
        approvals: [("look".to_owned(), ApprovalRule::Never)].into(),
    }
}

async fn connect(server: RecordedServer) -> Result<McpClient, String> {
    let connector = Arc::new(RecordedConnector::new(server));
    let configured = McpServer::new("far", "/no/such/program").unwrap();
    let client = McpClient::connect(configured, connector, ClientOptions::default()).await;
    client.map_err(|error| describe(&error))
}

fn describe(error: &dyn std::error::Error) -> String {
    format!("{error}: {}", error.source().map(ToString::to_string).unwrap_or_default())
}

#[tokio::test]
async fn a_recorded_server_offers_its_listed_tools() {
    let recorded: RecordedServer = serde_json::from_value(serde_json::to_value(server()).unwrap()).unwrap();
    assert_eq!(recorded, server());
    let client = connect(recorded).await.unwrap();
    let definitions = client.definitions();
    assert_eq!(definitions.iter().map(|tool| tool.as_listed().as_str()).collect::<Vec<_>>(), [TOOL]);
    assert!(client.list_refused_tools().is_empty(), "{:?}", client.list_refused_tools());
    assert!(client.has_resources());
}

#[tokio::test]
async fn a_server_that_failed_in_the_recording_fails_in_the_replay() {
    let failure = Some("it ended".to_owned());
    let error = connect(RecordedServer { failure, tools: Vec::new(), ..server() }).await.unwrap_err();
    assert!(error.contains("the recorded run began without it: it ended"), "{error}");
}

#[tokio::test]
async fn a_recorded_change_adds_and_removes_tools_before_the_next_turn() {
    const OTHER: &str = r#"{"name":"other","inputSchema":{"type":"object"}}"#;
    let connector = RecordedConnector::new(server());
    let states = [("far".to_owned(), connector.server.clone())].into();
    let configured = McpServer::new("far", "/no/such/program").unwrap();
    let client = McpClient::with_connector(configured, Arc::new(connector), ClientOptions::default());
    let dynamic = DynamicTools::default();
    let options = ConnectionOptions::default().with_dynamic(dynamic.clone());
    let connections = McpConnections::start_clients([client], options).await.unwrap();
    connections.wait_until_settled().await;
    let toolbox = Toolbox::builder().config(ToolConfig::new(Preset::Full)).dynamic(dynamic).build().unwrap();
    let offered = || -> Vec<String> {
        toolbox.refresh().tool_specs().iter().map(|(spec, _)| spec.name().to_string()).collect()
    };
    assert_eq!(offered(), ["mcp__far__look"]);
    let accepted = AcceptedFile::in_memory(&App::from_environment());
    let follower =
        ChangeFollower { connections: connections.downgrade(), accepted: accepted.clone(), states };
    let change = |tools: &[&str], failure: Option<&str>| {
        let tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
        let changed = RecordedServer { tools, failure: failure.map(str::to_owned), ..server() };
        serde_json::to_value(RecordedServers { accepts_tools: true, servers: vec![changed] }).unwrap()
    };
    follower.apply(change(&[TOOL, OTHER], None)).await;
    assert_eq!(offered(), ["mcp__far__look", "mcp__far__other"]);
    follower.apply(change(&[OTHER], None)).await;
    assert_eq!(offered(), ["mcp__far__other"]);
    // The connections end although the follower still exists.
    drop(connections);
    follower.apply(change(&[TOOL], None)).await;
}

#[test]
fn the_configuration_of_a_recorded_server_has_its_approvals() {
    let configured = server().configuration();
    assert_eq!((configured.name.as_str(), configured.owner), ("far", ServerOwner::User));
    assert_eq!(configured.entry.tools["look"].approval, Some(ApprovalRule::Never));
    assert!(configured.is_trusted() && configured.entry.enabled);
}
