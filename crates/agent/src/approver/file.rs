//! An approver whose questions lie in a folder, where another process answers them.

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

/// How often the folder is looked at.
const INTERVAL: Duration = Duration::from_millis(100);

/// The shortest and the longest time between two looks.
const BOUNDS: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(5));

/// How many looks an answer may take that is being written. Then it is refused.
const INCOMPLETE_LOOKS: u32 = 20;

/// Writes each question into a folder as `ID.request.json` and takes the answer from `ID.decision.json`, which another
/// process of the same user puts there. The README says what is in these files.
///
/// A question that ends, however it ends, is taken out of the folder. A file that is no answer to an open question is
/// told to [`FileApprover::on_refusal`] and moved to the folder `refused`; the question stays open. Whoever can write
/// to the folder can say yes, so it has to lie where no tool of the agent can write.
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
    /// Asks in this folder. It is made if it is not there, for the user alone.
    ///
    /// # Errors
    /// If it cannot be made, or others than the user can write to it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ApprovalFolderError> {
        Ok(Self { folder: Arc::new(Folder::open(path.as_ref())?), interval: INTERVAL })
    }

    /// Looks so often, at least every five seconds and at most every ten milliseconds. Without it: every 100.
    pub fn with_interval(mut self, interval: Duration) -> Self {
        self.interval = interval.clamp(BOUNDS.0, BOUNDS.1);
        self
    }

    /// Who is told of files that are refused. It is called between other work and must not wait.
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

    /// The file system can be slow, so it is met on another thread. A question that is given up meanwhile is dropped
    /// there, which takes its file away.
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
    /// Cancel-safe: a question that is given up is taken out of the folder.
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(self.ask(request.clone()))
    }
}
