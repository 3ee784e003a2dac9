//! Idle connections to plain HTTP/1.1 servers.

use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use http::uri::Authority;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use super::http1::Http1Connection;
use crate::retry::add_wait;

/// Time after which an idle connection is closed.
pub(super) const IDLE: Duration = Duration::from_secs(90);

/// Connections that wait for a request, by their server. One task closes those that the server closed or that waited too
/// long: it is woken by the sockets of all of them.
#[derive(Default)]
pub(super) struct IdleConnections(Mutex<State>);

#[derive(Default)]
struct State {
    servers: HashMap<Authority, Vec<IdleConnection>>,
    /// The task that watches the connections, and its waker after its first poll.
    watcher: Option<JoinHandle<()>>,
    waker: Option<Waker>,
}

struct IdleConnection {
    connection: Http1Connection,
    until: Instant,
}

impl IdleConnections {
    /// Takes the connection to a server that was used last, and that is still open.
    pub(super) async fn take(&self, server: &Authority) -> Option<Http1Connection> {
        loop {
            let mut idle = self.lock().servers.get_mut(server)?.pop()?;
            if idle.until <= Instant::now() {
                continue;
            }
            let is_open = poll_fn(|context| Poll::Ready(idle.connection.poll_idle(context))).await;
            if is_open {
                return Some(idle.connection);
            }
        }
    }

    /// Keeps a connection if it can send another request, and closes it otherwise.
    pub(super) fn insert(self: &Arc<Self>, server: &Authority, mut connection: Http1Connection) {
        // Outside of a runtime no task can watch the connection.
        let Ok(runtime) = Handle::try_current() else { return };
        let waker = self.lock().waker.clone();
        let mut context = Context::from_waker(waker.as_ref().unwrap_or(Waker::noop()));
        if !connection.poll_idle(&mut context) {
            return;
        }
        let mut state = self.lock();
        let idle = IdleConnection { connection, until: add_wait(Instant::now(), IDLE) };
        match state.servers.get_mut(server) {
            Some(connections) => connections.push(idle),
            None => drop(state.servers.insert(server.clone(), vec![idle])),
        }
        if state.watcher.as_ref().is_none_or(JoinHandle::is_finished) {
            state.waker = None;
            // The first poll of the watcher registers it at all connections.
            state.watcher = Some(runtime.spawn(watch(Arc::downgrade(self))));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Drops the connections that have ended. Returns the time at which the next one is too old.
    fn sweep(&mut self, context: &mut Context<'_>) -> Option<Instant> {
        let now = Instant::now();
        for connections in self.servers.values_mut() {
            connections.retain_mut(|idle| idle.until > now && idle.connection.poll_idle(context));
        }
        self.servers.retain(|_, connections| !connections.is_empty());
        self.servers.values().flatten().map(|idle| idle.until).min()
    }
}

impl Drop for State {
    fn drop(&mut self) {
        if let Some(watcher) = &self.watcher {
            watcher.abort();
        }
    }
}

/// Drops idle connections that have ended, until the connections are dropped.
async fn watch(connections: Weak<IdleConnections>) {
    let mut timer = pin!(sleep_until(add_wait(Instant::now(), IDLE)));
    poll_fn(|context| {
        loop {
            let Some(connections) = connections.upgrade() else { return Poll::Ready(()) };
            let mut state = connections.lock();
            state.waker = Some(context.waker().clone());
            let next = state.sweep(context).unwrap_or_else(|| add_wait(Instant::now(), IDLE));
            drop(state);
            timer.as_mut().reset(next);
            if timer.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
        }
    })
    .await;
}
