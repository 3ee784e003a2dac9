//! The server of the user's sessions, and its devices.

use std::net::SocketAddr;

use clap::{Args, Subcommand};

use super::ServedRun;

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass serve --model gpt-5-mini\n\
Example: windlass serve --model gpt-5-mini --root ../project --add-device phone\n\
Example: windlass serve --model gpt-5-mini --listen 0.0.0.0:7373 --allow-remote --host-name windlass.example")]
pub(crate) struct Serve {
    /// Address to listen on; port 0 chooses a free port.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7373")]
    pub(crate) listen: SocketAddr,
    /// Allow an address that other machines can reach. The connection is not encrypted: put a proxy with TLS, a VPN or
    /// an SSH tunnel in front of it.
    #[arg(long)]
    pub(crate) allow_remote: bool,
    /// Name under which clients reach the server beside its address, with the port unless it is 80 or 443. Can be
    /// repeated.
    #[arg(long, value_name = "NAME")]
    pub(crate) host_name: Vec<String>,
    /// Register a device with this name, and print its link. The first start registers one named `browser`.
    #[arg(long, value_name = "NAME")]
    pub(crate) add_device: Option<String>,
    #[command(flatten)]
    pub(crate) run: ServedRun,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass devices list\nExample: windlass devices revoke 3f9a12bc7d10")]
pub(crate) struct DevicesCommand {
    #[command(subcommand)]
    pub(crate) command: DeviceAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DeviceAction {
    /// List the devices that may use the server.
    #[command(after_help = "Example: windlass devices list --json")]
    List {
        /// Print each device as a line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Register a device, and print its token once.
    #[command(after_help = "Example: windlass devices add phone")]
    Add {
        /// Name of the device.
        name: String,
    },
    /// Revoke a device: its token is refused from now on.
    #[command(after_help = "Example: windlass devices revoke 3f9a12bc7d10")]
    Revoke {
        /// Id of the device.
        id: String,
    },
}
