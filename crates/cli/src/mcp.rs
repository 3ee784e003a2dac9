//! `windlass mcp`: uses MCP servers, and serves this program's tools over MCP.

mod add;
mod call;
mod doctor;
mod import;
mod list;
mod login;
mod resources;
mod serve;
mod targets;
mod tools;
mod trust;

use std::process::ExitCode;

use windlass_app::App;

use crate::arguments::{Mcp, McpCommand};

pub(crate) async fn mcp(arguments: Mcp, app: &App) -> anyhow::Result<ExitCode> {
    match arguments.command {
        McpCommand::Serve(arguments) => serve::serve(*arguments, app).await,
        McpCommand::Add(arguments) => add::add(arguments, app),
        McpCommand::Remove { name } => add::remove(&name, app),
        McpCommand::List { root, json } => list::list(app, &root, json),
        McpCommand::Tools { target, json } => tools::tools(app, &target, json).await,
        McpCommand::Call(arguments) => call::call(*arguments, app).await,
        McpCommand::Resources { target, read, json } => {
            resources::resources(app, &target, read.as_deref(), json).await
        }
        McpCommand::Login { target, logout, no_browser } => {
            if logout {
                return login::logout(app, &target);
            }
            let browser = if no_browser { login::Browser::Closed } else { login::Browser::Opened };
            login::login(app, &target, browser).await
        }
        McpCommand::Doctor { target, json } => doctor::doctor(app, &target, json).await,
        McpCommand::Import(arguments) => import::import(&arguments, app),
        McpCommand::Trust(arguments) => trust::trust(&arguments, app),
    }
}
