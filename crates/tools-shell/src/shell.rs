//! Start of processes: the helper, the level of confinement, and the paths that are always hidden.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use windlass_protocol::Containment;
use windlass_sandbox::{ChildLimits, CommandGrants, Gap, GrantedConfinement, Helper, Level, Probe};

use crate::ServiceCommand;

/// Environment variables with folders of tools that a user can install anywhere.
const TOOL_HOMES: [&str; 10] = [
    "CARGO_HOME",
    "RUSTUP_HOME",
    "GOPATH",
    "GOROOT",
    "NVM_DIR",
    "PYENV_ROOT",
    "JAVA_HOME",
    "VOLTA_HOME",
    "BUN_INSTALL",
    "DENO_INSTALL",
];

/// The way in which processes are started: confined by a helper at a level, or not at all.
///
/// Create it once per run, from the level that a probe found. Every result names this level.
///
/// ```
/// use windlass_sandbox::{Helper, Probe};
/// use windlass_tools_shell::Shell;
///
/// // The program itself is the helper if its `main` begins with the helper's work; see `windlass_sandbox::Helper`.
/// let helper = Helper::new("windlass-confine");
/// let probe = Probe::run(&helper);
/// let shell = Shell::new_confined(helper, &probe).with_never("/home/me/.local/state/windlass");
/// assert_eq!(shell.level(), probe.level);
/// ```
#[derive(Clone, Debug)]
pub struct Shell {
    pub(crate) helper: Helper,
    level: Level,
    home: Option<PathBuf>,
    pub(crate) path: OsString,
    tools: Vec<(&'static str, PathBuf)>,
    never: Vec<PathBuf>,
    pub(crate) limits: ChildLimits,
    /// The number of bytes that must stay free on the disk; `None` for the default.
    pub(crate) spare: Option<u64>,
    pub(crate) spare_files: Option<u64>,
}

impl Default for Shell {
    fn default() -> Self {
        Self::new_unconfined()
    }
}

impl Shell {
    /// Creates a shell without confinement. Commands run with the user's rights; code is refused.
    pub fn new_unconfined() -> Self {
        Self::at(Level::None, Helper::new(""))
    }

    /// Creates a shell that confines processes with a helper, at the level that a probe found.
    pub fn new_confined(helper: Helper, probe: &Probe) -> Self {
        Self::at(probe.level, helper)
    }

    fn at(level: Level, helper: Helper) -> Self {
        // The environment is read once, because the rights of a run must not change while it runs.
        let (mut home, mut path, mut tools) = (None, OsString::new(), Vec::new());
        for (name, value) in std::env::vars_os() {
            match name.to_str() {
                Some("HOME") => home = Some(PathBuf::from(value)).filter(|home| home.is_absolute()),
                Some("PATH") => path = value,
                Some(name) => {
                    let known = TOOL_HOMES.iter().find(|known| **known == name);
                    tools.extend(known.map(|known| (*known, PathBuf::from(value))));
                }
                None => {}
            }
        }
        tools.retain(|(_, folder)| folder.is_absolute());
        Self {
            helper,
            level,
            home,
            path,
            tools,
            never: Vec::new(),
            limits: ChildLimits::default(),
            spare: None,
            spare_files: None,
        }
    }

    /// Hides a path from all processes, for example the user's policy or the state of runs.
    pub fn with_never(mut self, path: impl Into<PathBuf>) -> Self {
        self.never.push(path.into());
        self
    }

    /// Replaces the home folder of the environment.
    pub fn with_home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// Replaces the default limits of a command.
    pub fn with_limits(mut self, limits: ChildLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the number of bytes that must stay free on the workspace's disk. A command that leaves less is
    /// stopped. The default is one GiB, or half of the free bytes at the start of the command if that is
    /// less.
    pub fn with_spare(mut self, bytes: u64) -> Self {
        self.spare = Some(bytes);
        self
    }

    /// Sets the number of files for which the workspace's disk must keep room. A command that leaves less is
    /// stopped. The default is 10,000, or half of the room at the start of the command if that is less.
    pub fn with_spare_files(mut self, files: u64) -> Self {
        self.spare_files = Some(files);
        self
    }

    /// Returns the level of confinement.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Returns the grants of a command in a workspace, before they are adapted to its effects.
    pub(crate) fn grants(&self, workspace: &Path) -> CommandGrants {
        let mut grants = CommandGrants::new(workspace).with_search_path(&self.path);
        if let Some(home) = &self.home {
            grants = grants.with_home(home);
        }
        for (_, folder) in &self.tools {
            grants = grants.with_tools(folder);
        }
        self.never.iter().fold(grants, CommandGrants::with_never)
    }

    /// Returns the grants of a service.
    pub(crate) fn service_grants(&self, asked: &ServiceCommand) -> GrantedConfinement {
        self.grants(&asked.workspace).with_program(&asked.folder).look()
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Returns the names of the environment variables with folders of tools.
    pub(crate) fn tool_names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.tools.iter().map(|(name, _)| *name)
    }

    /// Returns the description of the confinement for the user and the policy.
    pub(crate) fn containment(&self, granted: &GrantedConfinement) -> Containment {
        if self.level == Level::None {
            return Containment::none();
        }
        let (mut writable, mut readable, mut gaps) = (0_usize, 0_usize, Vec::new());
        for gap in granted.confinement.gaps(self.level) {
            match gap {
                Gap::Writable(_) => writable += 1,
                Gap::Readable(_) => readable += 1,
                other => gaps.push(other.to_string()),
            }
        }
        if writable > 0 {
            gaps.push(format!(
                "{writable} names that decide what runs later can be written, `.git` among them"
            ));
        }
        if readable > 0 {
            gaps.push(format!("{readable} secrets can be read"));
        }
        gaps.extend(granted.gaps.iter().cloned());
        Containment::new(self.level.to_string(), gaps)
    }
}
