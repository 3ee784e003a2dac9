//! The grants of a child process, and the command that starts it confined.

pub(crate) mod stand_in;
mod system_keys;

use std::ffi::{OsStr, OsString};
use std::io::PipeWriter;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fmt, io};

use self::stand_in::{HiddenPath, ProtectedPath, StandIn};
use crate::plan::{Hold, Input, Plan, Terminal};
use crate::{ChildEnvironment, ChildLimits, Leash, Level};

/// The system folders that programs need to be loaded: granted read-only if they exist.
const SYSTEM: [&str; 10] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store"];

/// The command line of the helper process, which confines itself and then becomes the command.
///
/// The helper program must pass the arguments after its own to [`confine_and_exec`](crate::confine_and_exec)
/// before it starts a thread, because a process with threads cannot create a user namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Helper {
    program: PathBuf,
    arguments: Vec<OsString>,
}

impl Helper {
    /// Creates a helper from a program that does nothing else, for example `windlass-confine`.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), arguments: Vec::new() }
    }

    /// Adds an argument before those of the helper, for example a hidden subcommand.
    pub fn with_argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    pub(crate) fn command(&self, plan: &Plan, command: &[OsString]) -> Command {
        let mut process = Command::new(&self.program);
        process.args(&self.arguments).args(plan.encode(command));
        process
    }
}

/// A grant or restriction that a level cannot enforce. Policy decides how to handle it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Gap {
    /// The protected path can be written.
    Writable(PathBuf),
    /// The hidden path can be read.
    Readable(PathBuf),
    /// The child sees other processes of the user and shares the folder for temporary files.
    HostShared,
    /// The child is not confined at all.
    Unconfined,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Writable(path) => write!(f, "`{}` is protected but can be written", path.display()),
            Self::Readable(path) => write!(f, "`{}` is hidden but can be read", path.display()),
            Self::HostShared => f.write_str("processes of the host are visible"),
            Self::Unconfined => f.write_str("nothing is confined"),
        }
    }
}

/// The permissions of a child process. Everything that is not granted is refused: files, names, sockets.
///
/// ```
/// use windlass_sandbox::{Confinement, Gap, Level};
///
/// let confinement = Confinement::new().with_writable("/project").with_protected("/project/.git");
/// assert_eq!(confinement.gaps(Level::Namespaces), []);
/// assert!(confinement.gaps(Level::Landlock).contains(&Gap::Writable("/project/.git".into())));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confinement {
    pub(crate) readable: Vec<PathBuf>,
    pub(crate) writable: Vec<PathBuf>,
    pub(crate) protected: Vec<ProtectedPath>,
    pub(crate) hidden: Vec<HiddenPath>,
    pub(crate) ports: Vec<u16>,
    pub(crate) private: Vec<PathBuf>,
    pub(crate) limits: ChildLimits,
    pub(crate) terminal: Terminal,
    environment: ChildEnvironment,
}

impl Default for Confinement {
    fn default() -> Self {
        Self::new()
    }
}

impl Confinement {
    /// Grants read access to the system's programs and libraries, and nothing else.
    pub fn new() -> Self {
        Self {
            readable: SYSTEM.map(PathBuf::from).to_vec(),
            writable: Vec::new(),
            protected: Vec::new(),
            hidden: Vec::new(),
            ports: Vec::new(),
            private: Vec::new(),
            limits: ChildLimits::default(),
            terminal: Terminal::None,
            environment: ChildEnvironment::new(),
        }
    }

    /// Grants reading and executing a file or a folder. The path has to be absolute and without links.
    pub fn with_readable(mut self, path: impl Into<PathBuf>) -> Self {
        self.readable.push(path.into());
        self
    }

    /// Grants reading and writing a folder. The path has to be absolute and without links.
    pub fn with_writable(mut self, path: impl Into<PathBuf>) -> Self {
        self.writable.push(path.into());
        self
    }

    /// Protects a path inside a writable folder: the child cannot write, rename or remove it, nor create it
    /// if it does not exist. While the child runs, an empty folder takes the place of a missing path.
    pub fn with_protected(self, path: impl Into<PathBuf>) -> Self {
        self.with_stand_in(path, StandIn::Folder)
    }

    /// Like `with_protected`, with another stand-in for a missing path.
    pub(crate) fn with_stand_in(mut self, path: impl Into<PathBuf>, stand_in: StandIn) -> Self {
        self.protected.push(ProtectedPath::new(path, stand_in));
        self
    }

    /// Hides a path inside a granted folder, so that the child cannot read it.
    pub fn with_hidden(self, path: impl Into<PathBuf>) -> Self {
        self.with_known_hidden(path, None)
    }

    /// Like `with_hidden`, for a known file. The child's start fails if another file has the path by then.
    pub(crate) fn with_known_hidden(
        mut self,
        path: impl Into<PathBuf>,
        identity: Option<(u64, u64)>,
    ) -> Self {
        self.hidden.push(HiddenPath { path: path.into(), identity, folder: None });
        self
    }

    /// Hides the files in `/etc` that are not readable for every user but are for this one. Root, for
    /// example, can read the password hashes and all keys.
    pub fn with_system_keys_hidden(self) -> Self {
        system_keys::find_private(Path::new("/etc")).into_iter().fold(self, Self::with_hidden)
    }

    /// Adds a private folder, which is empty at the child's start except for grants inside it, and is removed
    /// at the child's end. Levels without namespaces do not grant the folder at all.
    pub fn with_private(mut self, path: impl Into<PathBuf>) -> Self {
        self.private.push(path.into());
        self
    }

    /// Grants TCP connections to a port at any address, as Landlock filters only ports. The child cannot
    /// resolve names, so the port is meant for a proxy on the host. Without a port it has no network.
    pub fn with_port(mut self, port: u16) -> Self {
        self.ports.push(port);
        self
    }

    /// Sets the resource limits.
    pub fn with_limits(mut self, limits: ChildLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the environment.
    pub fn with_environment(mut self, environment: ChildEnvironment) -> Self {
        self.environment = environment;
        self
    }

    /// Attaches the command to a terminal. The terminal that the caller passes as stdout and stderr becomes
    /// the command's input and the controlling terminal of its own session. The caller must not make the
    /// process a group leader; a request to stop sends it SIGHUP. At level none the caller does all this.
    pub fn with_terminal(mut self) -> Self {
        self.terminal = Terminal::Stdout;
        self
    }

    /// Returns the parts of this confinement that a level cannot enforce.
    pub fn gaps(&self, level: Level) -> Vec<Gap> {
        match level {
            Level::Namespaces | Level::Bubblewrap => Vec::new(),
            Level::Landlock => {
                let protected = self.protected.iter().map(|protected| protected.path.clone());
                let writable = protected.map(Gap::Writable);
                let readable = self.hidden.iter().map(|hidden| Gap::Readable(hidden.path.clone()));
                writable.chain(readable).chain([Gap::HostShared]).collect()
            }
            Level::None => vec![Gap::Unconfined],
        }
    }

    /// Returns the command that runs a program confined, in a folder. Pass it to `tokio` or `process-wrap`
    /// unchanged: it needs no code between fork and exec. At level none it is the program itself, with this
    /// confinement's environment.
    ///
    /// The helper exits with 125 and a message on stderr if it cannot confine, and with 126 or 127 if the
    /// program cannot be run. It never runs the program with a weaker confinement. Killing the helper kills
    /// all processes of the program; with a [leash](Self::command_with_leash) they can clean up first.
    pub fn command<A: Into<OsString>>(
        &self,
        level: Level,
        helper: &Helper,
        folder: &Path,
        program: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Command {
        let words = words(program.as_ref(), arguments);
        self.prepare(level, helper, &Plan::new(self, level, folder), &words)
    }

    /// Returns the same command with a leash, which is its standard input. Over the leash the helper reports
    /// whether the command was started confined, and it ends all processes of the command when the leash is
    /// dropped. The command's own input is empty; the caller sets stdout and stderr. At level none there is
    /// neither a helper nor a leash.
    ///
    /// # Errors
    /// If no descriptors are left.
    pub fn command_with_leash<A: Into<OsString>>(
        &self,
        level: Level,
        helper: &Helper,
        folder: &Path,
        program: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = A>,
    ) -> io::Result<(Command, Option<Leash>)> {
        let mut plan = Plan::new(self, level, folder);
        plan.hold = Hold::Leash;
        let mut process = self.prepare(level, helper, &plan, &words(program.as_ref(), arguments));
        if level == Level::None {
            process.stdin(Stdio::null());
            return Ok((process, None));
        }
        let (leash, theirs) = Leash::pair(&self.writable)?;
        process.stdin(theirs);
        Ok((process, Some(leash)))
    }

    /// Returns the leashed command with an input, for a program that serves requests. The program reads the
    /// data written to the pipe, and its end when the pipe is dropped. The helper closes its own copies of
    /// stdout and stderr, so that the program can close them; `bwrap` keeps its copies. At level none the
    /// caller sets the command's input.
    ///
    /// # Errors
    /// If no descriptors are left.
    pub fn start_service<A: Into<OsString>>(
        &self,
        level: Level,
        helper: &Helper,
        folder: &Path,
        program: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = A>,
    ) -> io::Result<(Command, Option<(Leash, PipeWriter)>)> {
        let mut plan = Plan::new(self, level, folder);
        (plan.hold, plan.input) = (Hold::Leash, Input::Handed);
        let mut process = self.prepare(level, helper, &plan, &words(program.as_ref(), arguments));
        if level == Level::None {
            return Ok((process, None));
        }
        let (leash, theirs) = Leash::pair(&self.writable)?;
        let input = leash.input()?;
        process.stdin(theirs);
        Ok((process, Some((leash, input))))
    }

    fn prepare(&self, level: Level, helper: &Helper, plan: &Plan, words: &[OsString]) -> Command {
        let mut process = match words.split_first() {
            Some((program, arguments)) if level == Level::None => {
                let mut process = Command::new(program);
                process.args(arguments).current_dir(&plan.folder);
                process
            }
            _ => helper.command(plan, words),
        };
        process.env_clear().envs(self.environment.from_host(std::env::vars_os()));
        process
    }
}

fn words<A: Into<OsString>>(program: &OsStr, arguments: impl IntoIterator<Item = A>) -> Vec<OsString> {
    [program.to_owned()].into_iter().chain(arguments.into_iter().map(Into::into)).collect()
}
