//! Classification of paths: inside the workspace, outside, secret, or protected.

use windlass_command::{PROJECT_NAMES, is_protected_path, is_secret_name};

/// Class of an effect's path, derived from its text alone. Files are resolved again when the call runs (RULES
/// H5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Inside,
    Outside,
    Protected,
    Secret,
}

/// Longest path that an operating system accepts, in bytes.
pub(crate) const LONGEST_PATH: usize = 4096;

/// Device names that some systems reserve in every folder and with every ending.
const RESERVED: &[&str] = &["con", "prn", "aux", "nul", "conin$", "conout$"];

impl Place {
    pub(crate) fn parse(path: &str) -> Self {
        // A path of such a length cannot exist, so its names need not be examined.
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

/// Returns whether a path leads into this program's own rules and records, in any folder.
pub(crate) fn is_own(path: &str) -> bool {
    // Only a name with one of these characters can fold to `.windlass`. Most names end here.
    let may_be =
        |component: &str| component.starts_with('.') || component.contains('~') || !component.is_ascii();
    components(path)
        .filter(|component| may_be(component))
        .any(|component| fold(component) == ".windlass" || is_short_name_of(component, ".windlass"))
}

/// Removes `a/../` and `./`, so that a glob is compared with the path that is really accessed.
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

/// Returns a path as the most lenient file system compares it.
pub(crate) fn canonical(path: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    for component in components(path) {
        if component == ".." {
            names.pop();
        } else {
            names.push(fold(component));
        }
    }
    names.join("/")
}

/// Returns whether a name is a device's on some systems.
pub(crate) fn is_reserved(component: &str) -> bool {
    let first = component.trim_start().chars().next().unwrap_or_default();
    if !matches!(first, 'a' | 'A' | 'c' | 'C' | 'l' | 'L' | 'n' | 'N' | 'p' | 'P') && first.is_ascii() {
        return false;
    }
    let name = fold(component);
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

/// Returns whether a file of this name, together with folders of ordinary names, makes a folder a git
/// repository. On file systems that distinguish case only the exact name does.
fn is_repository_head(name: &str) -> bool {
    let is_folded = cfg!(any(target_os = "macos", windows));
    name == "HEAD" || (is_folded && fold(name) == "head")
}

fn is_short_name_of_protected(name: &str) -> bool {
    PROJECT_NAMES.iter().any(|protected| is_short_name_of(name, protected))
}

/// Returns whether a name is the 8.3 short name of a longer one: its first letters, `~`, a number.
fn is_short_name_of(name: &str, long: &str) -> bool {
    // Few names contain `~`, and folding is expensive.
    if !name.contains('~') {
        return false;
    }
    let name = fold(name);
    let Some((front, number)) = name.split_once('~') else { return false };
    let is_number = number.starts_with(|first: char| first.is_ascii_digit());
    let plain: String = long.chars().filter(char::is_ascii_alphanumeric).collect();
    is_number && front.len() >= 2 && front.len() <= 6 && plain.starts_with(front)
}

/// Returns the components of a path, without empty ones and `.`.
pub(crate) fn components(path: &str) -> impl Iterator<Item = &str> {
    path.split(['/', '\\']).filter(|component| !component.is_empty() && *component != ".")
}

fn is_outside(path: &str) -> bool {
    let drive =
        path.as_bytes().get(1) == Some(&b':') && path.starts_with(|first: char| first.is_ascii_alphabetic());
    if path.starts_with(['/', '\\', '~']) || drive {
        return true;
    }
    // A path that climbs above its start at any point is outside, even if it returns.
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

/// Returns a name as the most lenient file system compares it: in lower case, without trailing dots and
/// spaces, without a stream suffix (SECURITY "Paths").
fn fold(component: &str) -> String {
    let name = component.split(':').next().unwrap_or(component);
    name.trim_end_matches(['.', ' ']).to_lowercase()
}

#[cfg(test)]
mod tests;
