//! Changes of resources, and the clients that subscribed to them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::SubscriptionContext;
use rmcp::{Peer, RoleServer};
use tokio::sync::broadcast::{self, Receiver, Sender, error::RecvError};
use tokio::task::AbortHandle;

/// Number of changes that a slow client can be behind. After more, all its resources count as changed.
const BEHIND: usize = 256;

/// Maximum number of resources to which one connection subscribes.
const PLACES: usize = 64;

/// A handle with which a program announces that a resource changed. Clones announce to the same clients.
///
/// Give it to the server by [`ResourceHost::changes`](crate::ResourceHost::changes).
///
/// ```
/// use windlass_mcp_server::ResourceChanges;
/// let changes = ResourceChanges::default();
/// assert_eq!(changes.announce("note://today"), 0, "no client has subscribed");
/// ```
#[derive(Clone, Debug)]
pub struct ResourceChanges(Sender<String>);

impl ResourceChanges {
    /// Creates a handle without clients.
    pub fn new() -> Self {
        Self(broadcast::channel(BEHIND).0)
    }

    /// Announces a change to the clients that subscribed to the resource. Returns at once, with the number of
    /// subscriptions to any resource.
    pub fn announce(&self, uri: impl Into<String>) -> usize {
        self.0.send(uri.into()).unwrap_or(0)
    }
}

impl Default for ResourceChanges {
    fn default() -> Self {
        Self::new()
    }
}

/// A change as a client sees it.
enum Change {
    /// This resource changed.
    One(String),
    /// The client was too slow, so each resource may have changed.
    Any,
}

/// Waits for the next change. Returns `None` if no program can announce more.
async fn next(changes: &mut Receiver<String>) -> Option<Change> {
    match changes.recv().await {
        Ok(uri) => Some(Change::One(uri)),
        Err(RecvError::Lagged(_)) => Some(Change::Any),
        Err(RecvError::Closed) => None,
    }
}

/// The subscriptions of one connection by `resources/subscribe`, which 2026-07-28 does not have. Dropping the last
/// clone ends them.
#[derive(Clone, Default)]
pub(crate) struct Subscriptions(Arc<Mutex<HashMap<String, Forwarding>>>);

/// The task that forwards the changes of one resource. Dropping it ends the task.
struct Forwarding(AbortHandle);

impl Drop for Forwarding {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Subscriptions {
    /// Forwards the changes of a resource to a client until [`remove`](Self::remove).
    pub(crate) fn add(
        &self,
        uri: &str,
        changes: &ResourceChanges,
        peer: Peer<RoleServer>,
    ) -> Result<(), ErrorData> {
        let mut all = self.lock();
        if all.len() >= PLACES && !all.contains_key(uri) {
            let words = format!("a client subscribes to at most {PLACES} resources");
            return Err(ErrorData::invalid_params(words, None));
        }
        let (mut changes, name) = (changes.0.subscribe(), uri.to_owned());
        let task = tokio::spawn(async move {
            while let Some(change) = next(&mut changes).await {
                if matches!(&change, Change::One(uri) if *uri != name) {
                    continue;
                }
                let params = ResourceUpdatedNotificationParam::new(name.clone());
                if peer.notify_resource_updated(params).await.is_err() {
                    return;
                }
            }
        });
        all.insert(uri.to_owned(), Forwarding(task.abort_handle()));
        Ok(())
    }

    /// Ends a subscription. An unknown one is not an error.
    pub(crate) fn remove(&self, uri: &str) {
        drop(self.lock().remove(uri));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Forwarding>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the part of a `subscriptions/listen` request that the server serves: the first resources.
pub(crate) fn accept(requested: &SubscriptionFilter) -> SubscriptionFilter {
    let mut accepted = SubscriptionFilter::new();
    accepted.resource_subscriptions =
        requested.resource_subscriptions.as_ref().map(|uris| uris.iter().take(PLACES).cloned().collect());
    accepted
}

/// Forwards changes to one `subscriptions/listen` request until the client cancels it.
pub(crate) async fn forward(changes: &ResourceChanges, context: &SubscriptionContext) {
    let mut changes = changes.0.subscribe();
    let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
    loop {
        let change = tokio::select! {
            change = next(&mut changes) => change,
            () = context.cancelled() => return,
        };
        let updated: Vec<String> = match change {
            Some(Change::One(uri)) => uris.iter().filter(|known| **known == uri).cloned().collect(),
            Some(Change::Any) => uris.clone(),
            None => return context.cancelled().await,
        };
        for uri in updated {
            if context.sink().notify_resource_updated(uri).await.is_err() {
                return;
            }
        }
    }
}
