//! The way in which a connection to a server is opened.

use std::time::Duration;

use rmcp::model::{ErrorCode, ProtocolVersion};
use rmcp::service::{ClientInitializeError, ClientLifecycleMode};

use crate::McpLimits;

/// Longest wait for an answer to `server/discover`. The engine's own limit is 10 seconds.
const LONGEST_PROBE: Duration = Duration::from_secs(8);

/// The request that opens a connection to a server.
///
/// Protocol version 2026-07-28 begins with `server/discover`; every later request then carries the version,
/// and the server can neither keep a session nor send requests. Older versions begin with `initialize`.
///
/// ```
/// use windlass_mcp::{Lifecycle, McpServer};
/// let server = McpServer::new("files", "mcp-files")?.with_lifecycle(Lifecycle::Initialize);
/// assert_eq!(server.lifecycle(), Lifecycle::Initialize);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lifecycle {
    /// Sends `server/discover`, and then `initialize` if the server does not know it, ends at it, or leaves
    /// it unanswered for a third of `McpLimits::start`. A server that then refuses `initialize` is started again, with
    /// `server/discover` alone.
    #[default]
    Auto,
    /// Sends `server/discover` only.
    Discover,
    /// Sends `initialize` only.
    Initialize,
}

impl Lifecycle {
    /// Returns the engine's mode. The versions with `initialize` are not among the preferred ones, so the
    /// engine never uses one of them without its handshake.
    pub(crate) fn to_mode(self) -> ClientLifecycleMode {
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        match self {
            Self::Auto => ClientLifecycleMode::Auto {
                preferred_versions,
                legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
            },
            Self::Discover => ClientLifecycleMode::Discover { preferred_versions },
            Self::Initialize => ClientLifecycleMode::Initialize,
        }
    }

    /// Returns the time after which an unanswered `server/discover` counts as unknown to the server, or
    /// `None` without a fallback.
    pub(crate) fn probe(self, limits: &McpLimits) -> Option<Duration> {
        (self == Self::Auto).then(|| (limits.start / 3).min(LONGEST_PROBE))
    }

    /// Returns the way in which another connection should be opened after this error, if there is one: with
    /// `initialize`, if the server ended at `server/discover` or names only versions with `initialize`; with
    /// `server/discover` alone, if the server refused `initialize` because it had started too slowly for the probe.
    pub(crate) fn choose_next(self, error: &ClientInitializeError) -> Option<Self> {
        if self != Self::Auto {
            return None;
        }
        let is_known = |version: &ProtocolVersion| {
            version.has_initialize() && ProtocolVersion::KNOWN_VERSIONS.contains(version)
        };
        match error {
            ClientInitializeError::ConnectionClosed(_) => Some(Self::Initialize),
            ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
                let takes_initialize = server_supported.is_empty() || server_supported.iter().any(is_known);
                takes_initialize.then_some(Self::Initialize)
            }
            ClientInitializeError::LegacyFallbackFailed { fallback, .. } => {
                Self::choose_after_refusal(fallback)
            }
            error => Self::choose_after_refusal(error),
        }
    }

    fn choose_after_refusal(error: &ClientInitializeError) -> Option<Self> {
        match error {
            ClientInitializeError::JsonRpcError(error)
                if error.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION =>
            {
                Some(Self::Discover)
            }
            _ => None,
        }
    }
}
