//! How processes are started: with what helper, at what level, and with what they may never see.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use windlass_protocol::Containment;
use windlass_sandbox::{ChildLimits, Gap, Granted, Grants, Helper, Level, Probe};

use crate::ServiceCommand;

/// Names of folders of tools that lie where the user put them.
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

/// How processes are started. Made once: the level is that of a probe, and every result names it.
///
/// ```
/// use windlass_sandbox::{Helper, Probe};
/// use windlass_tools_shell::Shell;
///
/// // The program itself is the helper if its `main` begins with the helper's work; see `windlass_sandbox::Helper`.
/// let helper = Helper::new("windlass-confine");
/// let probe = Probe::run(&helper);
/// let shell = Shell::confined(helper, &probe).with_never("/home/me/.local/state/windlass");
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
    /// How much room a command has to leave on the disk, where that was said.
    pub(crate) spare: Option<u64>,
    pub(crate) spare_files: Option<u64>,
}

impl Default for Shell {
    fn default() -> Self {
        Self::unconfined()
    }
}

impl Shell {
    /// Nothing is confined. Commands run as the user would run them; code does not run at all.
    pub fn unconfined() -> Self {
        Self::at(Level::None, Helper::new(""))
    }

    /// Confined by a helper at the level that a probe found.
    pub fn confined(helper: Helper, probe: &Probe) -> Self {
        Self::at(probe.level, helper)
    }

    fn at(level: Level, helper: Helper) -> Self {
        // Read once: what a run may reach does not change while it goes on.
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

    /// A path that no process is ever shown: the user's policy, the state of runs.
    pub fn with_never(mut self, path: impl Into<PathBuf>) -> Self {
        self.never.push(path.into());
        self
    }

    /// Another home than the one of the environment.
    pub fn with_home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// Other limits of a command than the usual ones.
    pub fn with_limits(mut self, limits: ChildLimits) -> Self {
        self.limits = limits;
        self
    }

    /// How many bytes of the workspace's disk have to stay free: a command that leaves less is stopped. Where
    /// nothing is said it is one GiB, or half of what is free when the command starts.
    pub fn with_spare(mut self, bytes: u64) -> Self {
        self.spare = Some(bytes);
        self
    }

    /// How many files the workspace's disk must have room for: a command that leaves less is stopped. The default is
    /// 10,000, or half of the room when the command starts.
    pub fn with_spare_files(mut self, files: u64) -> Self {
        self.spare_files = Some(files);
        self
    }

    /// How much is confined.
    pub fn level(&self) -> Level {
        self.level
    }

    /// What a command in a workspace gets, before it is known what it does.
    pub(crate) fn grants(&self, workspace: &Path) -> Grants {
        let mut grants = Grants::new(workspace).with_search_path(&self.path);
        if let Some(home) = &self.home {
            grants = grants.with_home(home);
        }
        for (_, folder) in &self.tools {
            grants = grants.with_tools(folder);
        }
        self.never.iter().fold(grants, Grants::with_never)
    }

    /// What a program that serves gets.
    pub(crate) fn granted_service(&self, asked: &ServiceCommand) -> Granted {
        self.grants(&asked.workspace).with_program(&asked.folder).look()
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Names of variables that tell tools where they are at home.
    pub(crate) fn tool_names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.tools.iter().map(|(name, _)| *name)
    }

    /// What a human and the policy are told of it.
    pub(crate) fn containment(&self, granted: &Granted) -> Containment {
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
