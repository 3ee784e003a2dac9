//! Failures of exchanges, as errors of a transport.

use std::error::Error;
use std::io;
use std::time::Duration;

use hyper_util::client::legacy::Error as ClientError;

use super::connect::ConnectTimeout;
use super::http1::ExchangeError;
use crate::transport::{TransportError, TransportErrorKind};

/// Converts an error of the general client.
pub(super) fn client_error(error: ClientError, connect_timeout: Duration) -> TransportError {
    let cause = causes(&error);
    let (kind, message) = if let Some(tls) = certificate_error(&error) {
        (TransportErrorKind::Certificate, tls)
    } else if has_timed_out(&error) {
        (TransportErrorKind::ConnectTimeout, timeout_message(connect_timeout))
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
        ExchangeError::Connect(error) if has_timed_out(error.as_ref()) => {
            let message = timeout_message(connect_timeout);
            TransportError::new(TransportErrorKind::ConnectTimeout, message).with_source(error)
        }
        ExchangeError::Connect(error) => {
            TransportError::new(TransportErrorKind::Unreachable, causes(error.as_ref())).with_source(error)
        }
        ExchangeError::Exchange(error) => body_error(error),
    }
}

/// Converts an error of a connection that broke.
pub(super) fn body_error(error: hyper::Error) -> TransportError {
    TransportError::new(TransportErrorKind::Broken, causes(&error)).with_source(error)
}

fn timeout_message(limit: Duration) -> String {
    format!("no connection within {limit:?} (the connect timeout)")
}

fn has_timed_out(error: &(dyn Error + 'static)) -> bool {
    error.is::<ConnectTimeout>() || error.source().is_some_and(has_timed_out)
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

/// Returns the innermost cause: the outer messages only repeat it.
fn causes(error: &(dyn Error + 'static)) -> String {
    let mut text = String::new();
    let mut source = error.source();
    while let Some(cause) = source {
        text = cause.to_string();
        source = cause.source();
    }
    if text.is_empty() { error.to_string() } else { text }
}
