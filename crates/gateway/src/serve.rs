//! The HTTP server around a gateway.

mod body_room;
mod frames;
mod options;
mod origin;
mod refusals;
mod request_body;
mod response;

use std::future::poll_fn;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use hyper::body::{Body as _, Incoming};
use hyper::header::HeaderValue;
use hyper::http::uri::PathAndQuery;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::Duration;
use windlass_wire::decode_text;

use crate::listener::{Listener, Socket};
use crate::stop::{Phase, Stop};
use crate::{ClientRequest, Front, FrontHandle, GatewayResponse, pack, unpack};
use body_room::BodyRoom;
use origin::{check_page, permit};
use refusals::{closing, plain, refuse_unread, unknown_encoding};
use request_body::read_body;
use response::{HttpResult, to_hyper};

pub use options::ServeOptions;

/// Time for clients to read the errors that end their responses.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Serves until the future is dropped, which closes every connection and cancels every response. The socket can have TLS
/// or be in the file system ([`Listener`]), and a [`FrontHandle`] can be replaced meanwhile.
///
/// Requests from web pages are refused unless [`Front::with_origin`] permits their origin: a page that the user visits must
/// not use the user's models. A server without keys of clients has no public names unless [`Front::with_host`] permits them.
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
    stop: Stop,
) {
    let answers = stop.clone();
    let mut draining = stop.into_signal(Phase::Draining);
    // The future of a response has several kilobytes, which a connection would hold while the body is sent.
    let service = service_fn(|request| Box::pin(respond(shared.clone(), answers.clone(), request)));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(shared.options.head_timeout);
    // Ignore connection errors: the client closed the connection.
    let mut connection = std::pin::pin!(http.serve_connection(TokioIo::new(stream), service));
    poll_fn(|context| {
        let end = connection.as_mut().poll(context);
        if end.is_ready() || draining.poll_begin(context).is_pending() {
            return end.map(drop);
        }
        connection.as_mut().graceful_shutdown();
        connection.as_mut().poll(context).map(drop)
    })
    .await;
}

/// The parts that all connections share.
struct Service {
    front: FrontHandle,
    options: ServeOptions,
    bodies: BodyRoom,
}

async fn respond(service: Arc<Service>, stop: Stop, request: Request<Incoming>) -> HttpResult {
    let front = service.front.current();
    let origin = match check_page(&front, request.headers()) {
        Ok(Some(origin)) => origin,
        Ok(None) => return answer(&service, &front, stop, request).await,
        Err(refusal) => {
            let client = ClientRequest::new(request.uri().path(), Bytes::new());
            let response = plain(&client, refusal.status.as_u16(), refusal.words);
            return refuse_unread(request, &service.options, response);
        }
    };
    let response = if request.method() == Method::OPTIONS {
        to_hyper(GatewayResponse::whole(204, Vec::new()))?
    } else {
        answer(&service, &front, stop, request).await?
    };
    Ok(permit(response, origin))
}

async fn answer(service: &Service, front: &Front, stop: Stop, mut request: Request<Incoming>) -> HttpResult {
    let Service { options, bodies, .. } = service;
    let path = request.uri().path_and_query().map_or("/", PathAndQuery::as_str).to_owned();
    let mut client = ClientRequest::new(path, Bytes::new());
    let text = |value: &HeaderValue| decode_text(value.as_bytes()).into_owned();
    let headers = request.headers().iter().map(|(name, value)| (name.as_str().to_owned(), text(value)));
    client.headers.extend(headers);
    let method = request.method().clone();
    // A client without a key costs no memory for its body.
    let key = match front.admit(method.as_str(), &client) {
        Ok(key) => key,
        Err(refusal) => return refuse_unread(request, options, to_hyper(*refusal)),
    };
    if let Some(key) = key {
        client.owner.clone_from(&key.hash);
    }
    let encoding = match unpack::find_encoding(&client) {
        Ok(encoding) => encoding,
        Err(name) => return refuse_unread(request, options, unknown_encoding(&client, &name)),
    };
    let body = async {
        // The size of an unpacked body is not known.
        let size = request.body().size_hint().exact().filter(|_| encoding.is_none());
        let room = bodies.enter(size).await;
        (read_body(request.body_mut(), options.body_bytes).await, room)
    };
    let _room = match tokio::time::timeout(options.body_timeout, body).await {
        Ok((Some(body), room)) => {
            client.body = body;
            if let Some(encoding) = encoding
                && let Err(error) = Box::pin(unpack::unpack(&mut client, encoding, options.body_bytes)).await
            {
                return plain(&client, error.status(), &error.to_string());
            }
            room
        }
        Ok((None, _)) => {
            let response = plain(&client, 413, "the body is incomplete or too large");
            return refuse_unread(request, options, response);
        }
        Err(_) => return closing(plain(&client, 408, "the body took too long")),
    };
    let takes_gzip = pack::takes_gzip(&client);
    let answer = front.answer(method.as_str(), key, client, stop).await;
    to_hyper(if options.compress { Box::pin(pack::pack(takes_gzip, answer)).await } else { answer })
}
