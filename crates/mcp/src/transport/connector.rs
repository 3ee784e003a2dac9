//! Connectors: a server's transport, replaceable by the application and by tests.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};

/// The future of a connection.
pub type ConnectFuture<'a> = Pin<Box<dyn Future<Output = io::Result<Pipes>> + Send + 'a>>;

/// A factory of connections to one server. It is called again after each end of a connection.
pub trait Connector: Send + Sync {
    /// Starts or contacts the server. Cancel-safe: dropping the future leaves nothing behind.
    fn connect(&self) -> ConnectFuture<'_>;

    /// Returns the end of the server's standard error output, for error messages. The default is an empty
    /// text.
    fn stderr_tail(&self) -> String {
        String::new()
    }
}

/// The reader and the writer of a connection, with a value that lives as long as the connection.
#[non_exhaustive]
pub struct Pipes {
    /// The server's output.
    pub reader: Box<dyn AsyncRead + Send + Unpin>,
    /// The server's input.
    pub writer: Box<dyn AsyncWrite + Send + Unpin>,
    /// A value that is dropped with the connection, such as a guard that kills the child process.
    pub held: Box<dyn Any + Send + Sync>,
}

impl Pipes {
    /// Creates pipes without a held value.
    pub fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self { reader: Box::new(reader), writer: Box::new(writer), held: Box::new(()) }
    }

    /// Sets the value that is dropped with the connection.
    pub fn with_held(mut self, held: impl Any + Send + Sync) -> Self {
        self.held = Box::new(held);
        self
    }
}

impl fmt::Debug for Pipes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipes").finish_non_exhaustive()
    }
}
