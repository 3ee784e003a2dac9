//! `windlass mcp`: uses MCP servers, and serves this program's tools over MCP.

mod accepted;
mod bound;
mod call;
mod config;
mod confined;
mod connect;
mod doctor;
mod entry;
mod foreign;
mod import;
mod list;
mod login;
mod of_run;
mod resources;
mod runners;
mod serve;
mod served;
mod server;
mod shown;
mod target;
mod tools;
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
