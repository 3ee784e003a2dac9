//! The commands around MCP servers: those of others, and this program as one.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{AutonomyName, Offering, PresetName, SandboxName};

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass mcp serve --root . --preset standard")]
pub(crate) struct Mcp {
    #[command(subcommand)]
    pub(crate) command: McpCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Serve the tools of this program to any MCP client, over standard input and output or over HTTP, under the same
    /// policy as everything else: what policy asks about is put to the client's human, or denied where there is none.
    #[command(after_help = "Example, in the settings of a client: \
        {\"command\": \"windlass\", \"args\": [\"mcp\", \"serve\", \"--root\", \"/path/of/project\"]}\n\
        Example: windlass mcp serve --http 127.0.0.1:8123 --preset minimal --autonomy auto-edit")]
    Serve(Box<McpServe>),
    /// Read the servers of another client's JSON (`mcpServers`, or `servers` of editors), and print them as TOML for the
    /// user's `config.toml`, or write them there.
    #[command(
        after_help = "Example: windlass mcp import ~/.config/Claude/claude_desktop_config.json --write"
    )]
    Import(McpImport),
    /// Say yes to servers that a project's `.windlass/config.toml` names, or list them. A server of a project is not
    /// started before: whoever wrote the project decides what it does. A changed entry is another one.
    #[command(after_help = "Example: windlass mcp trust\nExample: windlass mcp trust docs --root .")]
    Trust(McpTrust),
}

#[derive(Debug, Args)]
pub(crate) struct McpImport {
    /// The other client's file; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Write them into the user's `config.toml`. What is there stays.
    #[arg(long)]
    pub(crate) write: bool,
    /// Replace servers that are there already.
    #[arg(long, requires = "write")]
    pub(crate) force: bool,
    /// Copy values that look like secrets, too. Without it they are named, and taken from the environment.
    #[arg(long)]
    pub(crate) with_secrets: bool,
}

#[derive(Debug, Args)]
pub(crate) struct McpTrust {
    /// The servers; without one they are listed.
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Take the yes back.
    #[arg(long, requires = "names")]
    pub(crate) revoke: bool,
    /// The project's folder.
    #[arg(long, default_value = ".")]
    pub(crate) root: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct McpServe {
    /// Serve over streamable HTTP at this address, at the path `/mcp`; port 0 takes a free one. Clients need the token
    /// in `WINDLASS_MCP_TOKEN`, or the one that is made and printed.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) http: Option<SocketAddr>,
    /// Ask no client for a token. Every program and every user of this machine can use the tools then.
    #[arg(long, requires = "http")]
    pub(crate) no_token: bool,
    /// A name of this machine under which other machines may reach the server. May be said several times.
    #[arg(long = "allow-host", value_name = "NAME", requires = "http", conflicts_with = "no_token")]
    pub(crate) hosts: Vec<String>,
    /// The folder to work in; nothing outside is touched.
    #[arg(long, default_value = ".")]
    pub(crate) root: PathBuf,
    /// How many tools.
    #[arg(long, value_enum, default_value = "standard")]
    pub(crate) preset: PresetName,
    #[command(flatten)]
    pub(crate) offering: Offering,
    /// How far it goes without asking.
    #[arg(long, value_enum, default_value = "ask")]
    pub(crate) autonomy: AutonomyName,
    /// A policy file.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// How commands are confined.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) sandbox: SandboxName,
    /// Print the address and the token as a line of JSON.
    #[arg(long, requires = "http")]
    pub(crate) json: bool,
}
