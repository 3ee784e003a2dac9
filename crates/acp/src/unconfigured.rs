//! An agent without a usable setting, which it names to the client.

use std::io;

use tokio::io::{AsyncRead, AsyncWrite, BufReader};

use crate::agent::write_lines;
use crate::dispatch::describe_agent;
use crate::lines::{Line, MAX_LINE, next_line};
use crate::peer::Peer;
use crate::rpc::{Incoming, RpcError, parse};

/// Serves a client without an agent, for a program whose settings cannot be used: `initialize` succeeds and names `error`
/// as the reason for which a sign-in is necessary, and each other request fails with it. An editor shows nothing if a
/// program ends before `initialize`.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let client = &b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{}}\n"[..];
/// let mut answers = Vec::new();
/// windlass_acp::serve_error("no provider: set OPENAI_API_KEY", client, &mut answers).await?;
/// assert!(String::from_utf8_lossy(&answers).contains("set OPENAI_API_KEY"));
/// # Ok::<(), std::io::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Fails if the transport fails.
pub async fn serve_error(
    error: &str,
    reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let (peer, lines) = Peer::new();
    let answer = async {
        // The peer ends with this block, and the writer with the peer.
        let peer = peer;
        let mut reader = BufReader::new(reader);
        while let Some(line) = next_line(&mut reader, MAX_LINE).await? {
            let Line::Whole(line) = line else { continue };
            match parse(&line) {
                Ok(Incoming::Request { id, method, .. }) if method == "initialize" => {
                    peer.respond(&id, Ok(describe_agent(error))).await;
                }
                Ok(Incoming::Request { id, .. }) => {
                    peer.respond(&id, Err(RpcError::auth_required(error))).await;
                }
                Ok(Incoming::Notification { .. } | Incoming::Response { .. }) => {}
                Err((id, error)) => peer.respond(&id, Err(error)).await,
            }
        }
        io::Result::Ok(())
    };
    let (read, written) = tokio::join!(answer, write_lines(writer, lines));
    read.and(written)
}
