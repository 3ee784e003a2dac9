//! The status of each server, and events about its changes.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use tokio::sync::watch;

use super::Listener;

/// The status of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerStatus {
    /// The server is starting.
    Starting,
    /// The server is connected and its tools are listed.
    Ready {
        /// The number of enabled tools.
        tools: usize,
    },
    /// The server could not be started or reached. Its next use tries again.
    Failed {
        /// The reason, safe to display.
        why: String,
        /// True if the server requires a sign-in.
        wants_sign_in: bool,
    },
    /// The connection ended or was closed.
    Closed,
}

/// A change of a server's status.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerEvent {
    /// The server's id.
    pub server: String,
    /// The new status.
    pub status: ServerStatus,
}

/// The status of all servers, with the listener of changes.
pub(crate) struct Board {
    all: Mutex<BTreeMap<String, ServerStatus>>,
    starting: watch::Sender<usize>,
    listener: Option<Listener>,
}

impl Board {
    pub(crate) fn new(servers: impl Iterator<Item = String>, listener: Option<Listener>) -> Self {
        let all: BTreeMap<_, _> = servers.map(|server| (server, ServerStatus::Starting)).collect();
        let starting = watch::Sender::new(all.len());
        Self { all: Mutex::new(all), starting, listener }
    }

    /// Stores a server's status. The listener is called only if the status changed, or if it is `Starting`.
    pub(crate) fn set(&self, server: &str, status: ServerStatus) {
        let count = {
            let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
            if all.get(server) == Some(&status) && status != ServerStatus::Starting {
                return;
            }
            all.insert(server.to_owned(), status.clone());
            all.values().filter(|status| **status == ServerStatus::Starting).count()
        };
        if let Some(listener) = &self.listener {
            listener(ServerEvent { server: server.to_owned(), status });
        }
        self.starting.send_replace(count);
    }

    pub(crate) fn all(&self) -> Vec<(String, ServerStatus)> {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().map(|(server, status)| (server.clone(), status.clone())).collect()
    }

    pub(crate) async fn wait_until_settled(&self) {
        // The sender is a field of `self`, so the wait cannot fail.
        let _ = self.starting.subscribe().wait_for(|count| *count == 0).await;
    }
}
