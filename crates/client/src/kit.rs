//! Conformance of transports. A transport that passes can carry the requests of a client.

mod receiving;
mod rule;
mod sending;
mod server;

use std::future::Future;
use std::time::Duration;

use windlass_protocol::kit::RuleViolation;

use crate::transport::Transport;

pub use rule::TransportRule;

type Checked<T = ()> = Result<T, RuleViolation<TransportRule>>;

/// The longest time of one exchange with the server of the kit.
const LONGEST: Duration = Duration::from_secs(20);

/// The value of the secret header, which no error may contain.
const SECRET: &str = "Bearer kit-secret-7d1c";

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

/// Returns a violation if the condition does not hold.
fn ensure(holds: bool, rule: TransportRule, found: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(RuleViolation::new(rule, found())) }
}

/// Conversion of errors that the kit did not expect.
trait OrRule<T> {
    /// Returns a violation with the error as its source.
    fn or_rule(self, rule: TransportRule, found: &str) -> Checked<T>;
}

impl<T, E: std::error::Error + Send + Sync + 'static> OrRule<T> for Result<T, E> {
    fn or_rule(self, rule: TransportRule, found: &str) -> Checked<T> {
        self.map_err(|error| RuleViolation::new(rule, format!("{found}: {error}")).with_source(error))
    }
}

/// Limits the time of an exchange.
async fn in_time<T>(rule: TransportRule, work: impl Future<Output = Checked<T>>) -> Checked<T> {
    match tokio::time::timeout(LONGEST, work).await {
        Ok(result) => result,
        Err(_) => Err(RuleViolation::new(rule, format!("the exchange did not end within {LONGEST:?}"))),
    }
}
