//! Where a path lies: inside, outside, among secrets, or among what protects everything else.

use windlass_command::{PROJECT_NAMES, is_protected_path, is_secret_name};

/// Where an effect's path lies. Judged from its text; files are resolved again when the call runs (RULES H5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Inside,
    Outside,
    Protected,
    Secret,
}

/// The longest path that a system takes, in bytes.
pub(crate) const LONGEST_PATH: usize = 4096;

/// Names of devices, which some systems know in every folder and with every ending.
const RESERVED: &[&str] = &["con", "prn", "aux", "nul", "conin$", "conout$"];

impl Place {
    pub(crate) fn of(path: &str) -> Self {
        // No system has a path of such a length, so it lies nowhere, and nobody looks at each of its names.
        if path.len() > LONGEST_PATH || is_outside(path) {
            return Self::Outside;
        }
        if is_protected_path(components(path)) || components(path).any(is_short_name_of_protected) {
            return Self::Protected;
        }
        if components(path).last().is_some_and(is_repository_head) {
            return Self::Protected;
        }
        if components(path).any(is_secret_name) { Self::Secret } else { Self::Inside }
    }
}

/// Whether a path leads into this program's own rules and records, wherever they lie.
pub(crate) fn is_own(path: &str) -> bool {
    // Only a name with one of these can be folded to it; nearly every name is done with here.
    let may_be =
        |component: &str| component.starts_with('.') || component.contains('~') || !component.is_ascii();
    components(path)
        .filter(|component| may_be(component))
        .any(|component| folded(component) == ".windlass" || is_short_name_of(component, ".windlass"))
}

/// The path with `a/../` and `./` taken out, so that a glob sees what would be touched.
pub(crate) fn normal(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for component in components(path) {
        if component == ".." && names.last().is_some_and(|last| *last != "..") {
            names.pop();
        } else {
            names.push(component);
        }
    }
    let joined = names.join("/");
    if path.starts_with('/') { format!("/{joined}") } else { joined }
}

/// A path as the most forgiving file system would compare it.
pub(crate) fn canonical(path: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    for component in components(path) {
        if component == ".." {
            names.pop();
        } else {
            names.push(folded(component));
        }
    }
    names.join("/")
}

/// Whether a name is a device's on some systems.
pub(crate) fn is_reserved(component: &str) -> bool {
    let first = component.trim_start().chars().next().unwrap_or_default();
    if !matches!(first, 'a' | 'A' | 'c' | 'C' | 'l' | 'L' | 'n' | 'N' | 'p' | 'P') && first.is_ascii() {
        return false;
    }
    let name = folded(component);
    let stem = name.split('.').next().unwrap_or_default().trim_end_matches(' ');
    let is_port = |word: &str| {
        stem.strip_prefix(word).is_some_and(|rest| {
            matches!(
                rest,
                "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "\u{b9}" | "\u{b2}" | "\u{b3}"
            )
        })
    };
    RESERVED.contains(&stem) || is_port("com") || is_port("lpt")
}

/// Whether a file of this name makes a folder a git repository, together with folders whose names are ordinary. Only the
/// exact name does where names are told apart by case.
fn is_repository_head(name: &str) -> bool {
    let is_folded = cfg!(any(target_os = "macos", windows));
    name == "HEAD" || (is_folded && folded(name) == "head")
}

fn is_short_name_of_protected(name: &str) -> bool {
    PROJECT_NAMES.iter().any(|protected| is_short_name_of(name, protected))
}

/// Whether a name is how an old file system shortens another: its first letters, `~`, a number.
fn is_short_name_of(name: &str, long: &str) -> bool {
    // Nearly no name has one, and folding costs more than looking.
    if !name.contains('~') {
        return false;
    }
    let name = folded(name);
    let Some((front, number)) = name.split_once('~') else { return false };
    let is_number = number.starts_with(|first: char| first.is_ascii_digit());
    let plain: String = long.chars().filter(char::is_ascii_alphanumeric).collect();
    is_number && front.len() >= 2 && front.len() <= 6 && plain.starts_with(front)
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
