//! The connections of a server: their number, the time for a request's head, and their end.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tower_service::Service as _;

use crate::ServerOptions;

/// Serves a router until `stopping` is true, and then lets open requests finish for the drain time of the options.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    options: &ServerOptions,
    mut stopping: watch::Receiver<bool>,
) -> io::Result<()> {
    let mut connections = JoinSet::new();
    let places = Arc::new(Semaphore::new(options.connections.max(1)));
    loop {
        let place = tokio::select! {
            place = Arc::clone(&places).acquire_owned() => place,
            () = wait_for_stop(&mut stopping) => break,
        };
        let Ok(place) = place else { break };
        let stream = tokio::select! {
            accepted = windlass_web_reach::accept(&listener) => accepted?.0,
            () = wait_for_stop(&mut stopping) => break,
        };
        let (router, stopping, head_timeout) = (router.clone(), stopping.clone(), options.head_timeout);
        connections.spawn(async move {
            serve_connection(stream, router, head_timeout, stopping).await;
            drop(place);
        });
        while connections.try_join_next().is_some() {}
    }
    drop(listener);
    let all = async { while connections.join_next().await.is_some() {} };
    // Dropping the set closes the open connections.
    drop(tokio::time::timeout(options.drain, all).await);
    Ok(())
}

async fn serve_connection(
    stream: TcpStream,
    router: Router,
    head_timeout: std::time::Duration,
    mut stopping: watch::Receiver<bool>,
) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request: Request<Incoming>| {
        let mut router = router.clone();
        async move {
            let response: Result<Response<Body>, Infallible> = router.call(request.map(Body::new)).await;
            response
        }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(head_timeout);
    // Errors of a connection mean that the client closed it.
    let mut connection = std::pin::pin!(http.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        end = connection.as_mut() => drop(end),
        () = wait_for_stop(&mut stopping) => {
            connection.as_mut().graceful_shutdown();
            drop(connection.await);
        }
    }
}

/// Waits until the server stops, or its future is dropped.
pub(crate) async fn wait_for_stop(stopping: &mut watch::Receiver<bool>) {
    drop(stopping.wait_for(|is_stopping| *is_stopping).await);
}
