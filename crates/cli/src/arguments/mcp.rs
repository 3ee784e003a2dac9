//! The commands that use MCP servers, and the command that serves this program's tools over MCP.

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
    /// Serve the tools of this program to MCP clients, over standard input and output or over HTTP. The same
    /// policy applies as for runs: its questions go to the user of the client, or the call is denied if there
    /// is none.
    #[command(after_help = "Example, in the settings of a client: \
        {\"command\": \"windlass\", \"args\": [\"mcp\", \"serve\", \"--root\", \"/path/of/project\"]}\n\
        Example: windlass mcp serve --http 127.0.0.1:8123 --preset minimal --autonomy auto-edit")]
    Serve(Box<McpServe>),
    /// List the configured servers and whether they are trusted, without starting them.
    #[command(after_help = "Example: windlass mcp list --root .")]
    List {
        /// Project folder whose configuration is also read.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// Print a line of JSON for each entry.
        #[arg(long)]
        json: bool,
    },
    /// Add a server to your `config.toml`: a program that runs here, or an address. Comments in the file are kept.
    #[command(
        after_help = "Example: windlass mcp add files -- npx -y @modelcontextprotocol/server-filesystem .\n\
        Example: windlass mcp add issues --url https://example.com/mcp --bearer-token-env ISSUES_TOKEN\n\
        Example: windlass mcp add db --env PGHOST=localhost --inherit PGPASSWORD -- db-server --read-only"
    )]
    Add(McpAdd),
    /// Remove a server from your `config.toml`.
    #[command(after_help = "Example: windlass mcp remove files")]
    Remove {
        /// Name of the server.
        name: String,
    },
    /// List the tools of one server or of all servers.
    #[command(after_help = "Example: windlass mcp tools files\n\
        Example: windlass mcp tools --command \"npx -y @modelcontextprotocol/server-everything\"\n\
        Example: windlass mcp tools --url https://example.com/mcp --json")]
    Tools {
        #[command(flatten)]
        target: McpTarget,
        /// Print a line of JSON for each tool, with the schema of its arguments.
        #[arg(long)]
        json: bool,
    },
    /// Call a tool of a server. The same policy applies as for runs.
    #[command(
        after_help = "Example: windlass mcp call echo '{\"message\":\"hello\"}' --server everything --yes\n\
        Example: windlass mcp call get_current_time '{\"timezone\":\"UTC\"}' --command \"uvx mcp-server-time\""
    )]
    Call(Box<McpCall>),
    /// List the resources of a server, or read one.
    #[command(after_help = "Example: windlass mcp resources docs\n\
        Example: windlass mcp resources docs --read docs://intro")]
    Resources {
        #[command(flatten)]
        target: McpTarget,
        /// Read the resource with this URI.
        #[arg(long, value_name = "URI")]
        read: Option<String>,
        /// Print a line of JSON for each entry.
        #[arg(long)]
        json: bool,
    },
    /// Sign in to a server in the browser, and store its tokens so that only the user can read them.
    #[command(after_help = "Example: windlass mcp login issues\nExample: windlass mcp login issues --logout")]
    Login {
        #[command(flatten)]
        target: McpTarget,
        /// Delete the stored tokens.
        #[arg(long)]
        logout: bool,
        /// Print the address and do not open a browser.
        #[arg(long)]
        no_browser: bool,
    },
    /// Connect to servers and diagnose problems.
    #[command(
        after_help = "Example: windlass mcp doctor\nExample: windlass mcp doctor --command \"uvx mcp-server-git\""
    )]
    Doctor {
        #[command(flatten)]
        target: McpTarget,
        /// Print a line of JSON for each entry.
        #[arg(long)]
        json: bool,
    },
    /// Convert the servers in another client's JSON file (`mcpServers`, or `servers` of editors) to TOML for
    /// the user's `config.toml`, and print or write them.
    #[command(
        after_help = "Example: windlass mcp import ~/.config/Claude/claude_desktop_config.json --write"
    )]
    Import(McpImport),
    /// Trust servers that a project's `.windlass/config.toml` names, or list them. A server of a project is
    /// not started before it is trusted, because the author of the project decides what it does. Trust ends
    /// when the entry changes, a script that it names, or a file that decides what its program runs
    /// (`package.json`, a Makefile, …).
    #[command(after_help = "Example: windlass mcp trust\nExample: windlass mcp trust docs --root .")]
    Trust(McpTrust),
}

#[derive(Debug, Args)]
pub(crate) struct McpAdd {
    /// Name of the server.
    pub(crate) name: String,
    /// Program of the server with its arguments, after `--`.
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "url")]
    pub(crate) command: Vec<String>,
    /// Address of a server that is reached over HTTP.
    #[arg(long, conflicts_with = "command")]
    pub(crate) url: Option<String>,
    /// Environment variable for the program. Its value is stored in the file. Can be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair, conflicts_with = "url")]
    pub(crate) env: Vec<(String, String)>,
    /// Environment variable that the program inherits, for secrets. Can be repeated.
    #[arg(long, value_name = "NAME", conflicts_with = "url")]
    pub(crate) inherit: Vec<String>,
    /// Environment variable with the server's bearer token.
    #[arg(long, value_name = "NAME", requires = "url")]
    pub(crate) bearer_token_env: Option<String>,
    /// Header that is sent with each request. Its value is stored in the file. Can be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair, requires = "url")]
    pub(crate) header: Vec<(String, String)>,
    /// Replace a server of the same name.
    #[arg(long)]
    pub(crate) force: bool,
}

/// Parses a name and its value.
fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(format!("{text:?} is not a pair; write one like NAME=VALUE")),
    }
}

#[derive(Debug, Args)]
pub(crate) struct McpImport {
    /// File of the other client; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Write the servers into the user's `config.toml`. Existing entries are kept.
    #[arg(long)]
    pub(crate) write: bool,
    /// Replace existing servers of the same name.
    #[arg(long, requires = "write")]
    pub(crate) force: bool,
    /// Also copy values that look like secrets. By default they are reported and read from environment
    /// variables.
    #[arg(long)]
    pub(crate) with_secrets: bool,
}

#[derive(Debug, Args)]
pub(crate) struct McpTrust {
    /// Names of the servers; without a name, all are listed.
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Revoke the trust.
    #[arg(long, requires = "names")]
    pub(crate) revoke: bool,
    /// Print a line of JSON for each server.
    #[arg(long)]
    pub(crate) json: bool,
    /// Project folder.
    #[arg(long, default_value = ".")]
    pub(crate) root: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct McpServe {
    /// Serve over streamable HTTP at this address, under the path `/mcp`; port 0 chooses a free port. Clients
    /// need the token in `WINDLASS_MCP_TOKEN`; if it is not set, a token is generated and printed.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) http: Option<SocketAddr>,
    /// Do not require a token. Every program and every user of this machine can then use the tools.
    #[arg(long, requires = "http")]
    pub(crate) no_token: bool,
    /// Host name under which other machines may reach the server. Can be repeated.
    #[arg(long = "allow-host", value_name = "NAME", requires = "http", conflicts_with = "no_token")]
    pub(crate) hosts: Vec<String>,
    /// Workspace: the folder to work in.
    #[arg(long, default_value = ".")]
    pub(crate) root: PathBuf,
    /// Profile of the user's `config.toml`: defaults of these options.
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Set of tools.
    #[arg(long, value_enum, default_value = "standard")]
    pub(crate) preset: PresetName,
    #[command(flatten)]
    pub(crate) offering: Offering,
    /// Actions that the agent may take without asking.
    #[arg(long, value_enum, default_value = "ask")]
    pub(crate) autonomy: AutonomyName,
    /// Policy file.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Confinement of commands.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) sandbox: SandboxName,
    /// Print the address and the token as a line of JSON.
    #[arg(long, requires = "http")]
    pub(crate) json: bool,
}

/// Selection of a server: a configured one, or one given by its address or program.
#[derive(Clone, Debug, Args)]
pub(crate) struct McpTarget {
    /// Name of a configured server.
    #[arg(value_name = "SERVER", conflicts_with_all = ["url", "command"])]
    pub(crate) server: Option<String>,
    #[command(flatten)]
    pub(crate) spot: McpSpot,
}

/// A server that is given by its address or program, with its working folder.
#[derive(Clone, Debug, Args)]
pub(crate) struct McpSpot {
    /// URL of a server that is not configured.
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    pub(crate) url: Option<String>,
    /// Program and arguments of a server that is not configured. It is not run by a shell; quotes group
    /// words.
    #[arg(long, value_name = "COMMAND")]
    pub(crate) command: Option<String>,
    /// Environment variable that contains the token for `--url`.
    #[arg(long, value_name = "NAME", requires = "url")]
    pub(crate) bearer_token_env_var: Option<String>,
    /// Working folder of the server.
    #[arg(long, default_value = ".")]
    pub(crate) root: PathBuf,
    /// Confinement of servers that a project names or whose entry requests confinement.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) sandbox: SandboxName,
}

#[derive(Debug, Args)]
pub(crate) struct McpCall {
    /// Name of the tool at the server.
    #[arg(value_name = "TOOL")]
    pub(crate) tool: String,
    /// Arguments as JSON; `-` reads them from standard input.
    #[arg(default_value = "{}")]
    pub(crate) arguments: String,
    /// Name of a configured server.
    #[arg(long, value_name = "SERVER", conflicts_with_all = ["url", "command"])]
    pub(crate) server: Option<String>,
    #[command(flatten)]
    pub(crate) spot: McpSpot,
    /// Run the call even if the policy asks. By default you are asked on the terminal.
    #[arg(long)]
    pub(crate) yes: bool,
    /// Policy file.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Print the result as a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
