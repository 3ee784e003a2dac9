//! Accepting connections in a way that survives errors of single connections.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};

/// The first pause after a shortage of resources; each further pause is twice as long, up to `LONGEST_PAUSE`.
const PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Accepts the next connection, and retries after errors that the listener survives.
///
/// A client that disconnected before it was accepted (`ECONNABORTED`, and the network errors that Linux
/// reports here) causes no pause. If file descriptors or memory are short (`EMFILE`, `ENFILE`, `ENOBUFS`,
/// `ENOMEM`), the function waits between 50 ms and 1 s before each retry, because other connections may end
/// and free them. Connections wait in the backlog meanwhile.
///
/// Cancel-safe.
///
/// # Errors
/// The socket is not a listening socket.
pub async fn accept(listener: &TcpListener) -> io::Result<(TcpStream, SocketAddr)> {
    accept_with(|| listener.accept()).await
}

/// Like [`accept`], for a socket in the file system.
///
/// # Errors
/// The socket is not a listening socket.
#[cfg(unix)]
pub async fn accept_unix(listener: &tokio::net::UnixListener) -> io::Result<tokio::net::UnixStream> {
    Ok(accept_with(|| listener.accept()).await?.0)
}

/// Like [`accept`], for any source of connections.
async fn accept_with<T, F: Future<Output = io::Result<T>>>(mut next: impl FnMut() -> F) -> io::Result<T> {
    let mut pause = PAUSE;
    loop {
        let error = match next().await {
            Ok(connection) => return Ok(connection),
            Err(error) => error,
        };
        match error.kind() {
            // These kinds are EINVAL and EOPNOTSUPP.
            io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported => return Err(error),
            io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::Interrupted => {}
            _ => {
                tokio::time::sleep(pause).await;
                pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    async fn accept_from(errors: impl IntoIterator<Item = io::Error>) -> io::Result<Duration> {
        let began = tokio::time::Instant::now();
        let mut errors: VecDeque<_> = errors.into_iter().collect();
        accept_with(|| std::future::ready(errors.pop_front().map_or(Ok(()), Err))).await?;
        Ok(began.elapsed())
    }

    // Regression test for the finding "correctness 15": a single failed `accept` ended the server.
    #[tokio::test(start_paused = true)]
    async fn a_client_that_went_away_costs_no_pause() {
        let errors = (0..1000).map(|_| io::Error::from(io::ErrorKind::ConnectionAborted));
        assert_eq!(accept_from(errors).await.unwrap(), Duration::ZERO);
    }

    #[cfg(unix)]
    #[tokio::test(start_paused = true)]
    async fn short_descriptors_are_waited_for() {
        // EMFILE and ENFILE have no kind of their own.
        for code in [24, 23] {
            let errors = (0..10).map(|_| io::Error::from_raw_os_error(code));
            let waited = accept_from(errors).await.unwrap();
            assert!((Duration::from_secs(5)..Duration::from_secs(8)).contains(&waited), "{waited:?}");
        }
    }

    #[cfg(unix)]
    #[tokio::test(start_paused = true)]
    async fn a_socket_that_does_not_listen_is_an_error() {
        assert!(accept_from([io::Error::from_raw_os_error(22)]).await.is_err());
    }
}
