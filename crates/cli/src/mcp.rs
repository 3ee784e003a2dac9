//! `windlass mcp`: uses MCP servers, and serves this program's tools over MCP.

#[path = "../../../app/src/mcp/accepted.rs"]
mod accepted;
#[path = "../../../app/src/mcp/bound.rs"]
mod bound;
mod call;
#[path = "../../../app/src/mcp/config.rs"]
mod config;
#[path = "../../../app/src/mcp/confined.rs"]
mod confined;
#[path = "../../../app/src/mcp/connect.rs"]
mod connect;
mod doctor;
#[path = "../../../app/src/mcp/entry.rs"]
mod entry;
#[path = "../../../app/src/mcp/foreign.rs"]
mod foreign;
mod import;
mod list;
mod login;
#[path = "../../../app/src/mcp/run_servers.rs"]
mod of_run;
mod resources;
#[path = "../../../app/src/mcp/runners.rs"]
mod runners;
mod serve;
#[path = "../../../app/src/mcp/served.rs"]
mod served;
#[path = "../../../app/src/mcp/server.rs"]
mod server;
#[path = "../../../app/src/mcp/description.rs"]
mod shown;
mod target;
mod tools;
#[path = "../../../app/src/mcp/trust.rs"]
mod trust;

use std::process::ExitCode;

use crate::arguments::{Mcp, McpCommand};

pub(crate) use config::learns;
pub(crate) use connect::Connected;
pub(crate) use of_run::Servers;

pub(crate) async fn mcp(arguments: Mcp) -> anyhow::Result<ExitCode> {
    match arguments.command {
        McpCommand::Serve(arguments) => serve::serve(*arguments).await,
        McpCommand::List { root, json } => list::list(&root, json),
        McpCommand::Tools { target, json } => tools::tools(&target, json).await,
        McpCommand::Call(arguments) => call::call(*arguments).await,
        McpCommand::Resources { target, read, json } => {
            resources::resources(&target, read.as_deref(), json).await
        }
        McpCommand::Login { target, logout, no_browser } => {
            if logout {
                return login::logout(&target);
            }
            let browser = if no_browser { login::Browser::Closed } else { login::Browser::Opened };
            login::login(&target, browser).await
        }
        McpCommand::Doctor { target, json } => doctor::doctor(&target, json).await,
        McpCommand::Import(arguments) => import::import(&arguments),
        McpCommand::Trust(arguments) => trust::trust(&arguments),
    }
}
