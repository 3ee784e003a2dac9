//! The supervisor task of one server: starts it, reports its status, and lists its tools again after a
//! change.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::{ServerStatus, Shared};
use crate::{McpClient, StartError};

/// Delay between a notification and the new listing, so that many notifications cause one request (fault
/// F67).
const DEBOUNCE: Duration = Duration::from_millis(100);

/// Spawns the supervisor of a server. The receiver gets the outcome of the start.
pub(crate) fn begin(
    shared: &Arc<Shared>,
    client: McpClient,
) -> (JoinHandle<()>, oneshot::Receiver<Result<(), StartError>>) {
    let (tell, started) = oneshot::channel();
    let shared = Arc::downgrade(shared);
    let watch = tokio::spawn(async move {
        note(&shared, client.id(), ServerStatus::Starting);
        let outcome = client.refresh().await;
        note(&shared, client.id(), status(&client, outcome.as_ref().err()));
        // The receiver is dropped unless the server is required.
        let _ = tell.send(outcome);
        loop {
            client.wait_for_change().await;
            tokio::time::sleep(DEBOUNCE).await;
            if !client.is_connected() {
                note(&shared, client.id(), ServerStatus::Closed);
                continue;
            }
            let outcome = client.refresh().await;
            note(&shared, client.id(), status(&client, outcome.as_ref().err()));
        }
    });
    (watch, started)
}

/// Lists the tools of a server again, and offers them.
pub(super) async fn list_again(shared: &Arc<Shared>, client: &McpClient) -> Result<(), StartError> {
    let outcome = client.list_again().await;
    shared.renew(client.id(), status(client, outcome.as_ref().err()));
    outcome
}

fn status(client: &McpClient, error: Option<&StartError>) -> ServerStatus {
    match error {
        None => ServerStatus::Ready { tools: client.tools_with_identities().len() },
        Some(error) => ServerStatus::Failed {
            why: error.to_string(),
            wants_sign_in: matches!(error, StartError::SignIn { .. }),
        },
    }
}

fn note(shared: &Weak<Shared>, server: &str, status: ServerStatus) {
    if let Some(shared) = shared.upgrade() {
        shared.renew(server, status);
    }
}
