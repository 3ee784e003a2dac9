//! Connections over streamable HTTP, with sessions, resumed streams and tokens.

use std::sync::Arc;
use std::time::Duration;

use rmcp::service::ClientInitializeError;
use rmcp::transport::auth::AuthClient;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpClientTransport, StreamableHttpClientTransportConfig,
};

use super::connection::Connection;
use super::handler::Handler;
use crate::address::Address;
use crate::oauth::login;
use crate::transport::http::Http;
use crate::transport::intake::Intake;
use crate::transport::watched::WatchedTransport;
use crate::{Lifecycle, McpServer, StartError};

/// Number of attempts to resume an interrupted stream, and the delays between them.
const CUTS: usize = 6;
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(10);
const CONNECT: Duration = Duration::from_secs(10);

type InitializeResult = Result<Connection, ClientInitializeError>;

/// Connects over HTTP and completes the MCP handshake.
pub(crate) async fn connect(
    server: &McpServer,
    address: &Address,
    lifecycle: Lifecycle,
    handler: Handler,
) -> Result<InitializeResult, StartError> {
    let id = || server.id().to_owned();
    let unfit = |why: String| StartError::Unfit { server: id(), why, heard: String::new() };
    let carried = address.credentials().map_err(|source| StartError::Address { server: id(), source })?;
    let intake = Intake(handler.ledger().clone());
    let limits = server.limits();
    let probe = lifecycle.probe(limits);
    let http = Http::new(intake, carried, (limits.frame_bytes, probe), CONNECT);
    let http = http.map_err(|error| unfit(error.to_string()))?;
    let stream = http.stream();
    let manager = match &address.sign_in {
        Some(sign_in) => login::signed_in(address, sign_in, server.id()).await,
        None => Ok(None),
    };
    let connected = match manager {
        Ok(Some(manager)) => {
            Ok(connect_client(AuthClient::new(http, manager), server, (address, lifecycle), handler).await)
        }
        Ok(None) => Ok(connect_client(http, server, (address, lifecycle), handler).await),
        Err(error) => Err(unfit(windlass_hitl::display_safe(&error.to_string()))),
    };
    stream.wait().await;
    connected
}

async fn connect_client<C>(
    client: C,
    server: &McpServer,
    (address, lifecycle): (&Address, Lifecycle),
    handler: Handler,
) -> InitializeResult
where
    C: StreamableHttpClient + Sync,
{
    let mut config = StreamableHttpClientTransportConfig::with_uri(address.as_str());
    // No call is sent twice, even if the server reports that it did not run: the next call opens a new
    // session (fault F68).
    config.reinit_on_expired_session = false;
    config.allow_stateless = true;
    config.max_sse_event_size = server.limits().frame_bytes;
    let mut retries = ExponentialBackoff::default();
    retries.max_times = Some(CUTS);
    retries.base_duration = FIRST_WAIT;
    retries.max_delay = Some(LONGEST_WAIT);
    config.retry_config = Arc::new(retries);
    let inner = StreamableHttpClientTransport::with_client(client, config);
    let transport = WatchedTransport { inner, ledger: handler.ledger().clone() };
    Connection::connect(transport, handler, lifecycle, Box::new(())).await
}
