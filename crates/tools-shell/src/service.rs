//! Services: programs that serve requests over stdin and stdout for a long time, with the confinement of
//! commands.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use windlass_protocol::Containment;
use windlass_sandbox::{GrantedConfinement, Level, NotConfined};

use crate::Shell;
use crate::launch::Launch;
use crate::tree::Tree;

/// The start of a service: its program and arguments, its folder, its workspace, and its environment.
#[derive(Clone, Debug)]
pub struct ServiceCommand {
    pub(crate) argv: Vec<String>,
    pub(crate) folder: PathBuf,
    pub(crate) workspace: PathBuf,
    pub(crate) values: Vec<(String, OsString)>,
}

/// A running service. Dropping it kills the program with all processes that it started. If the program is
/// confined, any end of the host process kills them, too.
///
/// ```
/// use tokio::io::{AsyncReadExt, AsyncWriteExt};
/// use windlass_tools_shell::{ServiceCommand, Shell};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let work = tempfile::tempdir()?;
/// let command = ServiceCommand::new(["cat"], work.path(), work.path());
/// // `Shell::new_confined` confines the program; see its documentation.
/// let (mut service, mut ends) = Shell::new_unconfined().serve(&command).await?;
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
    granted: GrantedConfinement,
    level: Level,
}

/// The host's ends of the streams of a service.
#[non_exhaustive]
pub struct ServiceEnds {
    /// The standard input of the program. Dropping it closes the input.
    pub input: Box<dyn AsyncWrite + Send + Unpin>,
    /// The standard output of the program.
    pub output: Box<dyn AsyncRead + Send + Unpin>,
    /// The standard error of the program.
    pub errors: Box<dyn AsyncRead + Send + Unpin>,
}

impl ServiceCommand {
    /// Creates the start of a program in a folder, for a workspace. Both paths must be absolute and real. A
    /// program name without `/` is looked up in the user's search path, never in the workspace.
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

    /// Adds an environment variable. The environment has only a few variables otherwise, so the caller
    /// decides which facts the program can know.
    pub fn with_value(mut self, name: impl Into<String>, value: impl Into<OsString>) -> Self {
        self.values.push((name.into(), value.into()));
        self
    }

    /// Returns the folder in which the program starts.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Shell {
    /// Starts a service. It can write the workspace like a command and read its own folder, and has no
    /// network.
    ///
    /// Cancel-safe: dropping the future ends a program that was already started.
    ///
    /// # Errors
    /// The program does not exist, or the system has no more processes or descriptors. A program that could
    /// not be confined ends at once, and [`Service::check_confined`] returns the reason.
    pub async fn serve(&self, command: &ServiceCommand) -> io::Result<(Service, ServiceEnds)> {
        let (shell, command) = (self.clone(), command.clone());
        let prepared = tokio::task::spawn_blocking(move || Launch::prepare_service(&shell, &command));
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

    /// Returns the confinement that a service would have if it were started now. `running` has the grants of
    /// a running instance: if they differ, the result lists as a gap that files that appeared later are not
    /// hidden from this instance. Blocks on files.
    pub fn service_containment(
        &self,
        command: &ServiceCommand,
        running: Option<&GrantedConfinement>,
    ) -> Containment {
        if self.level() == Level::None {
            return Containment::none();
        }
        let granted = self.service_grants(command);
        let mut containment = self.containment(&granted);
        if running.is_some_and(|running| *running != granted) {
            containment.gaps.push(
                "the hidden and protected files of its process are those that existed at its start"
                    .to_owned(),
            );
        }
        containment
    }
}

impl Service {
    /// Returns the level of confinement.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Returns the grants that the service got at its start.
    pub fn grants(&self) -> &GrantedConfinement {
        &self.granted
    }

    /// Waits until the program ends. Without confinement, its child processes can live on until
    /// [`end`](Self::end) is called or the service is dropped. Cancel-safe.
    ///
    /// # Errors
    /// The operating system could not report the end.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.tree.wait().await
    }

    /// Returns whether the program was confined at its level. Call this after the program has ended or has
    /// written output.
    ///
    /// # Errors
    /// The program was not confined, and so was never started.
    pub fn check_confined(&mut self) -> Result<(), NotConfined> {
        self.tree.check_confined()
    }

    /// Ends the service and returns its exit status, if the system reports one.
    ///
    /// The program has the time `patience` to exit by itself. Then it gets SIGTERM and, two seconds later,
    /// SIGKILL together with all processes that it started. If the future is dropped, dropping the service
    /// ends the program.
    pub async fn end(&mut self, patience: Duration) -> Option<ExitStatus> {
        match tokio::time::timeout(patience, self.tree.wait()).await {
            Ok(_) => self.tree.end(),
            Err(_) => self.tree.stop().await,
        }
        tokio::time::timeout(LAST, self.tree.wait()).await.ok()?.ok()
    }
}

/// The maximum time for the status of a killed program to arrive.
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
