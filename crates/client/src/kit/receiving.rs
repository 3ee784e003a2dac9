//! The rules of responses.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{Either, join, select};
use futures_util::{FutureExt as _, StreamExt as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use windlass_protocol::kit::RuleViolation;

use super::check::{OrRule as _, RuleResult, ensure, in_time};
use super::rule::TransportRule;
use super::server::{ReceivedRequest, Server, respond};
use crate::transport::{Transport, TransportError, TransportRequest, TransportResponse};

/// The head of a response whose body ends with the connection.
const OPEN_HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// Sends one request while the server answers. Returns the response and the number of received requests.
async fn exchange(
    transport: &dyn Transport,
    server: &Server,
    rule: TransportRule,
    mut reply: impl FnMut(&ReceivedRequest) -> Vec<u8>,
) -> RuleResult<(TransportResponse, Vec<Bytes>, u32)> {
    let mut count = 0_u32;
    let serve = server.serve(|received| {
        count = count.saturating_add(1);
        reply(&received)
    });
    let request = TransportRequest::post(server.url("/start"), "{}");
    let receive = async {
        let mut response = transport.send(request).await.or_rule(rule, "the request failed")?;
        let mut pieces = Vec::new();
        while let Some(piece) = response.body.next().await {
            pieces.push(piece.or_rule(TransportRule::ReturnsTheBody, "the body failed")?);
        }
        Ok((response, pieces))
    };
    let (response, pieces) = in_time(rule, async {
        match select(pin!(receive), pin!(serve)).await {
            Either::Left((received, _)) => received,
            Either::Right((ended, _)) => {
                ended.or_rule(rule, "the request could not be read")?;
                Err(RuleViolation::new(rule, "the server ended"))
            }
        }
    })
    .await?;
    Ok((response, pieces, count))
}

pub(super) async fn check_statuses(transport: &dyn Transport) -> RuleResult {
    for (status, line) in [(200, "200 OK"), (404, "404 Not Found"), (429, "429 Slow"), (503, "503 Busy")] {
        let server = Server::start().await?;
        let rule = TransportRule::ReturnsEveryStatus;
        let headers = "Retry-After: 7\r\nX-Kit: one\r\nX-Kit: two\r\n";
        let reply = |_: &ReceivedRequest| respond(line, headers, b"the reason");
        let (response, pieces, count) = exchange(transport, &server, rule, reply).await?;
        ensure(response.status == status, rule, || format!("{status} was returned as {}", response.status))?;
        ensure(count == 1, TransportRule::SendsOnce, || {
            format!("the server received {count} requests for {status}")
        })?;
        let values = response.headers.iter().filter(|(name, _)| name == "x-kit").count();
        ensure(
            response.header("retry-after") == Some("7") && values == 2,
            TransportRule::ReturnsHeaders,
            || format!("the headers are {:?}", response.headers),
        )?;
        let body = pieces.concat();
        ensure(body == b"the reason", TransportRule::ReturnsTheBody, || {
            format!("the body of {status} has {} bytes and not 10", body.len())
        })?;
    }
    Ok(())
}

pub(super) async fn check_redirect(transport: &dyn Transport) -> RuleResult {
    let server = Server::start().await?;
    let rule = TransportRule::FollowsNoRedirect;
    let location = format!("Location: {}\r\n", server.url("/other"));
    let reply = |received: &ReceivedRequest| match received.target.as_str() {
        "/start" => respond("307 Temporary Redirect", &location, b""),
        _ => respond("200 OK", "", b"followed"),
    };
    let (response, _, count) = exchange(transport, &server, rule, reply).await?;
    ensure(response.status == 307 && count == 1, rule, || {
        format!("the status is {}, and the server received {count} requests", response.status)
    })
}

/// Checks a body of 1 MB that contains every byte value, which is larger than the buffers on its way.
pub(super) async fn check_body(transport: &dyn Transport) -> RuleResult {
    let server = Server::start().await?;
    let rule = TransportRule::ReturnsTheBody;
    let body: Vec<u8> = (0..=255_u8).cycle().take(1_000_000).collect();
    let (_, pieces, _) = exchange(transport, &server, rule, |_| respond("200 OK", "", &body)).await?;
    ensure(pieces.concat() == body, rule, || "a body of 1000000 bytes was returned as other bytes".to_owned())
}

/// Accepts a connection, sends bytes, and keeps the connection open.
async fn send_and_hold(server: &Server, rule: TransportRule, bytes: &[u8]) -> RuleResult<TcpStream> {
    let send = async {
        let (mut socket, _) = server.receive().await?;
        socket.write_all(bytes).await?;
        Ok::<_, io::Error>(socket)
    };
    send.await.or_rule(rule, "the server of the kit could not answer")
}

pub(super) async fn check_pieces(transport: &dyn Transport) -> RuleResult {
    let server = Server::start().await?;
    let rule = TransportRule::StreamsTheBody;
    let first = [OPEN_HEAD, b"data: 1\n\n"].concat();
    let send = transport.send(TransportRequest::get(server.url("/pieces")));
    in_time(rule, async {
        let (response, socket) = join(send, send_and_hold(&server, rule, &first)).await;
        let (mut response, mut socket) = (response.or_rule(rule, "the request failed")?, socket?);
        let piece = read(&mut response, rule).await?;
        ensure(piece.as_ref() == b"data: 1\n\n", rule, || format!("the first piece is {piece:?}"))?;
        socket.write_all(b"data: 2\n\n").await.or_rule(rule, "the connection was closed")?;
        let piece = read(&mut response, rule).await?;
        ensure(piece.as_ref() == b"data: 2\n\n", rule, || format!("the second piece is {piece:?}"))?;
        drop(socket);
        let end = response.body.next().await;
        ensure(end.is_none(), rule, || format!("the end of the body is {end:?}"))
    })
    .await
}

async fn read(response: &mut TransportResponse, rule: TransportRule) -> RuleResult<Bytes> {
    match response.body.next().await {
        Some(piece) => piece.or_rule(rule, "the body failed"),
        None => Err(RuleViolation::new(rule, "the body ended before its second piece")),
    }
}

pub(super) async fn check_broken_body(transport: &dyn Transport) -> RuleResult {
    let server = Server::start().await?;
    let rule = TransportRule::ReportsBrokenBodies;
    let half = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf of it";
    let send = transport.send(TransportRequest::get(server.url("/broken")));
    in_time(rule, async {
        let (response, socket) = join(send, send_and_hold(&server, rule, half)).await;
        drop(socket?);
        // A transport can notice the end before it returns the response.
        let Ok(mut response) = response else { return Ok(()) };
        while let Some(piece) = response.body.next().await {
            if piece.is_err() {
                return Ok(());
            }
        }
        ensure(false, rule, || "10 of 100 bytes were returned as a complete body".to_owned())
    })
    .await
}

pub(super) async fn check_drops(transport: &dyn Transport) -> RuleResult {
    let rule = TransportRule::ClosesWhenDropped;
    let server = Server::start().await?;
    let first = [OPEN_HEAD, b"data: 1\n\n"].concat();
    let send = transport.send(TransportRequest::get(server.url("/dropped")));
    let mut socket = in_time(rule, async {
        let (response, socket) = join(send, send_and_hold(&server, rule, &first)).await;
        drop(response.or_rule(rule, "the request failed")?);
        socket
    })
    .await?;
    in_time(rule, async { wait_for_end(&mut socket).map(Ok).await }).await?;
    let server = Server::start().await?;
    let send: std::pin::Pin<Box<dyn Future<Output = Result<TransportResponse, TransportError>> + Send + '_>> =
        transport.send(TransportRequest::get(server.url("/dropped")));
    let received = in_time(rule, async {
        match select(send, pin!(server.receive())).await {
            Either::Left((_, _)) => Err(RuleViolation::new(rule, "the request ended without a response")),
            Either::Right((received, send)) => {
                drop(send);
                received.or_rule(rule, "the request could not be read")
            }
        }
    });
    let (mut socket, _) = received.await?;
    in_time(rule, async { wait_for_end(&mut socket).map(Ok).await }).await
}

/// Writes until the other side has closed the connection.
async fn wait_for_end(socket: &mut TcpStream) {
    let mut byte = [0];
    loop {
        if socket.write_all(b": ping\n\n").await.is_err() {
            return;
        }
        let read = tokio::time::timeout(Duration::from_millis(5), socket.read(&mut byte)).await;
        if matches!(read, Ok(Ok(0) | Err(_))) {
            return;
        }
    }
}
