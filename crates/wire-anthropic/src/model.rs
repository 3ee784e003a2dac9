//! The versions in the names of models.

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
