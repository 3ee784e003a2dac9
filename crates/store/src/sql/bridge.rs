//! The thread on which a database driver runs, for callers that block.

use std::future::Future;
use std::pin::Pin;
use std::{io, thread};

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

type Job = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A thread with an async runtime of its own. It ends when the bridge is dropped.
///
/// The contract of a journal blocks, because a record must be stored before its action happens, and the
/// caller can be inside another runtime, which does not permit a nested one.
#[derive(Debug)]
pub(super) struct Bridge {
    jobs: UnboundedSender<Job>,
}

impl Bridge {
    pub(super) fn start() -> io::Result<Self> {
        let (jobs, mut queue) = unbounded_channel::<Job>();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let work = move || {
            runtime.block_on(async {
                while let Some(job) = queue.recv().await {
                    drop(tokio::spawn(job));
                }
            });
        };
        thread::Builder::new().name("windlass-store".to_owned()).spawn(work)?;
        Ok(Self { jobs })
    }

    /// Runs a future on the thread and blocks until it is done. Returns `None` if the thread has ended, which
    /// only a panic in the driver can cause.
    pub(super) fn block_on<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Option<T> {
        let (sender, result) = std::sync::mpsc::sync_channel(1);
        let job = async move { drop(sender.send(work.await)) };
        self.jobs.send(Box::pin(job)).ok()?;
        result.recv().ok()
    }
}
