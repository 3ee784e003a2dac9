//! Policy files of the machine, the user and the project, with checks of their owners and permissions.

use std::fs;
use std::path::{Path, PathBuf};

use windlass_hitl::{OwnPlace, Policy, RuleFile, Source};
use windlass_sandbox::{Access, SettingsOwner, Workspace, read_settings};

use super::ProtectedPaths;
use super::owner::check_source_owner;
use crate::app::App;
use crate::config::{ADMIN_FOLDER, ToolSelection};
use crate::error::{Context as _, Result, one_line};
use crate::providers::add_reachable;

/// Name of a policy file, in the folders of settings of the machine and of the user.
const POLICY: &str = "policy.toml";
/// The project's policy file, relative to its root. It can only tighten the policy.
const PROJECT_POLICY: &str = ".windlass/policy.toml";

/// An existing policy file with its source.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PolicyFile {
    /// Path of the file.
    pub file: PathBuf,
    /// The file's source: machine, user or project.
    pub source: Source,
    /// Path of the file in the workspace, or `None` if it is outside.
    inside: Option<String>,
    /// Root folder of the workspace.
    root: PathBuf,
}

/// Returns the existing policy files of a workspace in this order: the machine's, then `named` or the user's
/// default file, then the project's.
pub fn list_policy_files(app: &App, root: &Path, named: Option<&Path>) -> Vec<PolicyFile> {
    let mut places = Vec::new();
    let mut push = |file: PathBuf, source| {
        let whole = file.canonicalize().unwrap_or_else(|_| file.clone());
        let inside = whole.strip_prefix(root).ok().and_then(Path::to_str).map(str::to_owned);
        places.push(PolicyFile { file, source, inside, root: root.to_owned() });
    };
    let admin = Path::new(ADMIN_FOLDER).join(POLICY);
    if admin.exists() {
        push(admin, Source::Admin);
    }
    match named {
        Some(file) => push(file.to_owned(), Source::User),
        None => {
            if let Some(file) = app.settings_file(POLICY).filter(|file| file.exists()) {
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

/// Returns the built-in policy combined with all existing policy files. Rules that name a link in the
/// workspace apply to the link's target.
///
/// # Errors
///
/// Fails if a file of the machine or of the user is invalid: its author can correct it. An invalid file of
/// the project, which a stranger may have written, is skipped with a warning, and policy then asks before
/// every call (SECURITY "Load errors").
pub fn load_policy(app: &App, root: &Path, named: Option<&Path>) -> Result<Policy> {
    let workspace = Workspace::open_for(root, Access::ReadOnly)?;
    let policy = Policy::default().with_link_resolver(move |path| workspace.leads_to(path));
    let mut policy = ProtectedPaths::new(app, named).add_rules(policy, root);
    for place in list_policy_files(app, root, named) {
        policy = match (add_policy_file(policy.clone(), &place), place.source) {
            (Ok(with), _) => with,
            (Err(error), Source::Project) => {
                app.warn(format!("{}; every call needs approval", one_line(&error)));
                policy.with_rejected(Source::Project)
            }
            (Err(error), _) => return Err(error),
        };
    }
    for warning in policy.warnings() {
        app.warn(warning.as_str());
    }
    Ok(policy)
}

/// Maximum length of a policy file, in bytes. Parsing takes about a hundred times that memory.
const MAX_POLICY_BYTES: usize = 256 * 1024;
/// Loads the policy of a workspace for tools that may use the selected endpoint for embeddings.
///
/// # Errors
///
/// Fails like [`load_policy`], and if the endpoint's address is invalid.
pub fn load_tool_policy(
    app: &App,
    root: &Path,
    named: Option<&Path>,
    selection: &ToolSelection,
) -> Result<Policy> {
    add_reachable(&selection.embeddings, load_policy(app, root, named)?)
}

/// Adds one file to a policy.
///
/// # Errors
///
/// Fails if the file is invalid, or if users other than its owner can write to it.
pub fn add_policy_file(policy: Policy, place: &PolicyFile) -> Result<Policy> {
    let refused = || format!("the policy file {} is refused", place.file.display());
    check_source_owner(&place.file, place.source).with_context(refused)?;
    let owner = match place.source {
        Source::Project => SettingsOwner::Project { root: &place.root },
        _ => SettingsOwner::User,
    };
    let text = read_settings(&place.file, owner).with_context(refused)?;
    let text = text.context("it does not exist").with_context(refused)?;
    if text.len() > MAX_POLICY_BYTES {
        let too_long = format!("it has {} bytes, at most {MAX_POLICY_BYTES} are allowed", text.len());
        return None::<Policy>.context(too_long).with_context(refused);
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
