//! What a child process may read, write and reach, and the command that starts it so.

pub(crate) mod stand_in;
mod system_keys;

use std::ffi::{OsStr, OsString};
use std::io::PipeWriter;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fmt, io};

use self::stand_in::{Hidden, Protected, StandIn};
use crate::plan::{Hold, Input, Plan, Terminal};
use crate::{ChildEnvironment, ChildLimits, Leash, Level};

/// What every program needs to be loaded: read-only, and only where it is there.
const SYSTEM: [&str; 10] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store"];

/// How the process is started that confines itself and then becomes the command.
///
/// The program must hand the arguments that follow its own to [`confine_and_exec`](crate::confine_and_exec)
/// before it starts a thread: namespaces are refused to a process with threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Helper {
    program: PathBuf,
    arguments: Vec<OsString>,
}

impl Helper {
    /// A program that is the helper and nothing else, such as `windlass-confine`.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), arguments: Vec::new() }
    }

    /// One more argument before those of the helper, such as a hidden subcommand.
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

/// What was asked for and a level cannot give: policy decides what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Gap {
    /// The path can be written though it is protected.
    Writable(PathBuf),
    /// The path can be read though it is hidden.
    Readable(PathBuf),
    /// Other processes of the user are seen, and temporary files are shared.
    HostShared,
    /// Nothing at all is confined.
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

/// What a child process may do. Everything that is not granted is refused: files, names, sockets.
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
    pub(crate) protected: Vec<Protected>,
    pub(crate) hidden: Vec<Hidden>,
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
    /// The system's programs and libraries to read, and nothing else.
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

    /// One more file or folder to read and to run programs from, by its absolute real path.
    pub fn with_readable(mut self, path: impl Into<PathBuf>) -> Self {
        self.readable.push(path.into());
        self
    }

    /// One more folder to read and write, by its absolute real path.
    pub fn with_writable(mut self, path: impl Into<PathBuf>) -> Self {
        self.writable.push(path.into());
        self
    }

    /// A path inside a writable folder that stays as it is: it cannot be written, renamed, removed or, if it
    /// is not there, made. While the child runs, an empty folder stands where it is missing.
    pub fn with_protected(self, path: impl Into<PathBuf>) -> Self {
        self.with_stand_in(path, StandIn::Folder)
    }

    /// The same with another stand-in than an empty folder while the path is missing.
    pub(crate) fn with_stand_in(mut self, path: impl Into<PathBuf>, stand_in: StandIn) -> Self {
        self.protected.push(Protected::new(path, stand_in));
        self
    }

    /// A path inside a granted folder that cannot be read either.
    pub fn with_hidden(self, path: impl Into<PathBuf>) -> Self {
        self.with_known_hidden(path, None)
    }

    /// The same for a path that was found to be a certain file. Another file with that path is not hidden instead.
    pub(crate) fn with_known_hidden(
        mut self,
        path: impl Into<PathBuf>,
        identity: Option<(u64, u64)>,
    ) -> Self {
        self.hidden.push(Hidden { path: path.into(), identity });
        self
    }

    /// Hides the settings of the machine in `/etc` that not every user may read, where this user can: root can read the
    /// password hashes and all keys.
    pub fn with_system_keys_hidden(self) -> Self {
        system_keys::found(Path::new("/etc")).into_iter().fold(self, Self::with_hidden)
    }

    /// A folder that the child has for itself: empty at its start but for what is granted inside, gone at its
    /// end. Only namespaces have this; elsewhere the folder is not granted at all.
    pub fn with_private(mut self, path: impl Into<PathBuf>) -> Self {
        self.private.push(path.into());
        self
    }

    /// A TCP port that may be connected to, at whatever address: Landlock tells ports apart, not hosts. Names
    /// are not looked up inside, so this is for a proxy of the host. Without a port there is no network.
    pub fn with_port(mut self, port: u16) -> Self {
        self.ports.push(port);
        self
    }

    /// Other limits than the usual ones.
    pub fn with_limits(mut self, limits: ChildLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Another environment than the short list.
    pub fn with_environment(mut self, environment: ChildEnvironment) -> Self {
        self.environment = environment;
        self
    }

    /// The command sits at a terminal: the one that the caller gives as stdout and stderr becomes the controlling
    /// terminal of a session of its own, and its input, too. Such a process must not be made the leader of a group,
    /// and hears a hang-up when it is asked to end. At level none the caller does this itself.
    pub fn with_terminal(mut self) -> Self {
        self.terminal = Terminal::Stdout;
        self
    }

    /// What of this a level cannot give.
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

    /// The command that runs a program so confined, in a folder. Hand it to `tokio` or `process-wrap` as it
    /// is: nothing happens between fork and exec. At level none it is the program alone, with the environment
    /// of this confinement.
    ///
    /// The helper ends with 125 and words on stderr if it cannot confine, 126 or 127 if the program cannot be
    /// run; it never runs the program less confined than was asked. Whoever ends the helper ends all processes of
    /// the program; on a [leash](Self::leashed) they may tidy up before.
    pub fn command<A: Into<OsString>>(
        &self,
        level: Level,
        helper: &Helper,
        folder: &Path,
        program: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Command {
        let words = words(program.as_ref(), arguments);
        self.prepared(level, helper, &Plan::of(self, level, folder), &words)
    }

    /// The same command on a leash, which is its standard input: the helper says over it whether the command
    /// was started confined, and ends all processes of the command when it is let go. The command's own input
    /// is empty. Stdout and stderr are for the caller to set. At level none there is no helper and no leash.
    ///
    /// # Errors
    /// If the system has no more descriptors.
    pub fn leashed<A: Into<OsString>>(
        &self,
        level: Level,
        helper: &Helper,
        folder: &Path,
        program: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = A>,
    ) -> io::Result<(Command, Option<Leash>)> {
        let mut plan = Plan::of(self, level, folder);
        plan.hold = Hold::Leash;
        let mut process = self.prepared(level, helper, &plan, &words(program.as_ref(), arguments));
        if level == Level::None {
            process.stdin(Stdio::null());
            return Ok((process, None));
        }
        let (leash, theirs) = Leash::pair()?;
        process.stdin(theirs);
        Ok((process, Some(leash)))
    }

    /// The same command with an input of its own, for a program that serves: it reads what is written to the pipe,
    /// and meets its end when the pipe is dropped. The helper keeps no end of stdout and stderr, so that the
    /// program may close them; only `bwrap` does. At level none the caller gives the command its input.
    ///
    /// # Errors
    /// If the system has no more descriptors.
    pub fn serving<A: Into<OsString>>(
        &self,
        level: Level,
        helper: &Helper,
        folder: &Path,
        program: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = A>,
    ) -> io::Result<(Command, Option<(Leash, PipeWriter)>)> {
        let mut plan = Plan::of(self, level, folder);
        (plan.hold, plan.input) = (Hold::Leash, Input::Handed);
        let mut process = self.prepared(level, helper, &plan, &words(program.as_ref(), arguments));
        if level == Level::None {
            return Ok((process, None));
        }
        let (leash, theirs) = Leash::pair()?;
        let input = leash.input()?;
        process.stdin(theirs);
        Ok((process, Some((leash, input))))
    }

    fn prepared(&self, level: Level, helper: &Helper, plan: &Plan, words: &[OsString]) -> Command {
        let mut process = match words.split_first() {
            Some((program, arguments)) if level == Level::None => {
                let mut process = Command::new(program);
                process.args(arguments).current_dir(&plan.folder);
                process
            }
            _ => helper.command(plan, words),
        };
        process.env_clear().envs(self.environment.of_host(std::env::vars_os()));
        process
    }
}

fn words<A: Into<OsString>>(program: &OsStr, arguments: impl IntoIterator<Item = A>) -> Vec<OsString> {
    [program.to_owned()].into_iter().chain(arguments.into_iter().map(Into::into)).collect()
}
