//! The first words of a connection.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use serde_json::value::to_raw_value;
use tokio_util::sync::CancellationToken;

use crate::ask::Asks;
use crate::connection::Connection;
use crate::message::object;

/// The version of MCP that is offered, and those that are taken instead.
const OFFERED: &str = "2025-06-18";
const TAKEN: [&str; 4] = ["2024-11-05", "2025-03-26", OFFERED, "2025-11-25"];

#[derive(Deserialize)]
struct Greeted {
    #[serde(rename = "protocolVersion")]
    version: String,
}

/// Introduces both sides. Sampling and roots are not offered; questions only if the application allows them.
pub(crate) async fn greet(connection: &Connection, asks: &Asks, limit: Duration) -> Result<(), String> {
    let capabilities = if asks.are_allowed() { json!({"elicitation": {}}) } else { json!({}) };
    let params = json!({
        "protocolVersion": OFFERED,
        "capabilities": capabilities,
        "clientInfo": {"name": "windlass", "version": env!("CARGO_PKG_VERSION")},
    });
    let params = to_raw_value(&params).map_err(|error| error.to_string())?;
    let answer = connection.request("initialize", &params, limit, &CancellationToken::new()).await;
    let answer = answer.map_err(|failure| failure.told())?;
    let greeted: Greeted =
        object(answer.get()).map_err(|error| format!("its introduction is none: {error}"))?;
    if !TAKEN.contains(&greeted.version.as_str()) {
        let version = windlass_hitl::display_safe(&greeted.version);
        return Err(format!("it speaks version {version} of MCP, which is not known here"));
    }
    connection.notify("notifications/initialized");
    Ok(())
}
