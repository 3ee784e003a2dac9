//! How a server is reached: as a child process, or as a test has it.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};

/// The wait for a connection.
pub type ConnectFuture<'a> = Pin<Box<dyn Future<Output = io::Result<Pipes>> + Send + 'a>>;

/// Makes connections to a server, one after the other.
pub trait Connector: Send + Sync {
    /// Starts or reaches the server. Cancel-safe: dropping the future leaves nothing behind.
    fn connect(&self) -> ConnectFuture<'_>;

    /// What the server said beside the protocol, for an error's text. By default: nothing.
    fn heard(&self) -> String {
        String::new()
    }
}

/// The two ends of a connection, and what must live as long as it does.
#[non_exhaustive]
pub struct Pipes {
    /// What the server writes.
    pub reader: Box<dyn AsyncRead + Send + Unpin>,
    /// What the server reads.
    pub writer: Box<dyn AsyncWrite + Send + Unpin>,
    /// Is dropped with the connection; a child process dies of it.
    pub held: Box<dyn Any + Send + Sync>,
}

impl Pipes {
    /// Two ends, and nothing to hold.
    pub fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self { reader: Box::new(reader), writer: Box::new(writer), held: Box::new(()) }
    }

    /// The same with something to hold.
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
