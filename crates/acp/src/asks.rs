//! The tasks that ask the client about the open questions of a run.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use tokio::sync::oneshot;
use tokio::task::{AbortHandle, JoinSet};

/// The tasks that ask about questions. Dropping it withdraws all of them.
#[derive(Debug, Default)]
pub(crate) struct Asks {
    /// Each task returns the text of a question in words that stays open, so that the next prompt answers it.
    tasks: JoinSet<Option<String>>,
    open: BTreeMap<String, Asking>,
}

#[derive(Debug)]
struct Asking {
    task: AbortHandle,
    /// Resolves when the task has been dropped, together with its request to the client.
    dropped: oneshot::Receiver<()>,
}

impl Asks {
    /// Returns true if a task was started for a question and was not withdrawn.
    pub(crate) fn contains(&self, question: &str) -> bool {
        self.open.contains_key(question)
    }

    /// Asks about a question in a task of its own, so that events and other questions arrive meanwhile.
    pub(crate) fn ask(
        &mut self,
        question: String,
        asking: impl Future<Output = Option<String>> + Send + 'static,
    ) {
        let (alive, dropped) = oneshot::channel::<()>();
        let task = self.tasks.spawn(async move {
            // Declared before the request, and so dropped after it.
            let _alive = alive;
            asking.await
        });
        self.open.insert(question, Asking { task, dropped });
    }

    /// Withdraws the request about a question, and waits until its cancellation is queued: the request about the next
    /// question must not overtake it.
    pub(crate) async fn withdraw(&mut self, question: &str) {
        if let Some(asking) = self.open.remove(question) {
            asking.task.abort();
            drop(asking.dropped.await);
        }
    }

    /// Waits for the end of a task. Returns the text of a question in words that stays open. Cancel-safe.
    pub(crate) async fn join_next(&mut self) -> Option<Option<String>> {
        self.tasks.join_next().await.map(|ended| ended.ok().flatten())
    }
}
