//! Patterns of model names.

/// Returns true if a name matches a pattern in which `*` matches any characters. The number of
/// steps is at most the product of both lengths.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    let same = |a: u8, b: u8| a.eq_ignore_ascii_case(&b);
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut at, mut seen) = (0, 0);
    // Position of the last star, and the end of the text that it has matched.
    let mut star: Option<(usize, usize)> = None;
    while let Some(byte) = name.get(seen) {
        match (pattern.get(at), star) {
            (Some(b'*'), _) => {
                star = Some((at, seen));
                at = at.saturating_add(1);
            }
            (Some(wanted), _) if same(*wanted, *byte) => {
                at = at.saturating_add(1);
                seen = seen.saturating_add(1);
            }
            (_, Some((place, taken))) => {
                let taken = taken.saturating_add(1);
                star = Some((place, taken));
                (at, seen) = (place.saturating_add(1), taken);
            }
            (_, None) => return false,
        }
    }
    pattern.get(at..).is_some_and(|rest| rest.iter().all(|byte| *byte == b'*'))
}
