//! Opens a connection to one of the checked addresses, with TLS where the URL asks for it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper::rt::{Read, Write};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::SendError;
use crate::{CheckedAddress, Dialer, ReachError, WebUrl};

/// Maximum number of a host's addresses that are tried.
const MAX_ATTEMPTS: usize = 4;

/// A stream that carries HTTP, with or without TLS.
pub(super) trait Carrier: Read + Write + Send + Unpin {}

impl<T: Read + Write + Send + Unpin> Carrier for T {}

/// Dials the addresses in turn, and returns the first connection. `limit` is for all attempts together.
pub(super) async fn open(
    dialer: &dyn Dialer,
    tls: &Arc<ClientConfig>,
    url: &WebUrl,
    addresses: &[CheckedAddress],
    limit: Duration,
) -> Result<Box<dyn Carrier>, SendError> {
    let attempts = addresses.len().clamp(1, MAX_ATTEMPTS);
    // Divides the time, so that an address that never answers leaves time for the others.
    let each = limit / u32::try_from(attempts).unwrap_or(1);
    let mut last = SendError::ConnectTimedOut { host: url.host().to_owned(), limit };
    for address in addresses.iter().take(attempts) {
        match timeout(each, connect(dialer, tls, url, *address)).await {
            Ok(Ok(carrier)) => return Ok(carrier),
            Ok(Err(error)) => last = error,
            Err(_) => {}
        }
    }
    Err(last)
}

async fn connect(
    dialer: &dyn Dialer,
    tls: &Arc<ClientConfig>,
    url: &WebUrl,
    address: CheckedAddress,
) -> Result<Box<dyn Carrier>, SendError> {
    let host = || url.host().to_owned();
    let unreachable = |source| SendError::Refused(ReachError::Unreachable { host: host(), source });
    let stream = dialer.dial(address).await.map_err(unreachable)?;
    let stream = tokio::net::TcpStream::from_std(stream).map_err(unreachable)?;
    if !url.is_encrypted() {
        return Ok(Box::new(TokioIo::new(stream)));
    }
    let encryption = |source| SendError::Encryption { host: host(), source };
    let name = match url.address() {
        Some(address) => ServerName::from(address),
        None => ServerName::try_from(host()).map_err(|error| encryption(io::Error::other(error)))?,
    };
    let connector = TlsConnector::from(Arc::clone(tls));
    Ok(Box::new(TokioIo::new(connector.connect(name, stream).await.map_err(encryption)?)))
}
