//! The HTTP server around a gateway.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use http_body_util::{BodyExt, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderValue, ORIGIN};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::Duration;

use crate::stop::{Phase, Stop};
use crate::{ClientRequest, Front, GatewayResponse};

type Body = http_body_util::combinators::UnsyncBoxBody<Bytes, io::Error>;

/// Time for clients to read the errors that end their responses.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The limits of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..ServeOptions::default()`")]
pub struct ServeOptions {
    /// Maximum bytes of a request body. Default: 32 MiB.
    pub body_bytes: usize,
    /// Maximum concurrent connections, idle ones included; further connections wait in the backlog. Default: 4,096.
    /// [`Front::with_concurrent_requests`] bounds the work.
    pub connections: usize,
    /// Timeout for the head of a request. Default: 30 seconds.
    pub head_timeout: Duration,
    /// Timeout for the body of a request. Default: 60 seconds.
    pub body_timeout: Duration,
    /// Time for open responses to finish after [`serve_until`] is stopped. Default: 10 seconds.
    pub drain: Duration,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            body_bytes: 32 << 20,
            connections: 4096,
            head_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_mins(1),
            drain: Duration::from_secs(10),
        }
    }
}

/// Serves a gateway until the future is dropped, which closes every connection and cancels every response.
///
/// Requests from web pages (requests with an `Origin` header) are refused unless [`Front::with_origin`] permits their
/// origin: a page that the user visits must not use the user's models.
///
/// # Errors
/// The listener cannot accept connections any more.
pub async fn serve(listener: TcpListener, front: impl Into<Front>, options: ServeOptions) -> io::Result<()> {
    serve_until(listener, front, options, std::future::pending()).await
}

/// Like [`serve`], until `stop` completes. Then it closes the port, lets open responses continue for
/// [`ServeOptions::drain`], and ends the remaining ones with an error in their client's format.
///
/// Cancel-safe like `serve`: dropping the future closes everything immediately.
///
/// # Errors
/// The listener cannot accept connections any more.
pub async fn serve_until(
    listener: TcpListener,
    front: impl Into<Front>,
    options: ServeOptions,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let front = front.into();
    let (phase, ending) = Stop::channel();
    // Dropping the set, together with this future, aborts the connections.
    let mut connections = JoinSet::new();
    tokio::select! {
        end = take_connections(listener, front, options, &ending, &mut connections) => end?,
        () = stop => {}
    }
    phase.send_replace(Phase::Draining);
    if tokio::time::timeout(options.drain, all_of(&mut connections)).await.is_err() {
        phase.send_replace(Phase::Ending);
        // Bounds the wait for clients that do not read their error.
        drop(tokio::time::timeout(LAST_WORDS, all_of(&mut connections)).await);
    }
    Ok(())
}

async fn all_of(connections: &mut JoinSet<()>) {
    while connections.join_next().await.is_some() {}
}

async fn take_connections(
    listener: TcpListener,
    front: Front,
    options: ServeOptions,
    ending: &Stop,
    connections: &mut JoinSet<()>,
) -> io::Result<()> {
    let room = Arc::new(Semaphore::new(options.connections.max(1)));
    let front = Arc::new(front);
    loop {
        let Ok(place) = room.clone().acquire_owned().await else { return Ok(()) };
        let (stream, _) = windlass_web_reach::accept(&listener).await?;
        let _ = stream.set_nodelay(true);
        let (front, mut stop) = (front.clone(), ending.clone());
        connections.spawn(async move {
            let answers = stop.clone();
            let service = service_fn(|request| respond(front.clone(), options, answers.clone(), request));
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(options.head_timeout);
            // Ignore connection errors: the client closed the connection.
            let mut connection = std::pin::pin!(http.serve_connection(TokioIo::new(stream), service));
            tokio::select! {
                end = connection.as_mut() => drop(end),
                () = stop.wait_for(Phase::Draining) => {
                    connection.as_mut().graceful_shutdown();
                    drop(connection.await);
                }
            }
            drop(place);
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn respond(
    front: Arc<Front>,
    options: ServeOptions,
    stop: Stop,
    request: Request<Incoming>,
) -> Result<Response<Body>, hyper::http::Error> {
    let Some(origin) = request.headers().get(ORIGIN).cloned() else {
        return answer(&front, options, stop, request).await;
    };
    if !origin.to_str().is_ok_and(|origin| front.permits_origin(origin)) {
        return plain(403, "requests from web pages are refused");
    }
    let response = if request.method() == Method::OPTIONS {
        let preflight = GatewayResponse::whole(204, Vec::new());
        written(preflight)?
    } else {
        answer(&front, options, stop, request).await?
    };
    Ok(permit(response, origin))
}

/// Adds the headers with which a browser shows a response to a page of this origin.
fn permit(mut response: Response<Body>, origin: HeaderValue) -> Response<Body> {
    let headers = response.headers_mut();
    headers.insert("access-control-allow-origin", origin);
    let fixed = [
        ("vary", "origin"),
        ("access-control-allow-methods", "GET, POST"),
        ("access-control-allow-headers", "*, authorization"),
        ("access-control-expose-headers", "*"),
        ("access-control-max-age", "600"),
    ];
    headers.extend(fixed.map(|(name, value)| {
        (hyper::header::HeaderName::from_static(name), HeaderValue::from_static(value))
    }));
    response
}

async fn answer(
    front: &Front,
    options: ServeOptions,
    stop: Stop,
    request: Request<Incoming>,
) -> Result<Response<Body>, hyper::http::Error> {
    let path = request.uri().path_and_query().map_or_else(|| "/".to_owned(), ToString::to_string);
    let mut client = ClientRequest::new(path, Bytes::new());
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    client.headers.extend(request.headers().iter().map(|(name, value)| (name.to_string(), text(value))));
    let method = request.method().clone();
    let body = Limited::new(request.into_body(), options.body_bytes).collect();
    client.body = match tokio::time::timeout(options.body_timeout, body).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(_)) => return plain(413, "the body is incomplete or too large"),
        Err(_) => return closing(plain(408, "the body took too long")),
    };
    written(front.answer(method.as_str(), &client, stop).await)
}

/// Closes the connection after the response, because the rest of an unread body would be parsed as the next
/// request.
fn closing(
    response: Result<Response<Body>, hyper::http::Error>,
) -> Result<Response<Body>, hyper::http::Error> {
    response.map(|mut response| {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        response
    })
}

fn written(answer: GatewayResponse) -> Result<Response<Body>, hyper::http::Error> {
    let mut response = Response::builder().status(answer.status).header(CONTENT_TYPE, answer.content_type);
    for (name, value) in answer.headers {
        response = response.header(name, value);
    }
    let frames = answer.body.map(|bytes| bytes.map(Frame::data));
    response.body(StreamBody::new(frames).boxed_unsync())
}

/// Returns an error response of the server itself.
fn plain(status: u16, message: &str) -> Result<Response<Body>, hyper::http::Error> {
    let error =
        serde_json::json!({"error": {"message": message, "type": "invalid_request_error", "code": null}});
    written(GatewayResponse::whole(status, error.to_string().into_bytes()))
}
