//! `windlass mcp resources`: lists and reads the resources of servers.

use std::process::ExitCode;

use serde_json::json;
use windlass_app::App;
use windlass_hitl::display_safe;
use windlass_mcp::{McpConnections, ResourceBody, ResourceContents};

use super::targets::{connect, find_targets};
use crate::arguments::McpTarget;
use crate::output;

pub(crate) async fn resources(
    app: &App,
    target: &McpTarget,
    read: Option<&str>,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let targets = find_targets(app, target)?;
    let connected = connect(app, &targets, &target.spot).await?;
    connected.report_failures(app);
    let connections = &connected.connections;
    if let Some(uri) = read {
        let server = &targets.only()?.name;
        for contents in connections.read_resource(server, uri).await? {
            tell(&contents, json)?;
        }
    } else {
        for client in connections.clients().filter(|client| client.has_resources()) {
            list(connections, client.id(), json).await?;
        }
    }
    connections.close().await;
    Ok(ExitCode::SUCCESS)
}

async fn list(connections: &McpConnections, server: &str, json: bool) -> anyhow::Result<()> {
    for resource in connections.list_resources(server).await? {
        let (uri, name, media_type) = (&resource.uri, &resource.name, &resource.media_type);
        if json {
            output::line(&json!({ "server": server, "uri": uri, "name": name, "media_type": media_type }))?;
        } else {
            output::print(&format!("{server} {:<48} {}\n", display_safe(uri), display_safe(name)))?;
        }
    }
    for template in connections.list_resource_templates(server).await? {
        let (uri, name) = (&template.uri_template, &template.name);
        if json {
            output::line(&json!({ "server": server, "uri_template": uri, "name": name }))?;
        } else {
            output::print(&format!(
                "{server} {:<48} {} (with gaps)\n",
                display_safe(uri),
                display_safe(name)
            ))?;
        }
    }
    Ok(())
}

fn tell(contents: &ResourceContents, json: bool) -> anyhow::Result<()> {
    if json {
        let (text, base64) = match &contents.body {
            ResourceBody::Text(text) => (Some(text), None),
            ResourceBody::Base64(data) => (None, Some(data)),
        };
        let (uri, media_type) = (&contents.uri, &contents.media_type);
        return output::line(
            &json!({ "uri": uri, "media_type": media_type, "text": text, "base64": base64 }),
        );
    }
    match &contents.body {
        ResourceBody::Text(text) => output::print(&format!("{}\n", display_safe(text))),
        ResourceBody::Base64(data) => {
            output::print(&format!("[{} letters of base64; --json prints them]\n", data.len()))
        }
    }
}
