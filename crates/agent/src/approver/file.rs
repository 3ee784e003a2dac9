//! An approver that writes its requests into a folder, where another process answers them.

mod ended;
mod folder;
mod posted;
mod refusal;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;
use windlass_hitl::{ApprovalDecision, ApprovalRequest};

use crate::{Approver, ApproverFuture};

pub use folder::ApprovalFolderError;
use folder::Folder;
use posted::{Look, Posted};
pub use refusal::{RefusedFile, RefusedFileReason};

/// The default interval between two checks of the folder.
const INTERVAL: Duration = Duration::from_millis(100);

/// The shortest and the longest interval between two checks.
const BOUNDS: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(5));

/// The number of consecutive checks after which an incomplete answer file is refused.
const INCOMPLETE_LOOKS: u32 = 20;

/// An approver that writes each request into a folder as `ID.request.json` and reads the answer from
/// `ID.decision.json`, which another process of the same user writes. The README of the crate describes both
/// files.
///
/// A request file is removed when its request ends for any reason. A file that does not answer an open
/// request is passed to the callback of [`FileApprover::on_refusal`] and moved to the folder `refused`; the
/// request stays open. Every program that can write to the folder can approve calls, so the folder must not
/// be writable by any tool of the agent.
///
/// ```
/// use windlass_agent::FileApprover;
/// let state = tempfile::tempdir()?;
/// let approver = FileApprover::open(state.path().join("approvals"))?
///     .on_refusal(|refused| eprintln!("{refused}"));
/// # drop(approver);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FileApprover {
    folder: Arc<Folder>,
    interval: Duration,
}

impl FileApprover {
    /// Opens the folder, and creates it with access for its user only if it does not exist.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created or opened, belongs to another user, or is writable
    /// for others.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ApprovalFolderError> {
        Ok(Self { folder: Arc::new(Folder::open(path.as_ref())?), interval: INTERVAL })
    }

    /// Sets the interval between two checks of the folder, at least 10 ms and at most 5 s. The default is 100
    /// ms.
    pub fn with_interval(mut self, interval: Duration) -> Self {
        self.interval = interval.clamp(BOUNDS.0, BOUNDS.1);
        self
    }

    /// Sets the callback for refused files. It must not block.
    pub fn on_refusal(self, tell: impl Fn(&RefusedFile) + Send + Sync + 'static) -> Self {
        self.folder.tell_to(Box::new(tell));
        self
    }

    async fn ask(&self, request: ApprovalRequest) -> Option<ApprovalDecision> {
        let mut posted = self.post(request).await?;
        let mut incomplete = 0;
        loop {
            let look;
            (posted, look) = self.look(posted, incomplete < INCOMPLETE_LOOKS).await?;
            match look {
                Look::Answer(decision) => return Some(decision),
                Look::Nothing => incomplete = 0,
                Look::Incomplete => incomplete = incomplete.saturating_add(1),
            }
            tokio::time::sleep(self.interval).await;
        }
    }

    /// Writes the request on a blocking thread. If the future is dropped meanwhile, the thread drops the
    /// `Posted` value and removes the file.
    async fn post(&self, request: ApprovalRequest) -> Option<Posted> {
        let folder = self.folder.clone();
        spawn_blocking(move || folder.post(request)).await.ok()?
    }

    async fn look(&self, posted: Posted, is_patient: bool) -> Option<(Posted, Look)> {
        let looking = move || {
            let look = posted.look(is_patient);
            (posted, look)
        };
        spawn_blocking(looking).await.ok()
    }
}

impl Approver for FileApprover {
    /// Cancel-safe: dropping the future removes the request from the folder.
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(self.ask(request.clone()))
    }
}
