//! The grants of a command in a workspace: the workspace and the machine's tools, without secrets and with
//! protected names read-only.

pub(crate) mod repository;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use windlass_command::{HOME_NAMES, PROJECT_NAMES};

use self::repository::NAMES;
use crate::scan::content::has_registry_token;
use crate::scan::{Limits, Scan};
use crate::{Access, Confinement};

/// The folders of tools in a home, each with the credential files in it.
const TOOLS: [(&str, &[&str]); 22] = [
    (".cargo", &["credentials", "credentials.toml"]),
    (".rustup", &[]),
    ("go", &[]),
    (".go", &[]),
    (".nvm", &[]),
    (".fnm", &[]),
    (".volta", &[]),
    (".bun", &[]),
    (".deno", &[]),
    (".pyenv", &[]),
    (".rbenv", &[]),
    (".rvm", &[]),
    (".gem", &["credentials"]),
    (".asdf", &[]),
    (".sdkman", &[]),
    (".jenv", &[]),
    (".ghcup", &[]),
    (".opam", &[]),
    (".elan", &[]),
    (".local/bin", &[]),
    (".local/pipx", &[]),
    (".local/share/mise", &[]),
];

/// The settings of cargo in a home. They are hidden only if they hold a credential, because cargo fails if it
/// cannot read them.
const SETTINGS: [&str; 2] = [".cargo/config", ".cargo/config.toml"];

/// The maximum number of bare repositories in the workspace that are protected. Each one takes a dozen
/// mounts.
const BARE: usize = 8;

/// The permission of a command to change the workspace's repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "closed or open; the set is closed")]
pub enum Repository {
    /// `.git` is read-only.
    #[default]
    Closed,
    /// `.git` is writable, except the names that make git run programs, for example its configuration and its
    /// hooks.
    Open,
}

/// The grants of a command in a workspace, determined by inspecting the machine just before the command runs.
///
/// ```
/// use windlass_sandbox::{Access, Gap, CommandGrants, Level};
/// let folder = tempfile::tempdir()?;
/// let secret = folder.path().canonicalize()?.join(".env");
/// std::fs::write(&secret, "KEY=secret")?;
/// let granted = CommandGrants::new(folder.path().canonicalize()?).with_access(Access::ReadOnly).look();
/// // The secret is hidden, which only namespaces can do.
/// assert_eq!(granted.confinement.gaps(Level::Namespaces), []);
/// assert!(granted.confinement.gaps(Level::Landlock).contains(&Gap::Readable(secret)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandGrants {
    workspace: PathBuf,
    access: Access,
    repository: Repository,
    home: Option<PathBuf>,
    tools: Vec<PathBuf>,
    served: Option<PathBuf>,
    never: Vec<PathBuf>,
}

/// A confinement, and the parts of the machine that could not be inspected for it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GrantedConfinement {
    /// The confinement.
    pub confinement: Confinement,
    /// The parts that were not inspected, as messages for a human.
    pub gaps: Vec<String>,
    /// True if the workspace was at rest. If folders were moved during the inspection, secrets may have been
    /// missed: do not start a child with this value, and inspect again later.
    pub is_settled: bool,
}

impl CommandGrants {
    /// Creates grants for a workspace, readable and writable. The path has to be absolute and without links.
    pub fn new(workspace: impl Into<PathBuf>) -> Self {
        Self {
            workspace: workspace.into(),
            access: Access::ReadWrite,
            repository: Repository::Closed,
            home: None,
            tools: Vec::new(),
            served: None,
            never: Vec::new(),
        }
    }

    /// Sets the access to the workspace.
    pub fn with_access(mut self, access: Access) -> Self {
        self.access = access;
        self
    }

    /// Sets the permission to change the repository.
    pub fn with_repository(mut self, repository: Repository) -> Self {
        self.repository = repository;
        self
    }

    /// Sets the user's home. The known tool folders in it can be read and run; the rest of the home is not
    /// visible. The command gets an empty, writable home instead.
    pub fn with_home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// Adds the folders of a search path, except those that are relative, missing, or inside the workspace.
    pub fn with_search_path(mut self, path: &OsStr) -> Self {
        self.tools.extend(programs_of(path, &self.workspace));
        self
    }

    /// Adds a folder of tools to read and run.
    pub fn with_tools(mut self, folder: impl Into<PathBuf>) -> Self {
        self.tools.push(folder.into());
        self
    }

    /// Grants reading the folder of the program to run, even inside a path of `with_never`; then only the
    /// rest of that path is hidden. A folder that contains the workspace or the home is not granted.
    pub fn with_program(mut self, folder: impl Into<PathBuf>) -> Self {
        self.served = Some(folder.into());
        self
    }

    /// Hides a path wherever it is, for example the user's policy or the state of runs.
    pub fn with_never(mut self, path: impl Into<PathBuf>) -> Self {
        self.never.push(path.into());
        self
    }

    /// Inspects the machine and returns the grants.
    pub fn look(&self) -> GrantedConfinement {
        let mut confinement = self.add_tools(Confinement::new().with_system_keys_hidden());
        confinement = match self.access {
            Access::ReadOnly => confinement.with_readable(&self.workspace),
            Access::ReadWrite => confinement.with_writable(&self.workspace),
        };
        confinement = self.add_linked_repository(confinement);
        let scan = Scan::run(&self.workspace, Limits::default());
        for path in scan.secrets {
            confinement = confinement.with_known_hidden(path.path, path.identity);
        }
        if self.access == Access::ReadWrite {
            confinement = self.add_protected(confinement, &scan.protected);
            for folder in scan.bare.iter().take(BARE) {
                confinement = protect_git_names(confinement, folder);
            }
        }
        for path in &self.never {
            confinement = self.add_hidden(confinement, path);
        }
        GrantedConfinement { confinement, gaps: scan.gaps, is_settled: scan.is_settled }
    }

    fn add_tools(&self, mut confinement: Confinement) -> Confinement {
        if let Some(home) = self.home.as_ref().and_then(|home| home.canonicalize().ok()) {
            // If the home is the workspace or is inside it, the workspace's grant applies.
            if home.parent().is_some() && !home.starts_with(&self.workspace) {
                confinement = confinement.with_private(&home);
            }
            for (name, credentials) in TOOLS {
                let folder = home.join(name);
                if !folder.is_dir() || self.holds_more(&folder) {
                    continue;
                }
                confinement = confinement.with_readable(&folder);
                let credentials =
                    credentials.iter().map(|name| folder.join(name)).filter(|file| file.is_file());
                let settings = SETTINGS.iter().map(|name| home.join(name));
                let settings = settings.filter(|file| file.starts_with(&folder) && holds_token(file));
                // A link cannot be covered, so hide its target, which may be visible elsewhere.
                let secrets = credentials.chain(settings).filter_map(|file| file.canonicalize().ok());
                confinement = secrets.fold(confinement, Confinement::with_hidden);
            }
        }
        if let Some(folder) = self.program().filter(|folder| !self.holds_more(folder)) {
            confinement = confinement.with_readable(folder);
        }
        let known = self.tools.iter().filter_map(|folder| folder.canonicalize().ok());
        for folder in known.filter(|folder| folder.is_dir() && !self.holds_more(folder)) {
            confinement = confinement.with_readable(folder);
        }
        confinement
    }

    fn program(&self) -> Option<PathBuf> {
        self.served.as_ref()?.canonicalize().ok()
    }

    /// Returns true if a tool folder overlaps with the workspace or contains the home, so that granting it
    /// would grant too much.
    fn holds_more(&self, folder: &Path) -> bool {
        let home = self.home.as_deref().is_some_and(|home| home.starts_with(folder));
        home || self.workspace.starts_with(folder) || folder.starts_with(&self.workspace)
    }

    /// Grants reading the repository of a linked work tree, which is outside the workspace. The file that
    /// names the repository is part of the workspace and is not trusted alone: the repository has to refer
    /// back to it.
    fn add_linked_repository(&self, confinement: Confinement) -> Confinement {
        let link = self.workspace.join(".git");
        let read = |path: &Path| std::fs::read_to_string(path).ok();
        let found = (|| {
            let text = link.symlink_metadata().ok()?.is_file().then(|| read(&link))??;
            let own = PathBuf::from(text.strip_prefix("gitdir:")?.trim()).canonicalize().ok()?;
            let back = PathBuf::from(read(&own.join("gitdir"))?.trim());
            let common = own.join(read(&own.join("commondir"))?.trim()).canonicalize().ok()?;
            let is_whole = back.canonicalize().ok()? == link && own.starts_with(common.join("worktrees"));
            (is_whole && common.join("HEAD").is_file()).then_some(common)
        })();
        match found {
            Some(common) => confinement.with_readable(common),
            None => confinement,
        }
    }

    fn add_protected(&self, mut confinement: Confinement, nested: &[PathBuf]) -> Confinement {
        let names = if self.home.as_deref() == Some(&self.workspace) { &HOME_NAMES[..] } else { &[] };
        for name in PROJECT_NAMES.iter().chain(names) {
            let path = self.workspace.join(name);
            if *name == ".git" && self.repository == Repository::Open && is_folder(&path) {
                confinement = open_repository(confinement, &path);
            } else {
                confinement = confinement.with_protected(path);
            }
        }
        for path in nested.iter().filter(|path| path.parent() != Some(&self.workspace)) {
            confinement = confinement.with_protected(path);
        }
        confinement
    }

    fn add_hidden(&self, confinement: Confinement, path: &Path) -> Confinement {
        let real = path.canonicalize();
        let place = real.as_deref().unwrap_or(path);
        if self.workspace.starts_with(place) {
            return confinement;
        }
        let may_be_made = self.access == Access::ReadWrite
            && place.starts_with(&self.workspace)
            && place.parent().is_some_and(Path::is_dir);
        match real {
            Ok(_) => match self.program() {
                Some(program) => hide_around(confinement, place, &program),
                None => confinement.with_hidden(place),
            },
            Err(_) if may_be_made => confinement.with_protected(place),
            Err(_) => confinement,
        }
    }
}

/// Hides a path except a folder inside it.
fn hide_around(confinement: Confinement, place: &Path, kept: &Path) -> Confinement {
    if !kept.starts_with(place) {
        return confinement.with_hidden(place);
    }
    if kept == place {
        return confinement;
    }
    let entries = std::fs::read_dir(place).into_iter().flatten().filter_map(Result::ok);
    // A link cannot be covered. Its target is hidden by its own path or was never granted.
    let entries = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    entries.fold(confinement, |confinement, entry| hide_around(confinement, &entry.path(), kept))
}

fn holds_token(file: &Path) -> bool {
    std::fs::read(file).is_ok_and(|bytes| has_registry_token(&String::from_utf8_lossy(&bytes)))
}

/// Returns the folders of a search path from which a command may run programs: absolute, existing folders
/// outside the workspace.
pub fn programs_of(path: &OsStr, workspace: &Path) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for folder in std::env::split_paths(path).filter(|folder| folder.is_absolute()) {
        let real = folder.canonicalize().unwrap_or_default();
        let outside = real.parent().is_some() && !real.starts_with(workspace);
        if outside && !folder.starts_with(workspace) && real.is_dir() && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}

/// Makes the repository writable as mounts of its own, so that it cannot be renamed, and protects the names
/// in it that decide which programs git runs.
fn open_repository(confinement: Confinement, folder: &Path) -> Confinement {
    // Mount the parents of protected names too; otherwise a child could exchange a whole parent.
    let above = ["", "info", "objects", "objects/info"].into_iter().map(|name| folder.join(name));
    let confinement = above.fold(confinement, Confinement::with_writable);
    protect_git_names(confinement, folder)
}

/// Protects the names in a repository that decide which programs git runs.
fn protect_git_names(confinement: Confinement, folder: &Path) -> Confinement {
    NAMES.iter().fold(confinement, |confinement, name| {
        confinement.with_stand_in(folder.join(name.path), name.stand_in)
    })
}
