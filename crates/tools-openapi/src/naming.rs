//! Names of tools.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};
use windlass_protocol::ToolName;

use crate::document::Entry;

/// Maximum length of a name: the most that every provider accepts.
const MAX_NAME: usize = 64;
/// Number of hexadecimal digits that make a name unique.
const DIGITS: usize = 8;

/// The names of tools so far.
#[derive(Debug, Default)]
pub(crate) struct ToolNames {
    loose: BTreeSet<String>,
}

impl ToolNames {
    /// Returns the name of an operation's tool: the prefix, then the `operationId`, or the method and the path.
    ///
    /// If the name is taken or too long, it ends in a digest of the method and the path, so it does not depend on
    /// which other operations are selected before it.
    pub(crate) fn add(&mut self, prefix: &str, entry: &Entry<'_>) -> String {
        let whole = match entry.id().map(words).filter(|id| !id.is_empty()) {
            Some(id) => id,
            None => format!("{}_{}", entry.method.key(), words(entry.path)),
        };
        let whole = if prefix.is_empty() { whole } else { format!("{prefix}_{whole}") };
        let whole = whole.trim_end_matches('_');
        if whole.len() <= MAX_NAME && self.loose.insert(ToolName::loose_form(whole)) {
            return whole.to_owned();
        }
        let mut salt = format!("{} {}", entry.method, entry.path);
        loop {
            let digest = digest(&salt);
            let room = MAX_NAME.saturating_sub(DIGITS).saturating_sub(1);
            let name = format!("{}_{digest}", whole.get(..whole.len().min(room)).unwrap_or_default());
            if self.loose.insert(ToolName::loose_form(&name)) {
                return name;
            }
            salt.push('+');
        }
    }
}

/// Replaces runs of other characters than ASCII letters, digits, `_` and `-` by one `_`.
pub(crate) fn words(text: &str) -> String {
    let mut name = String::new();
    for character in text.chars().take(MAX_NAME.saturating_mul(4)) {
        if character.is_ascii_alphanumeric() || character == '-' {
            name.push(character);
        } else if !name.ends_with('_') {
            name.push('_');
        }
    }
    name.trim_matches('_').to_owned()
}

fn digest(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(DIGITS / 2).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
