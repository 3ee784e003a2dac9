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
    /// The servers that are configured, and whether they may be started. Nothing is started.
    #[command(after_help = "Example: windlass mcp list --root .")]
    List {
        /// The folder whose project configuration is read too.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// Print a line of JSON for each.
        #[arg(long)]
        json: bool,
    },
    /// The tools of a server, or of all.
    #[command(after_help = "Example: windlass mcp tools files\n\
        Example: windlass mcp tools --command \"npx -y @modelcontextprotocol/server-everything\"\n\
        Example: windlass mcp tools --url https://example.com/mcp --json")]
    Tools {
        #[command(flatten)]
        target: McpTarget,
        /// Print a line of JSON for each, with the schema of its arguments.
        #[arg(long)]
        json: bool,
    },
    /// Call a tool of a server, under the same policy as everything else.
    #[command(
        after_help = "Example: windlass mcp call echo '{\"message\":\"hello\"}' --server everything --yes\n\
        Example: windlass mcp call get_current_time '{\"timezone\":\"UTC\"}' --command \"uvx mcp-server-time\""
    )]
    Call(Box<McpCall>),
    /// The resources of a server, or one of them.
    #[command(after_help = "Example: windlass mcp resources docs\n\
        Example: windlass mcp resources docs --read docs://intro")]
    Resources {
        #[command(flatten)]
        target: McpTarget,
        /// Read this one.
        #[arg(long, value_name = "URI")]
        read: Option<String>,
        /// Print a line of JSON for each.
        #[arg(long)]
        json: bool,
    },
    /// Sign in to a server in the browser, and keep its tokens for the user alone.
    #[command(after_help = "Example: windlass mcp login issues\nExample: windlass mcp login issues --logout")]
    Login {
        #[command(flatten)]
        target: McpTarget,
        /// Forget the tokens instead.
        #[arg(long)]
        logout: bool,
        /// Only print the address, and open nothing.
        #[arg(long)]
        no_browser: bool,
    },
    /// Start or reach servers, and say what is wrong with each.
    #[command(
        after_help = "Example: windlass mcp doctor\nExample: windlass mcp doctor --command \"uvx mcp-server-git\""
    )]
    Doctor {
        #[command(flatten)]
        target: McpTarget,
        /// Print a line of JSON for each.
        #[arg(long)]
        json: bool,
    },
    /// Read the servers of another client's JSON (`mcpServers`, or `servers` of editors), and print them as TOML for the
    /// user's `config.toml`, or write them there.
    #[command(
        after_help = "Example: windlass mcp import ~/.config/Claude/claude_desktop_config.json --write"
    )]
    Import(McpImport),
    /// Say yes to servers that a project's `.windlass/config.toml` names, or list them. A server of a project is not
    /// started before: whoever wrote the project decides what it does. A yes ends with a change of the entry, of a script that it
    /// names, or of a file that decides what its program runs (`package.json`, a Makefile, …).
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

/// Which server: one that is configured, or one that is named on the spot.
#[derive(Clone, Debug, Args)]
pub(crate) struct McpTarget {
    /// A server that is configured.
    #[arg(value_name = "SERVER", conflicts_with_all = ["url", "command"])]
    pub(crate) server: Option<String>,
    #[command(flatten)]
    pub(crate) spot: McpSpot,
}

/// A server that is named on the spot, and where it is used.
#[derive(Clone, Debug, Args)]
pub(crate) struct McpSpot {
    /// The address of a server that is not configured.
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    pub(crate) url: Option<String>,
    /// The program, with its arguments, of a server that is not configured. No shell reads it; quotes keep words together.
    #[arg(long, value_name = "COMMAND")]
    pub(crate) command: Option<String>,
    /// The variable of the environment with the token for `--url`.
    #[arg(long, value_name = "NAME", requires = "url")]
    pub(crate) bearer_token_env_var: Option<String>,
    /// The folder that the server works in.
    #[arg(long, default_value = ".")]
    pub(crate) root: PathBuf,
    /// How a process is confined that is to be: a project's, and one whose entry says so.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) sandbox: SandboxName,
}

#[derive(Debug, Args)]
pub(crate) struct McpCall {
    /// The tool, by the server's own name for it.
    #[arg(value_name = "TOOL")]
    pub(crate) tool: String,
    /// Its arguments as JSON; `-` reads them from standard input.
    #[arg(default_value = "{}")]
    pub(crate) arguments: String,
    /// A server that is configured.
    #[arg(long, value_name = "SERVER", conflicts_with_all = ["url", "command"])]
    pub(crate) server: Option<String>,
    #[command(flatten)]
    pub(crate) spot: McpSpot,
    /// Run it even where policy asks. Without it you are asked, if you are at a terminal.
    #[arg(long)]
    pub(crate) yes: bool,
    /// A policy file.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Print the result as a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
