//! What became of each server, and who is told.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use tokio::sync::watch;

use super::Listener;

/// What became of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerStatus {
    /// It is being started.
    Starting,
    /// It is there.
    Ready {
        /// How many tools it has that may be used.
        tools: usize,
    },
    /// It could not be had; it is tried again when it is used.
    Failed {
        /// Why, safe to show.
        why: String,
        /// Whether somebody has to sign in.
        wants_sign_in: bool,
    },
    /// It ended, or was ended.
    Closed,
}

/// A server became something else.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerEvent {
    /// The server.
    pub server: String,
    /// What it is now.
    pub status: ServerStatus,
}

/// What is known of all servers.
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

    /// Notes what a server is now; only what is new is told.
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

    pub(crate) async fn settled(&self) {
        // The sender lives as long as this does.
        let _ = self.starting.subscribe().wait_for(|count| *count == 0).await;
    }
}
