//! Listening sockets: a backlog for bursts of clients, and accepting in a way that survives errors of single connections.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// The first pause after a shortage of resources; each further pause is twice as long, up to `LONGEST_PAUSE`.
const PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// Connections that the kernel completes before the server accepts them. The kernel has a maximum of its own
/// (`net.core.somaxconn`), which is 4,096 on Linux.
const BACKLOG: u32 = 4_096;

/// Binds a listening socket with a backlog of 4,096 connections.
///
/// `TcpListener::bind` has a backlog of 128. When more clients connect at the same time, Linux drops the packets that
/// open their connections, and each client repeats its packet after one second.
///
/// # Errors
/// The address cannot be bound.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // On Windows the option would permit two servers on one port.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

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

    // More than the backlog of `TcpListener::bind`, and few enough for the descriptors of a test.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_burst_of_clients_connects_before_the_server_accepts() {
        let listener = listen(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let address = listener.local_addr().unwrap();
        let mut clients = tokio::task::JoinSet::new();
        for _ in 0..300 {
            clients.spawn(TcpStream::connect(address));
        }
        // Without room in the backlog a connection is not established before the server accepts, at any time.
        let all = tokio::time::timeout(Duration::from_mins(1), clients.join_all()).await.unwrap();
        assert!(all.iter().all(Result::is_ok));
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
