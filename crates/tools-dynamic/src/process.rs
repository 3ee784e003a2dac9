//! Processes that serve several tools over JSON Lines.

mod answer;
mod child;
mod connection;
mod keeper;
mod life;
mod lines;
mod listed;
mod message;
mod noise;
mod tool;
mod watch;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use windlass_protocol::{Risk, ToolName};
use windlass_sandbox::Level;
use windlass_tool::{CancellationToken, Tool};
use windlass_toolbox::DynamicTools;
use windlass_tools_shell::Shell;

use crate::FolderOwner;
use keeper::Keeper;
use life::Life;
pub use listed::OmittedTool;
pub use noise::Noise;

/// Delay after a process has reported a changed list, to combine several reports.
const SETTLE: Duration = Duration::from_millis(100);

type Wrap = Arc<dyn Fn(Arc<dyn Tool>) -> Arc<dyn Tool> + Send + Sync>;
type Listener = Arc<dyn Fn(Result<&OfferChange, &ProcessError>) + Send + Sync>;

/// Content of a process file.
#[derive(Clone, Debug)]
pub(crate) struct ProcessFile {
    pub(crate) name: String,
    pub(crate) argv: Vec<String>,
    pub(crate) folder: PathBuf,
    pub(crate) workspace: PathBuf,
    pub(crate) shell: Shell,
    pub(crate) owner: FolderOwner,
    pub(crate) risk: Option<Risk>,
    pub(crate) read_only: bool,
    pub(crate) list_timeout: Duration,
    pub(crate) call_timeout: Duration,
}

/// A process that can serve tools, as configured in a file. [`serve`](Self::serve) starts it.
///
/// ```
/// use std::sync::Arc;
/// use windlass_sandbox::Workspace;
/// use windlass_tools_dynamic::{FolderOwner, load};
/// use windlass_tools_shell::Shell;
///
/// let (project, tools) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// std::fs::write(tools.path().join("notes.toml"), "[process]\nargv = [\"python3\", \"notes.py\"]\n")?;
/// let workspace = Arc::new(Workspace::open(project.path())?);
/// let loaded = load(tools.path(), FolderOwner::User, &workspace, &Shell::new_unconfined())?;
/// assert_eq!(loaded.processes[0].name(), "notes");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ToolProcess {
    file: ProcessFile,
    wrap: Option<Wrap>,
    listener: Option<Listener>,
}

/// A running process whose tools are offered. Dropping it withdraws the tools and ends the process with all
/// of its descendants: TERM, then KILL after two seconds, or KILL at once if the runtime ends first.
pub struct ServedProcess {
    keeper: Arc<Keeper>,
    first: OfferChange,
}

/// Effect of a new list on the offered tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OfferChange {
    /// Tools that were added.
    pub added: Vec<ToolName>,
    /// Tools that were removed; a changed tool is in both lists.
    pub removed: Vec<ToolName>,
    /// Tools in the list that are not offered.
    pub left_out: Vec<OmittedTool>,
}

/// Reason why a process serves no tools.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// The program cannot be started.
    #[error("its process cannot be started")]
    Start(#[source] std::io::Error),
    /// The process ended before it listed its tools.
    #[error("its process ended: {0}")]
    Ended(String),
    /// The process did not list its tools in time.
    #[error("its process did not list its tools within {} ms", limit.as_millis())]
    ListTimedOut {
        /// Timeout of the list.
        limit: Duration,
    },
    /// The answer of the process is not a list of tools.
    #[error("its process did not return a list of tools: {0}")]
    NoList(String),
    /// The process ended too often.
    #[error(
        "its process ended too often within a minute, and is not started again for {} s; the last time: {last}",
        wait.as_secs().saturating_add(1)
    )]
    TooOften {
        /// Time until it may be started again.
        wait: Duration,
        /// Reason of its last end.
        last: String,
    },
    /// This program has ended the process permanently.
    #[error("its process is ended for good")]
    Over,
}

impl ToolProcess {
    pub(crate) fn new(file: ProcessFile) -> Self {
        Self { file, wrap: None, listener: None }
    }

    /// Returns the name of the file without its extension.
    pub fn name(&self) -> &str {
        &self.file.name
    }

    /// Returns the owner of the file. A project's process is a program of the project, and serving it runs
    /// that program.
    pub fn owner(&self) -> FolderOwner {
        self.file.owner
    }

    /// Returns the confinement level of the process.
    pub fn level(&self) -> Level {
        self.file.shell.level()
    }

    /// Returns the program and its arguments.
    pub fn argv(&self) -> &[String] {
        &self.file.argv
    }

    /// Sets a function that wraps each tool before it is offered, for example to record its calls.
    pub fn with_each(
        mut self,
        wrap: impl Fn(Arc<dyn Tool>) -> Arc<dyn Tool> + Send + Sync + 'static,
    ) -> Self {
        self.wrap = Some(Arc::new(wrap));
        self
    }

    /// Sets a callback for each list after the first, which the process sends after it changed its tools or
    /// was restarted.
    pub fn with_listener(
        mut self,
        listener: impl Fn(Result<&OfferChange, &ProcessError>) + Send + Sync + 'static,
    ) -> Self {
        self.listener = Some(Arc::new(listener));
        self
    }

    /// Starts the process, requests its tools and offers them. Requests them again whenever the process
    /// reports a change. Changes take effect in the next turn.
    ///
    /// Cancel-safe: dropping the future ends a process that was started.
    ///
    /// # Errors
    /// If the process cannot be started or returns no valid list.
    pub async fn serve(self, dynamic: &DynamicTools) -> Result<ServedProcess, ProcessError> {
        let Self { file, wrap, listener } = self;
        let keeper = Arc::new(Keeper {
            file,
            dynamic: dynamic.clone(),
            wrap,
            listener,
            over: CancellationToken::new(),
            changed: Arc::new(Notify::new()),
            noise: Arc::default(),
            life: tokio::sync::Mutex::new(Life::default()),
            granted: Mutex::default(),
            offered: Mutex::default(),
        });
        let mut served = ServedProcess { keeper, first: OfferChange::default() };
        (_, served.first) = served.keeper.ready().await?;
        served.watch();
        Ok(served)
    }
}

impl ServedProcess {
    /// Returns the effect of the first list.
    pub fn first(&self) -> &OfferChange {
        &self.first
    }

    /// Returns the names of the tools that are offered now.
    pub fn tools(&self) -> Vec<ToolName> {
        self.keeper.lock_offer().iter().map(|listed| listed.spec.name().clone()).collect()
    }

    /// Returns the counts of unexpected output, over all restarts.
    pub fn noise(&self) -> Noise {
        *self.keeper.noise.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Withdraws the tools, ends the process, and waits until it and its descendants have ended.
    pub async fn end(self) {
        let keeper = Arc::clone(&self.keeper);
        drop(self);
        let gone = keeper.life.lock().await.connection.as_ref().map(|connection| connection.end_token());
        if let Some(gone) = gone {
            gone.cancelled().await;
        }
    }

    /// Serves until the runtime ends, for a program that cannot hold the value. The process is then killed
    /// without a grace period.
    pub fn keep(self) {
        tokio::spawn(async move {
            let _served = self;
            std::future::pending::<()>().await;
        });
    }

    fn watch(&self) {
        let keeper = Arc::downgrade(&self.keeper);
        let (over, changed) = (self.keeper.over.clone(), Arc::clone(&self.keeper.changed));
        let work = async move {
            loop {
                changed.notified().await;
                tokio::time::sleep(SETTLE).await;
                let Some(keeper) = keeper.upgrade() else { return };
                keeper.look_again().await;
            }
        };
        tokio::spawn(async move {
            tokio::select! {
                () = over.cancelled() => {}
                () = work => {}
            }
        });
    }
}

impl Drop for ServedProcess {
    fn drop(&mut self) {
        self.keeper.over.cancel();
        for listed in self.keeper.lock_offer().drain(..) {
            self.keeper.dynamic.remove(listed.spec.name().as_str());
        }
    }
}

impl fmt::Debug for ToolProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolProcess").field("file", &self.file).finish_non_exhaustive()
    }
}

impl fmt::Debug for ServedProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServedProcess")
            .field("file", &self.keeper.file)
            .field("tools", &self.tools())
            .finish_non_exhaustive()
    }
}
