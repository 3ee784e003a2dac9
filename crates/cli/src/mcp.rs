//! `windlass mcp`: MCP servers of others, and this program as one.

mod serve;
mod served;

use std::process::ExitCode;

use crate::arguments::{Mcp, McpCommand};

pub(crate) async fn mcp(arguments: Mcp) -> anyhow::Result<ExitCode> {
    match arguments.command {
        McpCommand::Serve(arguments) => serve::serve(*arguments).await,
    }
}
