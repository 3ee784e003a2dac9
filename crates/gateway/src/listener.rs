//! The sockets of a server, and their certificates.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, PoisonError, RwLock};

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// A listening socket: TCP with or without TLS, or a socket in the file system.
///
/// ```
/// # async fn example(front: windlass_gateway::Front, chain: &[u8], key: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
/// use windlass_gateway::{Listener, ServeOptions, ServerTls, serve};
///
/// let tls = ServerTls::from_pem(chain, key)?;
/// let listener = Listener::bind("0.0.0.0:443".parse()?)?.with_tls(tls);
/// serve(listener, front, ServeOptions::default()).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Listener {
    source: Source,
    tls: Option<ServerTls>,
}

#[derive(Debug)]
enum Source {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(tokio::net::UnixListener),
}

/// An accepted connection.
pub(crate) enum Socket {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(tokio::net::UnixStream),
}

/// The certificate of a server, which can be replaced while it serves. Clones share it.
#[derive(Clone)]
pub struct ServerTls(Arc<RwLock<Arc<ServerConfig>>>);

/// The reason why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// The PEM text has no certificate, or a damaged one.
    #[error("the certificates cannot be read")]
    Certificates(#[source] rustls::pki_types::pem::Error),
    /// The PEM text has no private key, or a damaged one.
    #[error("the private key cannot be read")]
    Key(#[source] rustls::pki_types::pem::Error),
    /// The certificate and the key do not belong together, or are not supported.
    #[error("the certificate cannot be used with the key")]
    Pair(#[source] rustls::Error),
}

impl Listener {
    /// Binds a TCP socket, with room for 4,096 clients that connect at the same time. `TcpListener::bind` has room for
    /// 128, and each further client waits for one second.
    ///
    /// # Errors
    /// The address cannot be bound.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        Ok(windlass_web_reach::listen(address)?.into())
    }

    /// Returns the address of a TCP socket; `None` for a socket in the file system.
    pub fn local_addr(&self) -> Option<SocketAddr> {
        match &self.source {
            Source::Tcp(listener) => listener.local_addr().ok(),
            #[cfg(unix)]
            Source::Unix(_) => None,
        }
    }

    /// Encrypts the connections of a TCP socket. A socket in the file system stays plain.
    pub fn with_tls(mut self, tls: ServerTls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// Accepts the next connection.
    pub(crate) async fn accept(&self) -> io::Result<(Socket, Option<TlsAcceptor>)> {
        match &self.source {
            Source::Tcp(listener) => {
                let (stream, _) = windlass_web_reach::accept(listener).await?;
                let _ = stream.set_nodelay(true);
                Ok((Socket::Tcp(stream), self.tls.as_ref().map(ServerTls::acceptor)))
            }
            #[cfg(unix)]
            Source::Unix(listener) => {
                Ok((Socket::Unix(windlass_web_reach::accept_unix(listener).await?), None))
            }
        }
    }
}

impl From<TcpListener> for Listener {
    fn from(listener: TcpListener) -> Self {
        Self { source: Source::Tcp(listener), tls: None }
    }
}

#[cfg(unix)]
impl From<tokio::net::UnixListener> for Listener {
    fn from(listener: tokio::net::UnixListener) -> Self {
        Self { source: Source::Unix(listener), tls: None }
    }
}

impl ServerTls {
    /// Reads a chain of certificates, the server's own first, and its private key.
    ///
    /// # Errors
    /// One of the texts is not PEM, or the key does not belong to the certificate.
    pub fn from_pem(chain: &[u8], key: &[u8]) -> Result<Self, TlsError> {
        Ok(Self(Arc::new(RwLock::new(configure(chain, key)?))))
    }

    /// Replaces the certificate for later connections.
    ///
    /// # Errors
    /// Like [`from_pem`](Self::from_pem). The old certificate stays then.
    pub fn replace(&self, chain: &[u8], key: &[u8]) -> Result<(), TlsError> {
        let next = configure(chain, key)?;
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = next;
        Ok(())
    }

    fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

fn configure(chain: &[u8], key: &[u8]) -> Result<Arc<ServerConfig>, TlsError> {
    let chain: Vec<_> =
        CertificateDer::pem_slice_iter(chain).collect::<Result<_, _>>().map_err(TlsError::Certificates)?;
    let key = PrivateKeyDer::from_pem_slice(key).map_err(TlsError::Key)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = builder.and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key));
    let mut config = config.map_err(TlsError::Pair)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

impl fmt::Debug for ServerTls {
    // The configuration has the private key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerTls").finish_non_exhaustive()
    }
}
