//! Tools of documents, against hostile documents, arguments and servers.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail loudly")]

mod calls;
mod credentials;
mod documents;
mod growth;
mod hostile;
mod pets;
mod schemas;
mod selection;
mod server;
mod urls;
