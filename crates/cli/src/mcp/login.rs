//! `windlass mcp login`: signs in to a server with the browser.

use std::process::ExitCode;

use windlass_app::App;
use windlass_app::mcp::build_server;
use windlass_mcp::{ClientOptions, LoginOptions, McpClient, McpServer, StartError};

use super::targets::find_targets;
use crate::arguments::McpTarget;
use crate::{browser, output};

/// Use of a browser for the sign-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Browser {
    Opened,
    Closed,
}

pub(crate) async fn login(app: &App, target: &McpTarget, use_browser: Browser) -> anyhow::Result<ExitCode> {
    let server = only(app, target)?;
    // The challenge in the server's refusal names its authority.
    let options = match McpClient::start(server.clone(), ClientOptions::default()).await {
        Ok(_) => {
            output::note(&format!("you are already signed in to the MCP server {}", server.id()));
            return Ok(ExitCode::SUCCESS);
        }
        Err(StartError::SignIn { challenge, .. }) => LoginOptions::default().with_challenge(challenge),
        Err(error) => return Err(error.into()),
    };
    let opened = |url: &windlass_mcp::OpenUrl| {
        output::note(&format!("sign in at {}:\n  {}", url.host(), url.as_argument()));
        if use_browser == Browser::Opened && !browser::open(url.as_argument()) {
            output::note("no browser could be opened; open the address by hand");
        }
    };
    server.login(options, opened).await?;
    output::print(&format!("signed in to {}\n", server.id()))?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn logout(app: &App, target: &McpTarget) -> anyhow::Result<ExitCode> {
    let server = only(app, target)?;
    let was = server.is_signed_in();
    server.logout()?;
    let words = if was { "the tokens were deleted" } else { "no tokens were stored" };
    output::print(&format!("{}: {words}\n", server.id()))?;
    Ok(ExitCode::SUCCESS)
}

fn only(app: &App, target: &McpTarget) -> anyhow::Result<McpServer> {
    let targets = find_targets(app, target)?;
    let configured = targets.only()?;
    anyhow::ensure!(
        configured.entry.url.is_some(),
        "the MCP server {} is a local program and needs no sign-in",
        configured.name
    );
    if let Some(why) = &configured.refusal {
        anyhow::bail!(
            "the project's MCP server {0} is not contacted: {why}; approve it with: windlass mcp trust {0}",
            configured.name
        );
    }
    Ok(build_server(app, configured, &targets.root)?)
}
