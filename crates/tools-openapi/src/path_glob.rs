//! Globs over paths of a document.

/// Returns whether a path matches a glob: `*` matches inside of a segment, `**` any number of segments. Braces have no
/// meaning of their own, because paths contain them.
pub(crate) fn matches(glob: &str, path: &str) -> bool {
    let globs: Vec<&str> = glob.split('/').collect();
    let segments: Vec<&str> = path.split('/').collect();
    // `reached[n]`: the globs so far match the first n segments.
    let mut reached = vec![false; segments.len().saturating_add(1)];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    for glob in globs {
        let mut next = vec![false; reached.len()];
        for at in 0..reached.len() {
            let is_reached = |list: &[bool], at: usize| list.get(at).copied().unwrap_or(false);
            let before = at.checked_sub(1);
            let fits = if glob == "**" {
                is_reached(&reached, at) || before.is_some_and(|before| is_reached(&next, before))
            } else {
                before.is_some_and(|before| {
                    is_reached(&reached, before)
                        && segments.get(before).is_some_and(|segment| fits_segment(glob, segment))
                })
            };
            if let Some(place) = next.get_mut(at) {
                *place = fits;
            }
        }
        reached = next;
    }
    reached.last().copied().unwrap_or(false)
}

/// Matches one segment: the parts between stars must occur in order.
fn fits_segment(glob: &str, segment: &str) -> bool {
    let mut parts = glob.split('*');
    let Some(mut rest) = parts.next().and_then(|first| segment.strip_prefix(first)) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_match_within_a_segment_and_double_stars_any_number() {
        for (glob, path, expected) in [
            ("/pets", "/pets", true),
            ("/pets", "/pets/{id}", false),
            ("/pets/*", "/pets/{id}", true),
            ("/pets/*", "/pets/{id}/toys", false),
            ("/pets/**", "/pets", true),
            ("/pets/**", "/pets/{id}/toys", true),
            ("/**/toys", "/pets/{id}/toys", true),
            ("/p*s/{id}", "/pets/{id}", true),
            ("/p*t*x", "/pets", false),
            ("**", "/anything/at/all", true),
        ] {
            assert_eq!(matches(glob, path), expected, "{glob} and {path}");
        }
    }

    #[test]
    fn many_stars_take_polynomial_time() {
        assert!(!matches(&"/**".repeat(500), &format!("x{}", "/a".repeat(500))));
    }
}
