//! The HTTP server around a gateway.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use http_body_util::{BodyExt, Limited, StreamBody};
use hyper::body::{Body as _, Frame, Incoming};
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderValue, ORIGIN};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::Duration;

use crate::body_room::BodyRoom;
use crate::listener::{Listener, Socket};
use crate::stop::{Phase, Stop};
use crate::{ClientRequest, Front, FrontHandle, GatewayResponse, unpack};

type Body = http_body_util::combinators::UnsyncBoxBody<Bytes, io::Error>;

/// Time for clients to read the errors that end their responses.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The limits of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..ServeOptions::default()`")]
pub struct ServeOptions {
    /// Maximum bytes of a request body, packed and unpacked. Default: 32 MiB.
    pub body_bytes: usize,
    /// Maximum bytes of all request bodies that are held at the same time; further ones wait for
    /// [`body_timeout`](Self::body_timeout). Default: 1 GiB.
    pub all_body_bytes: usize,
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
            all_body_bytes: 1 << 30,
            connections: 4096,
            head_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_mins(1),
            drain: Duration::from_secs(10),
        }
    }
}

/// Serves until the future is dropped, which closes every connection and cancels every response. The socket can have TLS
/// or be in the file system ([`Listener`]), and a [`FrontHandle`] can be replaced meanwhile.
///
/// Requests from web pages (requests with an `Origin` header) are refused unless [`Front::with_origin`] permits their
/// origin: a page that the user visits must not use the user's models.
///
/// # Errors
/// The listener cannot accept connections any more.
pub async fn serve(
    listener: impl Into<Listener>,
    front: impl Into<FrontHandle>,
    options: ServeOptions,
) -> io::Result<()> {
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
    listener: impl Into<Listener>,
    front: impl Into<FrontHandle>,
    options: ServeOptions,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let (listener, front) = (listener.into(), front.into());
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
    listener: Listener,
    front: FrontHandle,
    options: ServeOptions,
    ending: &Stop,
    connections: &mut JoinSet<()>,
) -> io::Result<()> {
    let room = Arc::new(Semaphore::new(options.connections.max(1)));
    let service = Arc::new(Service { front, options, bodies: BodyRoom::new(&options) });
    loop {
        let Ok(place) = room.clone().acquire_owned().await else { return Ok(()) };
        let (socket, tls) = listener.accept().await?;
        let (service, stop) = (service.clone(), ending.clone());
        connections.spawn(async move {
            match (socket, tls) {
                (Socket::Tcp(stream), None) => serve_connection(stream, service, stop).await,
                #[cfg(unix)]
                (Socket::Unix(stream), _) => serve_connection(stream, service, stop).await,
                (Socket::Tcp(stream), Some(tls)) => {
                    // A client that does not finish its handshake has the time of a head.
                    let handshake = tokio::time::timeout(options.head_timeout, tls.accept(stream)).await;
                    if let Ok(Ok(stream)) = handshake {
                        serve_connection(stream, service, stop).await;
                    }
                }
            }
            drop(place);
        });
        while connections.try_join_next().is_some() {}
    }
}

/// Serves the requests of one connection until it ends or the server stops.
async fn serve_connection(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    shared: Arc<Service>,
    mut stop: Stop,
) {
    let answers = stop.clone();
    let service = service_fn(|request| respond(shared.clone(), answers.clone(), request));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(shared.options.head_timeout);
    // Ignore connection errors: the client closed the connection.
    let mut connection = std::pin::pin!(http.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        end = connection.as_mut() => drop(end),
        () = stop.wait_for(Phase::Draining) => {
            connection.as_mut().graceful_shutdown();
            drop(connection.await);
        }
    }
}

/// The parts that all connections share.
struct Service {
    front: FrontHandle,
    options: ServeOptions,
    bodies: BodyRoom,
}

async fn respond(
    service: Arc<Service>,
    stop: Stop,
    request: Request<Incoming>,
) -> Result<Response<Body>, hyper::http::Error> {
    let front = service.front.current();
    let Some(origin) = request.headers().get(ORIGIN).cloned() else {
        return answer(&service, &front, stop, request).await;
    };
    if !origin.to_str().is_ok_and(|origin| front.permits_origin(origin)) {
        return plain(403, "requests from web pages are refused");
    }
    let response = if request.method() == Method::OPTIONS {
        written(GatewayResponse::whole(204, Vec::new()))?
    } else {
        answer(&service, &front, stop, request).await?
    };
    Ok(permit(response, origin))
}

/// Adds the headers with which a browser shows a response to a page of this origin.
fn permit(mut response: Response<Body>, origin: HeaderValue) -> Response<Body> {
    let headers = response.headers_mut();
    headers.insert("access-control-allow-origin", origin);
    let fixed = [
        ("vary", "origin"),
        ("access-control-allow-methods", "GET, POST, DELETE"),
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
    service: &Service,
    front: &Front,
    stop: Stop,
    request: Request<Incoming>,
) -> Result<Response<Body>, hyper::http::Error> {
    let Service { options, bodies, .. } = service;
    let path = request.uri().path_and_query().map_or_else(|| "/".to_owned(), ToString::to_string);
    let mut client = ClientRequest::new(path, Bytes::new());
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    client.headers.extend(request.headers().iter().map(|(name, value)| (name.to_string(), text(value))));
    let method = request.method().clone();
    // A client without a key costs no memory for its body.
    let key = match front.admit(method.as_str(), &client) {
        Ok(key) => key,
        Err(refusal) => return closing(written(*refusal)),
    };
    if let Some(key) = key {
        client.owner.clone_from(&key.hash);
    }
    let encoding = match unpack::find_encoding(&client) {
        Ok(encoding) => encoding,
        Err(name) => return closing(unknown_encoding(&name)),
    };
    let body = async {
        // The size of an unpacked body is not known.
        let size = request.body().size_hint().exact().filter(|_| encoding.is_none());
        let room = bodies.enter(size).await;
        (Limited::new(request.into_body(), options.body_bytes).collect().await, room)
    };
    let _room = match tokio::time::timeout(options.body_timeout, body).await {
        Ok((Ok(body), room)) => {
            client.body = body.to_bytes();
            if let Some(encoding) = encoding
                && let Err(error) = unpack::unpack(&mut client, encoding, options.body_bytes).await
            {
                return plain(error.status(), &error.to_string());
            }
            room
        }
        Ok((Err(_), _)) => return plain(413, "the body is incomplete or too large"),
        Err(_) => return closing(plain(408, "the body took too long")),
    };
    written(front.answer(method.as_str(), key, &client, stop).await)
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

/// Returns the error for a packed body that cannot be unpacked.
fn unknown_encoding(name: &str) -> Result<Response<Body>, hyper::http::Error> {
    let what = format!("bodies with the content-encoding {name:?} are not read");
    plain(415, &what).map(|mut response| {
        response.headers_mut().insert("accept-encoding", HeaderValue::from_static(unpack::ENCODINGS));
        response
    })
}

/// Returns an error response of the server itself.
fn plain(status: u16, message: &str) -> Result<Response<Body>, hyper::http::Error> {
    let error =
        serde_json::json!({"error": {"message": message, "type": "invalid_request_error", "code": null}});
    written(GatewayResponse::whole(status, error.to_string().into_bytes()))
}
