//! `windlass mcp serve`: serves this program's tools, and the user's prompts, to agents in other programs.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use windlass_app::App;
use windlass_app::mcp_service::{ServeOptions, ServedPrompts, ServedTools};
use windlass_mcp_server::{HttpServerOptions, HttpToken, ToolServer};

use crate::arguments::McpServe;
use crate::output;

/// Environment variable with the user's token.
const TOKEN: &str = "WINDLASS_MCP_TOKEN";

/// Minimum length of the user's token in characters, so that it cannot be guessed.
const TOKEN_LETTERS: usize = 16;

/// Instructions for the client's model.
const INSTRUCTIONS: &str = "Tools that work in one folder of the user's machine; paths are relative to it. A call may need the \
    user's approval. If one is denied, do not try to achieve the same effect in another way.";

pub(crate) async fn serve(arguments: McpServe, app: &App) -> anyhow::Result<ExitCode> {
    let mut options = ServeOptions::default();
    options.preset = arguments.preset.preset();
    options.selection = arguments.offering.selection();
    options.autonomy = arguments.autonomy.autonomy();
    options.policy.clone_from(&arguments.policy);
    options.sandbox = arguments.sandbox.confinement();
    let served = Arc::new(ServedTools::build(app, &arguments.root, &options).await?);
    let version = env!("CARGO_PKG_VERSION");
    let tools = ToolServer::new(served).with_name("windlass", version).with_instructions(INSTRUCTIONS);
    let prompts = ServedPrompts::load(app, &arguments.root, &options)?;
    let tools = if prompts.is_empty() { tools } else { tools.with_prompts(Arc::new(prompts)) };
    let stop = CancellationToken::new();
    let interrupted = stop.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            interrupted.cancel();
        }
    });
    match arguments.http {
        Some(address) => serve_http(&arguments, &tools, address, stop).await?,
        None => tools.serve(tokio::io::stdin(), tokio::io::stdout(), stop).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn serve_http(
    arguments: &McpServe,
    tools: &ToolServer,
    address: SocketAddr,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    anyhow::ensure!(
        address.ip().is_loopback() || !arguments.hosts.is_empty(),
        "{address} can be reached from other machines, and a client with the token can work in your folder; \
         pass --allow-host NAME to permit this"
    );
    let token = token(arguments)?;
    let options = match &token {
        Some(token) => HttpServerOptions::with_token(HttpToken::new(token.text())),
        None => HttpServerOptions::allow_without_token(),
    };
    let options = arguments.hosts.iter().fold(options, HttpServerOptions::with_host);
    let listener = TcpListener::bind(address).await.with_context(|| format!("{address} cannot be bound"))?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    tell(arguments, &url, token.as_ref())?;
    tools.serve_http(listener, options, stop).await?;
    Ok(())
}

/// Bearer token that clients must send.
enum Token {
    /// The user's token from the environment.
    Said(String),
    /// A random token of this process.
    Made(String),
}

impl Token {
    fn text(&self) -> &str {
        match self {
            Self::Said(text) | Self::Made(text) => text,
        }
    }
}

fn token(arguments: &McpServe) -> anyhow::Result<Option<Token>> {
    if arguments.no_token {
        return Ok(None);
    }
    if let Some(said) = std::env::var(TOKEN).ok().filter(|said| !said.is_empty()) {
        let letters = said.chars().count();
        anyhow::ensure!(
            letters >= TOKEN_LETTERS,
            "the token in {TOKEN} has {letters} characters and could be guessed; the minimum is \
             {TOKEN_LETTERS}"
        );
        return Ok(Some(Token::Said(said)));
    }
    let mut random = [0_u8; 32];
    getrandom::fill(&mut random).map_err(|error| anyhow::anyhow!("no random bytes: {error}"))?;
    let hex = random.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    Ok(Some(Token::Made(hex)))
}

/// Prints the address, and the token only if it is random: the user already has a token of their own.
fn tell(arguments: &McpServe, url: &str, token: Option<&Token>) -> anyhow::Result<()> {
    let made = match token {
        Some(Token::Made(token)) => Some(token),
        _ => None,
    };
    if arguments.json {
        return output::line(&json!({ "url": url, "token": made }));
    }
    let token = match token {
        None => "none is required".to_owned(),
        Some(Token::Said(_)) => format!("the one in {TOKEN}"),
        Some(Token::Made(token)) => token.clone(),
    };
    output::print(&format!("serving {url} until Ctrl-C\nbearer token: {token}\n"))
}
