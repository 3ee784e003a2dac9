//! The policy files: the machine's, the user's and the project's, and who may have written them.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use windlass_hitl::{OwnPlace, Policy, RuleFile, Source};
use windlass_sandbox::{Access, SettingsOwner, Workspace, read_settings};

use crate::own::Own;
use crate::{complaint, output};

/// The file of whoever looks after the machine.
const ADMIN_POLICY: &str = "/etc/windlass/policy.toml";
/// The project's own policy file, below its root. It can only tighten.
const PROJECT_POLICY: &str = ".windlass/policy.toml";

/// A policy file that is there, and whose it is.
pub(crate) struct PolicyPlace {
    pub(crate) file: PathBuf,
    pub(crate) source: Source,
    /// Where it lies in the workspace, if it lies there.
    inside: Option<String>,
    /// The folder of the work.
    root: PathBuf,
}

/// The policy files that are there for a workspace: the machine's, the one that is named or else the user's usual one,
/// and the project's.
pub(crate) fn places(root: &Path, named: Option<&Path>) -> Vec<PolicyPlace> {
    let mut places = Vec::new();
    let mut push = |file: PathBuf, source| {
        let whole = file.canonicalize().unwrap_or_else(|_| file.clone());
        let inside = whole.strip_prefix(root).ok().and_then(Path::to_str).map(str::to_owned);
        places.push(PolicyPlace { file, source, inside, root: root.to_owned() });
    };
    let admin = PathBuf::from(ADMIN_POLICY);
    if admin.exists() {
        push(admin, Source::Admin);
    }
    match named {
        Some(file) => push(file.to_owned(), Source::User),
        None => {
            if let Some(file) = usual().filter(|file| file.exists()) {
                push(file, Source::User);
            }
        }
    }
    let project = root.join(PROJECT_POLICY);
    if fs::symlink_metadata(&project).is_ok() {
        push(project, Source::Project);
    }
    places
}

/// The folder of the machine's own settings.
pub(crate) fn admin_folder() -> Option<PathBuf> {
    Path::new(ADMIN_POLICY).parent().map(Path::to_path_buf)
}

/// The built-in policy with every file that is there. Rules that name a link in the workspace are about what it leads to.
///
/// A file of the machine or the user that cannot be taken stops the start: its author is there to mend it. A project's
/// file may have been written by a stranger: it is left out, said, and everything is asked (SECURITY "Load errors").
pub(crate) fn load(root: &Path, named: Option<&Path>) -> anyhow::Result<Policy> {
    let workspace = Workspace::open_for(root, Access::ReadOnly)?;
    let policy = Policy::default().with_link_resolver(move |path| workspace.leads_to(path));
    let mut policy = Own::of(named).rule(policy, root);
    for place in places(root, named) {
        policy = match (add(policy.clone(), &place), place.source) {
            (Ok(with), _) => with,
            (Err(error), Source::Project) => {
                output::note(&format!("warning: {}; everything is asked", complaint::one_line(&error)));
                policy.with_rejected(Source::Project)
            }
            (Err(error), _) => return Err(error),
        };
    }
    for warning in policy.warnings() {
        output::note(&format!("warning: {warning}"));
    }
    Ok(policy)
}

/// A policy with one file more.
pub(crate) fn add(policy: Policy, place: &PolicyPlace) -> anyhow::Result<Policy> {
    let refused = || format!("the policy file {} is refused", place.file.display());
    trust(place).with_context(refused)?;
    let owner = match place.source {
        Source::Project => SettingsOwner::Project { root: &place.root },
        _ => SettingsOwner::User,
    };
    let text = read_settings(&place.file, owner).with_context(refused)?;
    let text = text.context("it is not there").with_context(refused)?;
    let rules: RuleFile = toml::from_str(&text).with_context(refused)?;
    let policy = policy.with_file(place.source, rules).with_context(refused)?;
    // The project's own file may be read where it usually lies, and no call writes below `.windlass`.
    let is_usual = |path: &&String| place.source != Source::Project || path.as_str() != PROJECT_POLICY;
    Ok(match place.inside.as_ref().filter(is_usual) {
        Some(path) => policy.with_own(OwnPlace::Settings, path),
        None => policy,
    })
}

/// Whether nobody else could have written the file. A project's file can only tighten, so it may be anybody's.
fn trust(place: &PolicyPlace) -> anyhow::Result<()> {
    trust_as(&place.file, place.source)
}

/// Whether nobody but the user, or the machine's, could have written a file of the user's.
pub(crate) fn trust_file(file: &Path) -> anyhow::Result<()> {
    trust_as(file, Source::User)
}

fn trust_as(file: &Path, source: Source) -> anyhow::Result<()> {
    let about = fs::metadata(file)?;
    anyhow::ensure!(about.is_file(), "it is no file");
    if source == Source::Project {
        return Ok(());
    }
    let mode = about.permissions().mode();
    anyhow::ensure!(mode & 0o002 == 0, "everybody can write it; take that right away with chmod go-w");
    // A private group is not told from one with other members: who is in a group can change at any time.
    anyhow::ensure!(mode & 0o020 == 0, "its group can write it; take that right away with chmod g-w");
    let owner = about.uid();
    let is_own = source == Source::User && owner == rustix::process::getuid().as_raw();
    anyhow::ensure!(owner == 0 || is_own, "it belongs to somebody else (user {owner})");
    Ok(())
}

/// The user's usual policy file.
fn usual() -> Option<PathBuf> {
    Some(settings()?.join("policy.toml"))
}

/// The user's folder for settings: `WINDLASS_CONFIG_DIR`, else the one of windlass among the user's.
pub(crate) fn settings() -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    named("WINDLASS_CONFIG_DIR")
        .or_else(|| named("XDG_CONFIG_HOME").map(|folder| folder.join("windlass")))
        .or_else(|| named("HOME").map(|home| home.join(".config/windlass")))
}
