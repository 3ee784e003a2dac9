//! `windlass mcp`: MCP servers of others, and this program as one.

mod config;
mod entry;
mod foreign;
mod import;
mod serve;
mod served;
mod trust;

use std::process::ExitCode;

use crate::arguments::{Mcp, McpCommand};

pub(crate) async fn mcp(arguments: Mcp) -> anyhow::Result<ExitCode> {
    match arguments.command {
        McpCommand::Serve(arguments) => serve::serve(*arguments).await,
        McpCommand::Import(arguments) => import::import(&arguments),
        McpCommand::Trust(arguments) => trust::trust(&arguments),
    }
}
