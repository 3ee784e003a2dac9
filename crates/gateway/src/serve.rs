//! The gateway behind a port.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use http_body_util::{BodyExt, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{CONTENT_TYPE, ORIGIN};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::Duration;

use crate::{Answer, Gateway};

type Body = http_body_util::combinators::UnsyncBoxBody<Bytes, io::Error>;

/// How much a server takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..ServeOptions::default()`")]
pub struct ServeOptions {
    /// The longest request body, in bytes.
    pub body_bytes: usize,
    /// How many connections are open at once; more wait.
    pub connections: usize,
    /// How long a client may take for the head of its request.
    pub head_timeout: Duration,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self { body_bytes: 64 << 20, connections: 256, head_timeout: Duration::from_secs(30) }
    }
}

/// Serves a gateway until the future is dropped, which closes every connection and gives up every answer.
///
/// Requests of web pages (those with an `Origin`) are refused: a page that a user happens to visit must not speak with
/// the user's models.
///
/// # Errors
/// If connections can no longer be taken.
pub async fn serve(listener: TcpListener, gateway: Gateway, options: ServeOptions) -> io::Result<()> {
    let room = Arc::new(Semaphore::new(options.connections.max(1)));
    let gateway = Arc::new(gateway);
    // The connections end with this future.
    let mut connections = JoinSet::new();
    loop {
        let Ok(place) = room.clone().acquire_owned().await else { return Ok(()) };
        let (stream, _) = listener.accept().await?;
        let _ = stream.set_nodelay(true);
        let gateway = gateway.clone();
        connections.spawn(async move {
            let service = service_fn(|request| respond(gateway.clone(), options, request));
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(options.head_timeout);
            // A connection that breaks is the client's wish.
            drop(http.serve_connection(TokioIo::new(stream), service).await);
            drop(place);
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn respond(
    gateway: Arc<Gateway>,
    options: ServeOptions,
    request: Request<Incoming>,
) -> Result<Response<Body>, hyper::http::Error> {
    if request.headers().contains_key(ORIGIN) {
        return plain(403, "requests of web pages are not answered");
    }
    if request.method() != Method::POST {
        return plain(405, "this server takes POST only");
    }
    let path = request.uri().path_and_query().map_or_else(|| "/".to_owned(), ToString::to_string);
    let Ok(body) = Limited::new(request.into_body(), options.body_bytes).collect().await else {
        return plain(413, "the body did not come whole, or is too large");
    };
    written(gateway.answer(&path, &body.to_bytes()).await)
}

fn written(answer: Answer) -> Result<Response<Body>, hyper::http::Error> {
    let mut response = Response::builder().status(answer.status).header(CONTENT_TYPE, answer.content_type);
    for (name, value) in answer.headers {
        response = response.header(name, value);
    }
    let frames = answer.body.map(|bytes| bytes.map(Frame::data).map_err(io::Error::other));
    response.body(StreamBody::new(frames).boxed_unsync())
}

/// A refusal of the server itself.
fn plain(status: u16, message: &str) -> Result<Response<Body>, hyper::http::Error> {
    let error =
        serde_json::json!({"error": {"message": message, "type": "invalid_request_error", "code": null}});
    written(Answer::whole(status, error.to_string().into_bytes()))
}
