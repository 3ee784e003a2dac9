//! The gateway: `windlass proxy`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::front::Front;
use super::{Reach, WireName};

/// Options of one upstream, which a file replaces.
const OF_ONE_UPSTREAM: [&str; 14] = [
    "upstream",
    "base_url",
    "wire",
    "model",
    "alias",
    "client_keys",
    "add_client",
    "remove_client",
    "allow_origin",
    "allow_host",
    "request_log",
    "strict",
    "lenient",
    "no_store",
];

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Example: windlass proxy --upstream anthropic --model claude-sonnet-4-6 --listen 127.0.0.1:4000\n\
Then: OPENAI_BASE_URL=http://127.0.0.1:4000/v1 OPENAI_API_KEY=none any-openai-program\n\
Example: windlass proxy check proxy.toml && windlass proxy --file proxy.toml"
)]
pub(crate) struct Proxy {
    #[command(subcommand)]
    pub(crate) command: Option<ProxyCommand>,
    /// File with upstreams, aliases, clients and limits, in place of the options for one upstream. SIGHUP reads it again.
    /// docs/guide/src/gateway-operations.md has an example.
    #[arg(long, value_name = "FILE", conflicts_with_all = OF_ONE_UPSTREAM)]
    pub(crate) file: Option<PathBuf>,
    /// Address to listen on; port 0 chooses a free port. Default: that of the file, otherwise 127.0.0.1:4000.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<SocketAddr>,
    /// Provider that answers the requests; `windlass models` lists them.
    #[arg(
        long,
        value_name = "PROVIDER",
        required_unless_present_any = ["base_url", "add_client", "remove_client", "file"]
    )]
    pub(crate) upstream: Option<String>,
    /// Base URL that replaces the provider's own.
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Wire format, if it is not the one that the provider defines.
    #[arg(long, value_enum)]
    pub(crate) wire: Option<WireName>,
    /// Model for all requests; replaces the model that the client names.
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Allow an address that other machines can reach. Every client that reaches it uses your API key.
    #[arg(long)]
    pub(crate) allow_remote: bool,
    #[command(flatten)]
    pub(crate) front: Front,
    #[command(flatten)]
    pub(crate) reach: Reach,
    /// URL of an OpenTelemetry collector that gets a span of each request by OTLP over HTTP, such as `http://localhost:4318`.
    /// The default is `OTEL_EXPORTER_OTLP_ENDPOINT`. Spans contain no content. Requires a build with the feature `otlp`.
    #[arg(long, value_name = "URL")]
    pub(crate) otlp: Option<String>,
    /// Print the address as a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProxyCommand {
    /// Check a file of `windlass proxy --file`, without a request and without running a command for a key.
    Check(ProxyCheck),
}

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass proxy check proxy.toml")]
pub(crate) struct ProxyCheck {
    /// The file.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) reach: Reach,
}
