//! Policy files of the machine, the user and the project, with checks of their owners and permissions.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use windlass_hitl::{OwnPlace, Policy, RuleFile, Source};
use windlass_sandbox::{Access, SettingsOwner, Workspace, read_settings};

use crate::own::Own;
use crate::{complaint, output};

/// Policy file of the machine's administrator.
const ADMIN_POLICY: &str = "/etc/windlass/policy.toml";
/// The project's policy file, relative to its root. It can only tighten the policy.
const PROJECT_POLICY: &str = ".windlass/policy.toml";

/// An existing policy file with its source.
pub(crate) struct PolicyPlace {
    pub(crate) file: PathBuf,
    pub(crate) source: Source,
    /// Path of the file in the workspace, or `None` if it is outside.
    inside: Option<String>,
    /// Root folder of the workspace.
    root: PathBuf,
}

/// Returns the existing policy files of a workspace in this order: the machine's, then `named` or the user's
/// default file, then the project's.
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

/// Returns the folder of the machine's settings.
pub(crate) fn admin_folder() -> Option<PathBuf> {
    Path::new(ADMIN_POLICY).parent().map(Path::to_path_buf)
}

/// Returns the built-in policy combined with all existing policy files. Rules that name a link in the
/// workspace apply to the link's target.
///
/// # Errors
///
/// Fails if a file of the machine or of the user is invalid: its author can correct it. An invalid file of
/// the project, which a stranger may have written, is skipped with a warning, and policy then asks before
/// every call (SECURITY "Load errors").
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

/// Maximum length of a policy file, in bytes. Parsing takes about a hundred times that memory.
const MAX_POLICY_BYTES: usize = 256 * 1024;

/// Adds one file to a policy.
pub(crate) fn add(policy: Policy, place: &PolicyPlace) -> anyhow::Result<Policy> {
    let refused = || format!("the policy file {} is refused", place.file.display());
    trust(place).with_context(refused)?;
    let owner = match place.source {
        Source::Project => SettingsOwner::Project { root: &place.root },
        _ => SettingsOwner::User,
    };
    let text = read_settings(&place.file, owner).with_context(refused)?;
    let text = text.context("it is not there").with_context(refused)?;
    if text.len() > MAX_POLICY_BYTES {
        let too_long = format!("it has {} bytes, at most {MAX_POLICY_BYTES} are taken", text.len());
        return Err(anyhow::Error::msg(too_long)).with_context(refused);
    }
    let rules: RuleFile = toml::from_str(&text).with_context(refused)?;
    let policy = policy.with_file(place.source, rules).with_context(refused)?;
    // Calls may read the project's own file at its usual path, and no call may write below `.windlass`.
    let is_usual = |path: &&String| place.source != Source::Project || path.as_str() != PROJECT_POLICY;
    Ok(match place.inside.as_ref().filter(is_usual) {
        Some(path) => policy.with_own(OwnPlace::Settings, path),
        None => policy,
    })
}

/// Checks that only trusted users can write the file. A project's file can only tighten, so anyone may have
/// written it.
fn trust(place: &PolicyPlace) -> anyhow::Result<()> {
    trust_as(&place.file, place.source)
}

/// Checks that only the user or root can write a file of the user's settings.
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
    // Group membership can change at any time, so a user's private group is not an exception.
    anyhow::ensure!(mode & 0o020 == 0, "its group can write it; take that right away with chmod g-w");
    let owner = about.uid();
    let is_own = source == Source::User && owner == rustix::process::getuid().as_raw();
    anyhow::ensure!(owner == 0 || is_own, "it belongs to somebody else (user {owner})");
    Ok(())
}

/// Returns the path of the user's default policy file.
fn usual() -> Option<PathBuf> {
    Some(settings()?.join("policy.toml"))
}

/// Returns the user's folder of settings: `WINDLASS_CONFIG_DIR`, else `windlass` in `XDG_CONFIG_HOME`, else
/// `.config/windlass` in `HOME`.
pub(crate) fn settings() -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    named("WINDLASS_CONFIG_DIR")
        .or_else(|| named("XDG_CONFIG_HOME").map(|folder| folder.join("windlass")))
        .or_else(|| named("HOME").map(|home| home.join(".config/windlass")))
}
