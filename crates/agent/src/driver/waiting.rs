//! The waits of a driver that may have no end.

use tokio::time::Instant;
use windlass_loop::Input;

use crate::MessageReceiver;

/// Returns the next message to the run. Waits forever if the run does not receive messages.
pub(super) async fn next_message(messages: &mut Option<MessageReceiver>) -> Input {
    match messages {
        Some(messages) => messages.next().await,
        None => std::future::pending().await,
    }
}

/// Waits until the deadline, or forever without one.
pub(super) async fn wait_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
