//! Conversion of registered names to display names that every provider accepts.

use std::collections::{BTreeMap, BTreeSet};

use windlass_protocol::ToolName;

use crate::identity::hex;

/// The maximum length of a display name: OpenAI, Anthropic and Gemini all document 64.
const LONGEST: usize = 64;
/// The initial and the maximum number of hexadecimal digits of a hash.
const DIGITS: usize = 8;
const MOST_DIGITS: usize = 40;

/// Returns a display name for each registered name, in the same order: legal with every provider and unique.
///
/// Legal names do not change; in other names each unsupported character becomes `_`. A hash is appended to
/// names that are too long and to all names that would be equal, so that the result does not depend on the
/// order of registration.
pub(crate) fn display_names(names: &[&ToolName]) -> Vec<ToolName> {
    display_names_avoiding(names, &|_| false)
}

/// Like `shown_names`, but avoids names that are already taken.
pub(crate) fn display_names_avoiding(names: &[&ToolName], is_taken: &dyn Fn(&str) -> bool) -> Vec<ToolName> {
    let plain: Vec<String> = names.iter().map(|name| plain(name.as_str())).collect();
    let mut hashed: BTreeSet<usize> =
        (0..plain.len()).filter(|at| plain.get(*at).is_some_and(|name| name.len() > LONGEST)).collect();
    let mut digits = DIGITS;
    loop {
        let shown: Vec<String> =
            names
                .iter()
                .zip(&plain)
                .enumerate()
                .map(|(at, (name, plain))| {
                    if hashed.contains(&at) { with_hash(plain, name.as_str(), digits) } else { plain.clone() }
                })
                .collect();
        let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, name) in shown.iter().enumerate() {
            groups.entry(name).or_default().push(at);
        }
        let colliding: BTreeSet<usize> = groups
            .into_iter()
            .filter(|(name, group)| group.len() > 1 || is_taken(name))
            .flat_map(|(_, group)| group)
            .collect();
        if colliding.is_empty() || digits > MOST_DIGITS {
            return shown.into_iter().map(to_tool_name).collect();
        }
        if colliding.is_subset(&hashed) {
            digits = digits.saturating_add(DIGITS);
        }
        hashed.extend(colliding);
    }
}

/// Returns whether every provider accepts the name unchanged.
pub(crate) fn is_legal(name: &str) -> bool {
    name.len() <= LONGEST && plain(name) == name
}

/// Replaces each character that some provider rejects with `_`. Gemini requires a letter or `_` as first
/// character.
fn plain(name: &str) -> String {
    let legal = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let mut plain: String = name.chars().map(legal).collect();
    if !plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        plain.insert(0, '_');
    }
    plain
}

fn with_hash(plain: &str, name: &str, digits: usize) -> String {
    let hash = hex(name);
    let hash = hash.get(..digits).unwrap_or(&hash);
    let room = LONGEST.saturating_sub(hash.len()).saturating_sub(1);
    let head = plain.get(..room.min(plain.len())).unwrap_or_default();
    format!("{head}_{hash}")
}

fn to_tool_name(shown: String) -> ToolName {
    ToolName::new(shown).expect("it is not empty, not long, and has no control character")
}
