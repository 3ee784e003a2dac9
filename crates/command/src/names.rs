//! Names that decide what runs later, and names of secrets: one list for policy, confinement and scan.

mod kinds;

pub use self::kinds::ProtectedKind;

/// Names in a project that decide what runs later, or what an agent may do: version control, editors, agents,
/// package managers.
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

/// Names in a home folder that do: shell start-up, keys, tools that run for the user.
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

/// Names that steer agents, or what a server runs of a project. They are protected where they are; a confined command
/// may make them where they are not, because no empty folder of such a name is to stand in the workspace meanwhile.
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
/// Data, not source: `credentials.rs` is a part of a program.
const DATA_ENDS: [&str; 10] =
    [".json", ".toml", ".yaml", ".yml", ".ini", ".xml", ".csv", ".txt", ".properties", ".db"];
/// What such a name ends with where there is no secret in the file: a template, or the public half.
const HARMLESS_ENDS: [&str; 6] = [".example", ".sample", ".template", ".dist", ".defaults", ".pub"];

/// Whether a name on a path decides what runs later, in any spelling that some file system takes for it.
///
/// ```
/// use windlass_command::is_protected_name;
/// assert!(is_protected_name(".git") && is_protected_name(".GIT. "));
/// assert!(!is_protected_name(".gitignore"));
/// ```
pub fn is_protected_name(name: &str) -> bool {
    let name = folded(name);
    PROJECT_NAMES.contains(&name.as_str())
        || HOME_NAMES.contains(&name.as_str())
        || STEERING_NAMES.contains(&name.as_str())
        // The short names that Windows gives to `.git` and its like.
        || name.strip_suffix("~1").is_some_and(|stem| ["git", "hg", "svn"].contains(&stem))
        || kinds::of(&name).is_some()
}

/// Returns the kind of program that runs what a configuration of this name says, in any spelling of the name; `None`
/// where the name is not known, or is protected for another reason.
///
/// ```
/// use windlass_command::{ProtectedKind, protected_kind};
/// assert_eq!(protected_kind(".Travis.yml"), Some(ProtectedKind::Pipeline));
/// assert_eq!(protected_kind("main.rs"), None);
/// ```
pub fn protected_kind(name: &str) -> Option<ProtectedKind> {
    kinds::of(&folded(name))
}

/// Whether a path has a name that decides what runs later: by itself, or in the folder of another name.
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
            // Only below a hidden folder is the place of a name looked at.
            folder.contains('.') && kinds::of_pair(&folded(folder), &folded(name)).is_some()
        });
        folder = Some(name);
        is_pair || is_protected_name(name)
    })
}

/// Whether a name on a path is that of a secret, or of a folder of them.
///
/// ```
/// use windlass_command::is_secret_name;
/// assert!(is_secret_name(".env.local") && is_secret_name("server.PEM"));
/// assert!(!is_secret_name(".env.example") && !is_secret_name("credentials.rs"));
/// ```
///
/// A colon parts a name from a stream of it on one system, and a revision from a path where git reads it: what stands on
/// either side counts.
pub fn is_secret_name(name: &str) -> bool {
    name.split(':').any(is_secret_part)
}

fn is_secret_part(name: &str) -> bool {
    let name = folded(name);
    if HARMLESS_ENDS.iter().any(|end| name.ends_with(end)) {
        return false;
    }
    let stem = name.strip_prefix("credentials").or_else(|| name.strip_prefix("secrets"));
    SECRET_NAMES.contains(&name.as_str())
        || SECRET_STARTS.iter().any(|start| name.starts_with(start))
        || SECRET_ENDS.iter().any(|end| name.ends_with(end))
        || stem.is_some_and(|rest| DATA_ENDS.iter().any(|end| rest.ends_with(end)))
}

/// A name as the most forgiving file system would compare it: without case, characters that have no width,
/// trailing dots and spaces, and a stream's suffix (SECURITY "Paths").
fn folded(name: &str) -> String {
    let name = name.split(':').next().unwrap_or(name);
    if name.is_ascii() {
        return name.trim_end_matches(['.', ' ']).to_ascii_lowercase();
    }
    let shown = |char: &char| !matches!(char, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    let name: String = name.chars().filter(shown).collect();
    // Upper case first: some letters have the same upper case as an ASCII letter, but another lower case.
    name.trim_end_matches(['.', ' ']).to_uppercase().to_lowercase()
}

#[cfg(test)]
mod tests;
