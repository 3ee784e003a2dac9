//! Transports to a server, with the checks of its bytes before the `rmcp` engine reads them.

pub(crate) mod child;
pub(crate) mod connector;
pub(crate) mod discovery;
pub(crate) mod events;
pub(crate) mod frames;
pub(crate) mod http;
pub(crate) mod http_error;
pub(crate) mod intake;
pub(crate) mod ledger;
pub(crate) mod lines;
pub(crate) mod message;
pub(crate) mod scan;
pub(crate) mod session_stream;
pub(crate) mod skipped_messages;
pub(crate) mod tls;
pub(crate) mod watched;
