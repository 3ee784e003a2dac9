//! Counts with their nouns.

/// Returns a count with its noun in the singular or the plural. The last word of the noun takes the plural.
///
/// ```
/// use windlass_text::count_noun;
/// assert_eq!(count_noun(1, "file"), "1 file");
/// assert_eq!(count_noun(2, "matching line"), "2 matching lines");
/// assert_eq!(count_noun(0, "match"), "0 matches");
/// assert_eq!(count_noun(3, "entry"), "3 entries");
/// ```
pub fn count_noun(count: impl TryInto<u64>, noun: &str) -> String {
    // A count that exceeds 64 bits is only known not to be 1.
    let count = count.try_into().unwrap_or(u64::MAX);
    let stem = noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u']));
    match stem {
        _ if count == 1 => format!("1 {noun}"),
        Some(stem) => format!("{count} {stem}ies"),
        None if noun.ends_with(['s', 'x']) || noun.ends_with("ch") || noun.ends_with("sh") => {
            format!("{count} {noun}es")
        }
        None => format!("{count} {noun}s"),
    }
}
