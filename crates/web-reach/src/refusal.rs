//! Reasons why a connection was refused or failed.

use std::io;
use std::net::IpAddr;

use crate::UrlRefusal;

/// The reason why a connection was refused or failed.
#[derive(Debug, thiserror::Error)]
#[expect(clippy::exhaustive_enums, reason = "each caller writes a text for each of them")]
pub enum ReachError {
    /// The URL or the host is invalid.
    #[error(transparent)]
    Url(#[from] UrlRefusal),
    /// The port is neither 80 nor 443, and the program did not add the endpoint.
    #[error("port {port} of {host} is not reachable: only 80 and 443 are")]
    Port {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
    /// The name refers to this machine.
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
        /// The address that is not public.
        address: IpAddr,
    },
    /// The name cannot be resolved or has no address.
    #[error("the address of {host} cannot be found")]
    Unresolved {
        /// The host.
        host: String,
        /// The error of the resolver.
        source: io::Error,
    },
    /// The connection attempts failed.
    #[error("{host} cannot be reached")]
    Unreachable {
        /// The host.
        host: String,
        /// The error of the last address that was tried.
        source: io::Error,
    },
}

impl ReachError {
    /// Returns true if a rule refused the connection, and false if the network failed.
    pub fn is_rule(&self) -> bool {
        match self {
            Self::Url(_) | Self::Port { .. } | Self::LocalName { .. } | Self::NotPublic { .. } => true,
            Self::Unresolved { .. } | Self::Unreachable { .. } => false,
        }
    }
}
