//! Programs that serve something over their stdin and stdout for long, confined as commands are.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use windlass_protocol::Containment;
use windlass_sandbox::{Granted, Level, NotConfined};

use crate::Shell;
use crate::launch::Launch;
use crate::tree::Tree;

/// A program that serves: its words, where it starts, and for which workspace.
#[derive(Clone, Debug)]
pub struct ServiceCommand {
    pub(crate) argv: Vec<String>,
    pub(crate) folder: PathBuf,
    pub(crate) workspace: PathBuf,
    pub(crate) values: Vec<(String, OsString)>,
}

/// A running program that serves. Dropping it ends the program with all that it started, at once; so does the end of this
/// process, however that comes, if the program is confined.
///
/// ```
/// use tokio::io::{AsyncReadExt, AsyncWriteExt};
/// use windlass_tools_shell::{ServiceCommand, Shell};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let work = tempfile::tempdir()?;
/// let command = ServiceCommand::new(["cat"], work.path(), work.path());
/// // `Shell::confined` confines it; see there.
/// let (mut service, mut ends) = Shell::unconfined().serve(&command).await?;
/// ends.input.write_all(b"hello").await?;
/// drop(ends.input);
/// let mut said = String::new();
/// ends.output.read_to_string(&mut said).await?;
/// assert_eq!(said, "hello");
/// assert!(service.wait().await?.success());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Service {
    tree: Tree,
    granted: Granted,
    level: Level,
}

/// The host's ends of a program that serves.
#[non_exhaustive]
pub struct ServiceEnds {
    /// What the program reads. Dropping it is the end of its input.
    pub input: Box<dyn AsyncWrite + Send + Unpin>,
    /// What it writes.
    pub output: Box<dyn AsyncRead + Send + Unpin>,
    /// What it says beside that.
    pub errors: Box<dyn AsyncRead + Send + Unpin>,
}

impl ServiceCommand {
    /// A program and its words, which starts in a folder and works on a workspace; both by their absolute real paths.
    /// A name without `/` is looked up in the user's search path, never in the workspace.
    pub fn new<W: Into<String>>(
        argv: impl IntoIterator<Item = W>,
        folder: impl Into<PathBuf>,
        workspace: impl Into<PathBuf>,
    ) -> Self {
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            folder: folder.into(),
            workspace: workspace.into(),
            values: Vec::new(),
        }
    }

    /// One more variable of its environment, which is short otherwise. Whoever sets one says what the program may know.
    pub fn with_value(mut self, name: impl Into<String>, value: impl Into<OsString>) -> Self {
        self.values.push((name.into(), value.into()));
        self
    }

    /// The folder in which it starts.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Shell {
    /// Starts a program that serves: the workspace to write as commands have it, its own folder to read, no network.
    ///
    /// Cancel-safe: a program that was started ends.
    ///
    /// # Errors
    /// If there is no such program, or the system has no more processes or descriptors. A program that could not be
    /// confined ends at once, and [`Service::confined`] says why.
    pub async fn serve(&self, command: &ServiceCommand) -> io::Result<(Service, ServiceEnds)> {
        let (shell, command) = (self.clone(), command.clone());
        let prepared = tokio::task::spawn_blocking(move || Launch::of_service(&shell, &command));
        let (mut launch, granted) = prepared.await.map_err(io::Error::other)??;
        let level = launch.level;
        if launch.leash.is_none() {
            launch.process.stdin(Stdio::piped());
        }
        let (tree, ends) = Tree::start(launch)?;
        match (ends.input, ends.output, ends.errors) {
            (Some(input), Some(output), Some(errors)) => {
                Ok((Service { tree, granted, level }, ServiceEnds { input, output, errors }))
            }
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// How a program that serves would be confined if it were started now; `running` is what the one that runs was
    /// granted. What came into the workspace since then is not hidden from that one, and it is said. Looks at files.
    pub fn service_containment(&self, command: &ServiceCommand, running: Option<&Granted>) -> Containment {
        if self.level() == Level::None {
            return Containment::none();
        }
        let granted = self.granted_service(command);
        let mut containment = self.containment(&granted);
        if running.is_some_and(|running| *running != granted) {
            containment.gaps.push(
                "what is hidden from its process and protected is what was there when it was started"
                    .to_owned(),
            );
        }
        containment
    }
}

impl Service {
    /// How much it is confined.
    pub fn level(&self) -> Level {
        self.level
    }

    /// What it was granted when it was started.
    pub fn granted(&self) -> &Granted {
        &self.granted
    }

    /// Waits until it ends. Whom it started may live on until [`end`](Self::end), or until this is dropped, if nothing
    /// confines it. Cancel-safe.
    ///
    /// # Errors
    /// If the system lost it.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.tree.wait().await
    }

    /// Whether it was confined as its level says. For when it has ended, or has written something.
    ///
    /// # Errors
    /// If it was not: then it was never started.
    pub fn confined(&mut self) -> Result<(), NotConfined> {
        self.tree.confined()
    }

    /// Lets it leave by itself for so long, then asks it to (TERM), and after two seconds ends it with all that it
    /// started. Its status, if it has one. If the future is dropped, the drop of the
    /// service does the rest.
    pub async fn end(&mut self, patience: Duration) -> Option<ExitStatus> {
        match tokio::time::timeout(patience, self.tree.wait()).await {
            Ok(_) => self.tree.end(),
            Err(_) => self.tree.stop().await,
        }
        tokio::time::timeout(LAST, self.tree.wait()).await.ok()?.ok()
    }
}

/// How long the status of a program that was killed may take.
const LAST: Duration = Duration::from_secs(2);

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service").field("level", &self.level).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for ServiceEnds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServiceEnds").finish_non_exhaustive()
    }
}
