//! The versions in the names of models.

/// The version of a name without a version, such as `claude-latest`: the newest.
const NEWEST: (u32, u32) = (u32::MAX, 0);

/// Returns the version in the name of a model of Anthropic, and `None` for another provider's model.
pub(crate) fn claude_version(model: &str) -> Option<(u32, u32)> {
    let (_, name) = model.split_once("claude")?;
    // Ignore dates and other long numbers.
    let numbers =
        name.split(|symbol: char| !symbol.is_ascii_digit()).filter(|digits| matches!(digits.len(), 1 | 2));
    let mut version = numbers.filter_map(|digits| digits.parse::<u32>().ok());
    Some(version.next().map_or(NEWEST, |major| (major, version.next().unwrap_or(0))))
}

/// Returns true if the model belongs to one of the families, at least in the version beside it.
pub(crate) fn is_since(model: &str, families: &[(&str, (u32, u32))]) -> bool {
    families.iter().any(|(family, since)| {
        let name = model.strip_prefix("claude-").and_then(|name| name.strip_prefix(family));
        name.is_some_and(|name| name.starts_with('-'))
            && claude_version(model).is_some_and(|version| version >= *since)
    })
}
