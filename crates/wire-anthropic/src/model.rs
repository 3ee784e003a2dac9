//! The versions in the names of models.

use crate::SystemMessages;

/// Returns the version in the name of a model of Anthropic: the outer `None` for another provider's model, the inner one
/// for a name without a version.
pub(crate) fn claude_version(model: &str) -> Option<Option<(u32, u32)>> {
    let (_, name) = model.split_once("claude")?;
    // Ignore dates and other long numbers.
    let numbers =
        name.split(|symbol: char| !symbol.is_ascii_digit()).filter(|digits| matches!(digits.len(), 1 | 2));
    let mut version = numbers.filter_map(|digits| digits.parse::<u32>().ok());
    let major = version.next();
    Some(major.map(|major| (major, version.next().unwrap_or(0))))
}

/// Returns true if system messages keep their role inside the conversation of this model. "Mid-conversation system
/// messages" came with Opus 4.8; other models answer "role 'system' is not supported on this model".
pub(crate) fn takes_system_messages(role: SystemMessages, model: &str) -> bool {
    match role {
        SystemMessages::InPlace => true,
        SystemMessages::AsUser => false,
        SystemMessages::ByModel => {
            let version = claude_version(model).flatten();
            model.starts_with("claude-opus-") && version.is_some_and(|version| version >= (4, 8))
        }
    }
}
