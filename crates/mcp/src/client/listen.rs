//! The subscription to changes of a server's list of tools (2026-07-28).

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ErrorCode, SubscriptionFilter};
use rmcp::service::{Peer, ServiceError};
use tokio::time::{Instant, sleep};

use crate::transport::ledger::Ledger;

/// Delays before an ended subscription is opened again. They double while subscriptions end soon, so a server
/// that ends each one cannot make this client list its tools in a loop.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_mins(5);
/// Duration after which a subscription counts as steady.
const STEADY: Duration = Duration::from_mins(1);

/// Subscribes in the background, until the connection ends or the server does not know subscriptions. Without
/// one, changes are found by notifications that the server sends anyway, and by the age of the list.
pub(crate) fn subscribe(peer: Peer<RoleClient>, ledger: Arc<Ledger>) {
    tokio::spawn(async move {
        let end = ledger.end_token().clone();
        tokio::select! {
            () = listen(&peer, &ledger) => {}
            () = end.cancelled() => {}
        }
    });
}

async fn listen(peer: &Peer<RoleClient>, ledger: &Ledger) {
    let mut wait = FIRST_WAIT;
    let mut is_first = true;
    loop {
        let begin = Instant::now();
        match peer.listen(SubscriptionFilter::builder().tools_list_changed().build()).await {
            Ok(mut subscription) => {
                if !is_first {
                    // A change between two subscriptions was not announced.
                    ledger.lists_changed();
                }
                // The intake records each announcement before the engine delivers it.
                while let Ok(Some(_)) = subscription.next().await {}
            }
            Err(ServiceError::McpError(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => return,
            Err(_) => {}
        }
        is_first = false;
        if begin.elapsed() > STEADY {
            wait = FIRST_WAIT;
        }
        sleep(wait).await;
        wait = wait.saturating_mul(2).min(LONGEST_WAIT);
    }
}
