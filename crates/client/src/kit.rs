//! Conformance of transports. A transport that passes can carry the requests of a client.

mod check;
mod receiving;
mod rule;
mod sending;
mod server;

use windlass_protocol::kit::RuleViolation;

use crate::transport::Transport;

pub use rule::TransportRule;

/// Checks a transport against a server that the kit starts on the loopback interface, over HTTP/1.1 without TLS.
///
/// The transport must be able to connect to `127.0.0.1`, and must run in a tokio runtime with IO and time. A transport
/// that answers from a recording is not a subject of this kit.
///
/// ```
/// use windlass_client::kit::check_transport;
/// use windlass_client::{HttpOptions, HttpTransport};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// check_transport(&HttpTransport::new(&HttpOptions::default())?).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns the first rule that the transport does not follow.
pub async fn check_transport(transport: &dyn Transport) -> Result<(), RuleViolation<TransportRule>> {
    sending::check_requests(transport).await?;
    sending::check_unreachable(transport).await?;
    receiving::check_statuses(transport).await?;
    receiving::check_redirect(transport).await?;
    receiving::check_body(transport).await?;
    receiving::check_pieces(transport).await?;
    receiving::check_broken_body(transport).await?;
    receiving::check_drops(transport).await
}
