//! Protected names, which decide which code runs later, and names of secrets: one list for policy, sandbox
//! and scan.

mod kinds;

pub use self::kinds::ProtectedKind;

/// Protected names in a project: files and folders that decide which code runs later, or which rights an
/// agent has. Examples are those of version control, editors, agents and package managers.
pub const PROJECT_NAMES: [&str; 26] = [
    ".git",
    ".hg",
    ".svn",
    ".jj",
    ".gitmodules",
    ".gitattributes",
    ".gitconfig",
    ".husky",
    ".windlass",
    ".claude",
    ".codex",
    ".cursor",
    ".gemini",
    ".roo",
    ".windsurf",
    ".mcp.json",
    ".vscode",
    ".idea",
    ".zed",
    ".devcontainer",
    ".envrc",
    ".cargo",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
];

/// Protected names in a home folder: shell start-up files, keys, and configuration of tools that run for the
/// user.
pub const HOME_NAMES: [&str; 22] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".kube",
    ".docker",
    ".netrc",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".zlogin",
    ".zlogout",
    ".inputrc",
    ".xprofile",
    ".xinitrc",
    ".pam_environment",
    "authorized_keys",
    "crontab",
];

/// Names that configure agents, or that a server executes for a project. Existing files and folders of these
/// names are protected. A confined command may create a missing one, because the sandbox would otherwise have
/// to put an empty placeholder of that name into the workspace for the time of the command.
pub const STEERING_NAMES: [&str; 22] = [
    ".github",
    ".gitlab-ci.yml",
    ".circleci",
    ".pre-commit-config.yaml",
    ".githooks",
    ".direnv",
    ".continue",
    ".continuerc.json",
    ".amazonq",
    ".aider.conf.yml",
    ".augment",
    ".clinerules",
    ".cursorrules",
    ".windsurfrules",
    ".roorules",
    ".roomodes",
    ".goosehints",
    "agents.md",
    "claude.md",
    "gemini.md",
    "conventions.md",
    "jenkinsfile",
];

const SECRET_NAMES: [&str; 24] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".kube",
    ".docker",
    ".env",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".pypirc",
    ".htpasswd",
    ".dockercfg",
    ".git-credentials",
    ".vault-token",
    "credentials",
    "client_secret.json",
    ".npmrc",
    ".envrc",
    ".my.cnf",
    ".mylogin.cnf",
    ".s3cfg",
    ".boto",
    ".terraformrc",
    "opasswd",
];
const SECRET_STARTS: [&str; 7] = [".env.", ".env-", ".env_", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];
const SECRET_ENDS: [&str; 9] =
    [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".secret"];
/// Endings of data files. They separate `credentials.json` from `credentials.rs`, which is source code.
const DATA_ENDS: [&str; 10] =
    [".json", ".toml", ".yaml", ".yml", ".ini", ".xml", ".csv", ".txt", ".properties", ".db"];
/// Endings of files without a secret, although the rest of the name is that of a secret: a template, or a
/// public key.
const HARMLESS_ENDS: [&str; 6] = [".example", ".sample", ".template", ".dist", ".defaults", ".pub"];

/// Returns whether a name in a path is protected, which means that it decides which code runs later.
/// Recognises every spelling that some file system treats as this name.
///
/// ```
/// use windlass_command::is_protected_name;
/// assert!(is_protected_name(".git") && is_protected_name(".GIT. "));
/// assert!(!is_protected_name(".gitignore"));
/// ```
pub fn is_protected_name(name: &str) -> bool {
    let name = fold(name);
    PROJECT_NAMES.contains(&name.as_str())
        || HOME_NAMES.contains(&name.as_str())
        || STEERING_NAMES.contains(&name.as_str())
        // The 8.3 short names that Windows gives to `.git`, `.hg` and `.svn`.
        || name.strip_suffix("~1").is_some_and(|stem| ["git", "hg", "svn"].contains(&stem))
        || kinds::find_kind(&name).is_some()
}

/// Returns the kind of program that executes the configuration of this name, in any spelling of the name.
/// Returns `None` for a name that is unknown, or that is protected for another reason.
///
/// ```
/// use windlass_command::{ProtectedKind, find_protected_kind};
/// assert_eq!(find_protected_kind(".Travis.yml"), Some(ProtectedKind::Pipeline));
/// assert_eq!(find_protected_kind("main.rs"), None);
/// ```
pub fn find_protected_kind(name: &str) -> Option<ProtectedKind> {
    kinds::find_kind(&fold(name))
}

/// Returns whether a path contains a protected name, or a name that is protected inside the folder before it.
///
/// ```
/// use windlass_command::is_protected_path;
/// assert!(is_protected_path(["src", ".git", "config"]) && is_protected_path([".yarn", "releases", "yarn.cjs"]));
/// assert!(!is_protected_path([".yarn", "cache", "a.zip"]));
/// ```
pub fn is_protected_path<'a>(names: impl IntoIterator<Item = &'a str>) -> bool {
    let mut folder: Option<&str> = None;
    names.into_iter().any(|name| {
        let is_pair = folder.is_some_and(|folder| {
            // Names are protected by their folder only below a hidden folder, so other folders skip the
            // lookup.
            folder.contains('.') && kinds::find_kind_in_folder(&fold(folder), &fold(name)).is_some()
        });
        folder = Some(name);
        is_pair || is_protected_name(name)
    })
}

/// Returns whether a name in a path is that of a secret, or of a folder with secrets.
///
/// ```
/// use windlass_command::is_secret_name;
/// assert!(is_secret_name(".env.local") && is_secret_name("server.PEM"));
/// assert!(!is_secret_name(".env.example") && !is_secret_name("credentials.rs"));
/// ```
///
/// A colon separates a file from an alternate data stream on NTFS, and a revision from a path in git, so each
/// part between colons is checked.
pub fn is_secret_name(name: &str) -> bool {
    name.split(':').any(is_secret_part)
}

fn is_secret_part(name: &str) -> bool {
    let name = fold(name);
    if HARMLESS_ENDS.iter().any(|end| name.ends_with(end)) {
        return false;
    }
    let stem = name.strip_prefix("credentials").or_else(|| name.strip_prefix("secrets"));
    SECRET_NAMES.contains(&name.as_str())
        || SECRET_STARTS.iter().any(|start| name.starts_with(start))
        || SECRET_ENDS.iter().any(|end| name.ends_with(end))
        || stem.is_some_and(|rest| DATA_ENDS.iter().any(|end| rest.ends_with(end)))
}

/// Returns a name as the most tolerant file system would compare it: without case, invisible characters,
/// trailing dots and spaces, and the suffix of an alternate data stream (SECURITY "Paths").
fn fold(name: &str) -> String {
    let name = name.split(':').next().unwrap_or(name);
    if name.is_ascii() {
        return name.trim_end_matches(['.', ' ']).to_ascii_lowercase();
    }
    let shown = |char: &char| !matches!(char, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    let name: String = name.chars().filter(shown).collect();
    // Upper case comes first: some letters share the upper case of an ASCII letter, but not its lower case.
    name.trim_end_matches(['.', ' ']).to_uppercase().to_lowercase()
}

#[cfg(test)]
mod tests;
