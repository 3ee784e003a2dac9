//! Failures of exchanges, as errors of a transport.

use std::error::Error;
use std::io;
use std::time::Duration;

use hyper_util::client::legacy::Error as ClientError;

use super::connect::ConnectTimeout;
use super::http1::ExchangeError;
use super::proxy::ProxyError;
use crate::transport::{TransportError, TransportErrorKind};

/// Converts an error of the general client.
pub(super) fn client_error(error: ClientError, connect_timeout: Duration) -> TransportError {
    let cause = causes(&error);
    let (kind, message) = if let Some(tls) = certificate_error(&error) {
        (TransportErrorKind::Certificate, tls)
    } else if let Some(timeout) = find::<ConnectTimeout>(&error) {
        (TransportErrorKind::ConnectTimeout, timeout_message(connect_timeout, timeout))
    } else if error.is_connect() {
        (TransportErrorKind::Unreachable, cause)
    } else {
        (TransportErrorKind::Broken, cause)
    };
    TransportError::new(kind, message).with_source(error)
}

/// Converts an error of an exchange without TLS.
pub(super) fn exchange_error(error: ExchangeError, connect_timeout: Duration) -> TransportError {
    match error {
        ExchangeError::Connect(error) => {
            let (kind, message) = match find::<ConnectTimeout>(error.as_ref()) {
                Some(timeout) => {
                    (TransportErrorKind::ConnectTimeout, timeout_message(connect_timeout, timeout))
                }
                None => (TransportErrorKind::Unreachable, causes(error.as_ref())),
            };
            TransportError::new(kind, message).with_source(error)
        }
        ExchangeError::Exchange(error) => body_error(error),
    }
}

/// Converts an error of a connection that broke.
pub(super) fn body_error(error: hyper::Error) -> TransportError {
    TransportError::new(TransportErrorKind::Broken, causes(&error)).with_source(error)
}

fn timeout_message(limit: Duration, timeout: &ConnectTimeout) -> String {
    let through = timeout.proxy.as_ref().map(|proxy| format!(" through the proxy {proxy}"));
    format!("no connection{} within {limit:?} (the connect timeout)", through.unwrap_or_default())
}

/// Returns the error of a type in a chain of causes.
fn find<'e, T: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e T> {
    error.downcast_ref().or_else(|| find(error.source()?))
}

/// Returns the description of an invalid server certificate, if that is the cause of the error.
fn certificate_error(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(tls @ rustls::Error::InvalidCertificate(_)) = error.downcast_ref() {
        return Some(tls.to_string());
    }
    // `io::Error::source` skips the error that it wraps, so take that error with `get_ref`.
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => certificate_error(inner),
        None => certificate_error(error.source()?),
    }
}

/// Returns the innermost cause, because the outer messages only repeat it, and the proxy of the connection.
fn causes(error: &(dyn Error + 'static)) -> String {
    let cause = find_innermost(error);
    match find::<ProxyError>(error) {
        Some(proxy) => format!("{proxy}: {cause}"),
        None => cause,
    }
}

fn find_innermost(error: &(dyn Error + 'static)) -> String {
    let mut text = String::new();
    let mut source = error.source();
    while let Some(cause) = source {
        text = cause.to_string();
        source = cause.source();
    }
    if text.is_empty() { error.to_string() } else { text }
}
