//! A process that serves several tools over JSON Lines.

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
use tokio_util::sync::CancellationToken;
use windlass_protocol::{Risk, ToolName};
use windlass_sandbox::Level;
use windlass_tool::Tool;
use windlass_toolbox::DynamicTools;
use windlass_tools_shell::Shell;

use crate::FolderOwner;
use keeper::Keeper;
use life::Life;
pub use listed::LeftOut;
pub use noise::Noise;

/// So long is waited for more when a process says that its list changed.
const SETTLE: Duration = Duration::from_millis(100);

type Wrap = Arc<dyn Fn(Arc<dyn Tool>) -> Arc<dyn Tool> + Send + Sync>;
type Listener = Arc<dyn Fn(Result<&Offered, &ProcessError>) + Send + Sync>;

/// A process as its file has it.
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

/// A process that would serve tools, as a file has it. It is not started before [`serve`](Self::serve).
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
/// let loaded = load(tools.path(), FolderOwner::User, &workspace, &Shell::unconfined())?;
/// assert_eq!(loaded.processes[0].name(), "notes");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ToolProcess {
    file: ProcessFile,
    wrap: Option<Wrap>,
    listener: Option<Listener>,
}

/// A process whose tools are offered. Dropping it takes them back and ends the process with all that it started: TERM,
/// two seconds, KILL; if the runtime ends before, at once.
pub struct ServedProcess {
    keeper: Arc<Keeper>,
    first: Offered,
}

/// What a list changed in what is offered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Offered {
    /// The tools that came.
    pub added: Vec<ToolName>,
    /// The tools that went; one that was changed is in both.
    pub removed: Vec<ToolName>,
    /// The tools that are in the list and not offered.
    pub left_out: Vec<LeftOut>,
}

/// Why a process serves nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// Its program cannot be started.
    #[error("its process cannot be started")]
    Start(#[source] std::io::Error),
    /// It ended before it listed its tools.
    #[error("its process ended: {0}")]
    Ended(String),
    /// It did not list its tools in time.
    #[error("its process did not list its tools within {} ms", limit.as_millis())]
    ListTimedOut {
        /// The time.
        limit: Duration,
    },
    /// What it answered is no list.
    #[error("its process gave no list of tools: {0}")]
    NoList(String),
    /// It ended too often.
    #[error(
        "its process ended too often within a minute, and is not started again for {} s; the last time: {last}",
        wait.as_secs().saturating_add(1)
    )]
    TooOften {
        /// How long it is not started.
        wait: Duration,
        /// Why it ended last.
        last: String,
    },
    /// This program has ended it for good.
    #[error("its process is ended for good")]
    Over,
}

impl ToolProcess {
    pub(crate) fn new(file: ProcessFile) -> Self {
        Self { file, wrap: None, listener: None }
    }

    /// The file's name.
    pub fn name(&self) -> &str {
        &self.file.name
    }

    /// Whose file it is: a project's process is a program of the project's, and runs as soon as it is served.
    pub fn owner(&self) -> FolderOwner {
        self.file.owner
    }

    /// How much the process is confined.
    pub fn level(&self) -> Level {
        self.file.shell.level()
    }

    /// The program and its words.
    pub fn argv(&self) -> &[String] {
        &self.file.argv
    }

    /// The same, and each of its tools goes through a function before it is offered: one that records, say.
    pub fn with_each(
        mut self,
        wrap: impl Fn(Arc<dyn Tool>) -> Arc<dyn Tool> + Send + Sync + 'static,
    ) -> Self {
        self.wrap = Some(Arc::new(wrap));
        self
    }

    /// The same with somebody who is told of each list after the first: the process said that it changed, or was started
    /// again.
    pub fn with_listener(
        mut self,
        listener: impl Fn(Result<&Offered, &ProcessError>) + Send + Sync + 'static,
    ) -> Self {
        self.listener = Some(Arc::new(listener));
        self
    }

    /// Starts it, asks for its tools and offers them; again whenever it says that they changed. What is offered changes
    /// at the next turn.
    ///
    /// Cancel-safe: a process that was started ends.
    ///
    /// # Errors
    /// If it cannot be started or gives no list.
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
        let mut served = ServedProcess { keeper, first: Offered::default() };
        (_, served.first) = served.keeper.ready().await?;
        served.watch();
        Ok(served)
    }
}

impl ServedProcess {
    /// What the first list brought.
    pub fn first(&self) -> &Offered {
        &self.first
    }

    /// The tools that are offered now.
    pub fn tools(&self) -> Vec<ToolName> {
        self.keeper.offered().iter().map(|listed| listed.spec.name().clone()).collect()
    }

    /// What the process wrote that nobody asked for, in all of its lives.
    pub fn noise(&self) -> Noise {
        *self.keeper.noise.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes its tools back, ends it, and waits until it and all that it started are gone.
    pub async fn end(self) {
        let keeper = Arc::clone(&self.keeper);
        drop(self);
        let gone = keeper.life.lock().await.connection.as_ref().map(|connection| connection.gone());
        if let Some(gone) = gone {
            gone.cancelled().await;
        }
    }

    /// Serves until the runtime ends, for a program that has no better place for it. There it is killed without a grace.
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
        for listed in self.keeper.offered().drain(..) {
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
