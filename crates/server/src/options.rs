//! The options of a server.

use std::time::Duration;

/// The limits of a server, and the names under which it may be reached.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerOptions {
    /// Names that clients may use beside the address, as in the header `Host`: `windlass.example:443`. A server behind
    /// a proxy needs the name of the proxy.
    pub host_names: Vec<String>,
    /// Maximum bytes of a request body. Default: 1 MiB.
    pub body_bytes: usize,
    /// Maximum bytes of a request body with files, which has them in base64. At most four such bodies are in memory.
    /// Default: 32 MiB.
    pub upload_bytes: usize,
    /// Maximum time for the body of a request. Default: 30 seconds.
    pub body_timeout: Duration,
    /// Maximum concurrent connections; further connections wait in the backlog. Default: 2,200.
    pub connections: usize,
    /// Maximum time for the head of a request. Default: 10 seconds.
    pub head_timeout: Duration,
    /// Time for open requests to finish after the server is stopped. Default: 5 seconds.
    pub drain: Duration,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            host_names: Vec::new(),
            body_bytes: 1 << 20,
            upload_bytes: 32 << 20,
            body_timeout: Duration::from_secs(30),
            connections: 2_200,
            head_timeout: Duration::from_secs(10),
            drain: Duration::from_secs(5),
        }
    }
}
