//! Why a connection did not come about.

use std::io;
use std::net::IpAddr;

use crate::UrlRefusal;

/// Why a connection did not come about.
#[derive(Debug, thiserror::Error)]
#[expect(clippy::exhaustive_enums, reason = "whoever tells it has words for each of them")]
pub enum Refusal {
    /// What was asked for is no host.
    #[error(transparent)]
    Url(#[from] UrlRefusal),
    /// The port is none of the web's, and the program did not name it.
    #[error("port {port} of {host} is not reachable: only 80 and 443 are")]
    Port {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
    /// The name means this machine.
    #[error("{host} is this machine, and only the public internet is reachable")]
    LocalName {
        /// The host.
        host: String,
    },
    /// An address of the host is not public.
    #[error("{host} leads to {address}, which is not on the public internet")]
    NotPublic {
        /// The host.
        host: String,
        /// The address.
        address: IpAddr,
    },
    /// The name has no address.
    #[error("the address of {host} cannot be found")]
    Unresolved {
        /// The host.
        host: String,
        /// What the resolver said.
        source: io::Error,
    },
    /// No connection came about.
    #[error("{host} cannot be reached")]
    Unreachable {
        /// The host.
        host: String,
        /// What happened at the last of its addresses.
        source: io::Error,
    },
}

impl Refusal {
    /// Whether a rule was met, and not the network.
    pub fn is_rule(&self) -> bool {
        match self {
            Self::Url(_) | Self::Port { .. } | Self::LocalName { .. } | Self::NotPublic { .. } => true,
            Self::Unresolved { .. } | Self::Unreachable { .. } => false,
        }
    }
}
