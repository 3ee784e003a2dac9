//! Where a path lies: inside, outside, among secrets, or among what protects everything else.

/// Where an effect's path lies. Judged from its text; files are resolved again when the call runs (RULES H5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Inside,
    Outside,
    Protected,
    Secret,
}

/// Folders and files that decide what runs later: version control, this program's own state, shell start-up.
const PROTECTED: &[&str] = &[
    ".git",
    ".hg",
    ".svn",
    ".windlass",
    ".ssh",
    ".gnupg",
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".gitconfig",
    ".gitmodules",
    ".envrc",
    ".vscode",
    ".idea",
    ".cargo",
    ".npmrc",
];

const SECRET_ENDS: &[&str] = &[".pem", ".key", ".p12", ".pfx", ".keystore", ".kdbx"];
const SECRET_STARTS: &[&str] =
    &[".env", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".netrc", ".pgpass", "credentials"];

impl Place {
    pub(crate) fn of(path: &str) -> Self {
        if is_outside(path) {
            return Self::Outside;
        }
        let mut secret = false;
        for component in components(path) {
            let name = folded(component);
            if PROTECTED.contains(&name.as_str()) {
                return Self::Protected;
            }
            secret |= SECRET_ENDS.iter().any(|end| name.ends_with(end))
                || SECRET_STARTS.iter().any(|start| name.starts_with(start));
        }
        if secret { Self::Secret } else { Self::Inside }
    }
}

/// The names on the way, without empty ones and `.`.
pub(crate) fn components(path: &str) -> impl Iterator<Item = &str> {
    path.split(['/', '\\']).filter(|component| !component.is_empty() && *component != ".")
}

fn is_outside(path: &str) -> bool {
    let drive =
        path.as_bytes().get(1) == Some(&b':') && path.starts_with(|first: char| first.is_ascii_alphabetic());
    if path.starts_with(['/', '\\', '~']) || drive {
        return true;
    }
    // A path that climbs above its start at any point, even if it comes back.
    let mut depth = 0_usize;
    for component in components(path) {
        if component != ".." {
            depth = depth.saturating_add(1);
        } else if let Some(up) = depth.checked_sub(1) {
            depth = up;
        } else {
            return true;
        }
    }
    false
}

/// A name as the most forgiving file system would compare it: lower case, no trailing dots and spaces, no
/// stream suffix (SECURITY "Paths").
fn folded(component: &str) -> String {
    let name = component.split(':').next().unwrap_or(component);
    name.trim_end_matches(['.', ' ']).to_lowercase()
}

#[cfg(test)]
mod tests;
