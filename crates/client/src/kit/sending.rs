//! The rules of requests.

use futures_util::future::{Either, select};
use std::pin::pin;
use tokio::net::TcpListener;
use windlass_vendors::Header;

use super::check::{OrRule as _, RuleResult, SECRET, ensure, in_time};
use super::rule::TransportRule;
use super::server::{ReceivedRequest, Server, respond};
use crate::transport::{Method, Transport, TransportErrorKind, TransportRequest};

/// A path with an escape and a query with a repeated name.
const TARGET: &str = "/v1/a%20b/c?alt=sse&q=1&q=2";

pub(super) async fn check_requests(transport: &dyn Transport) -> RuleResult {
    let body: Vec<u8> = (0..=255_u8).cycle().take(300_000).collect();
    let methods = [Method::Post, Method::Get, Method::Delete, Method::Patch];
    for (method, name) in methods.into_iter().zip(["POST", "GET", "DELETE", "PATCH"]) {
        let server = Server::start().await?;
        let url = server.url(TARGET);
        let request = match method {
            Method::Post => TransportRequest::post(url, body.clone()),
            Method::Get => TransportRequest::get(url),
            Method::Delete => TransportRequest::delete(url),
            Method::Patch => TransportRequest::patch(url, body.clone()),
        };
        let request = request
            .with_header(Header::new("content-type", "application/x-kit"))
            .with_header(Header::new("x-kit", "one, two"))
            .with_header(Header::secret("authorization", SECRET));
        let rule = TransportRule::SendsTheMethod;
        let received = in_time(rule, exchange(transport, request, &server)).await?;
        ensure(received.method == name, rule, || format!("{name} was received as {}", received.method))?;
        ensure(received.target == TARGET, TransportRule::SendsTheTarget, || {
            format!("{TARGET} was received as {}", received.target)
        })?;
        check_headers(&received)?;
        let expected: &[u8] = if matches!(method, Method::Post | Method::Patch) { &body } else { &[] };
        ensure(received.body == expected, TransportRule::SendsTheBody, || {
            format!("{} bytes were received as {} or as other bytes", expected.len(), received.body.len())
        })?;
    }
    Ok(())
}

async fn exchange(
    transport: &dyn Transport,
    request: TransportRequest,
    server: &Server,
) -> RuleResult<ReceivedRequest> {
    let mut seen = None;
    let serve = server.serve(|received| {
        seen.get_or_insert(received);
        respond("200 OK", "", b"done")
    });
    let rule = TransportRule::SendsTheMethod;
    match select(transport.send(request), pin!(serve)).await {
        Either::Left((sent, _)) => drop(sent.or_rule(rule, "the request failed")?),
        Either::Right((ended, _)) => ended.or_rule(rule, "the request could not be read")?,
    }
    Ok(seen.unwrap_or_default())
}

fn check_headers(received: &ReceivedRequest) -> RuleResult {
    for (name, value) in
        [("content-type", "application/x-kit"), ("x-kit", "one, two"), ("authorization", SECRET)]
    {
        let found = received.headers.iter().any(|(held, has)| held == name && has == value);
        ensure(found, TransportRule::SendsHeaders, || format!("the header {name} was not received"))?;
    }
    Ok(())
}

/// Sends a request to a port at which no server listens.
pub(super) async fn check_unreachable(transport: &dyn Transport) -> RuleResult {
    let rule = TransportRule::ReportsUnreachable;
    let listener = TcpListener::bind("127.0.0.1:0").await.or_rule(rule, "no port is free")?;
    let address = listener.local_addr().or_rule(rule, "the port has no address")?;
    drop(listener);
    let request = TransportRequest::post(format!("http://{address}/v1"), "{}")
        .with_header(Header::secret("authorization", SECRET));
    let sent = in_time(rule, async { Ok(transport.send(request).await) }).await?;
    let Err(error) = sent else {
        return ensure(false, rule, || "the request succeeded".to_owned());
    };
    ensure(error.kind == TransportErrorKind::Unreachable, rule, || format!("the kind is {:?}", error.kind))?;
    let text = format!("{error} {error:?}");
    ensure(!text.contains(SECRET), TransportRule::HidesSecrets, || {
        "the error contains the value of a secret header".to_owned()
    })
}
