//! Literal prefixes of globs: the paths before the first wildcard.

use std::collections::BTreeSet;

use crate::place::components;

/// Maximum number of alternatives that are expanded. Further ones yield the folder before their brace.
const MAX_ALTERNATIVES: usize = 64;

/// Returns the literal path prefixes of a glob: `src/gen` for `src/gen/**/*.rs`, both folders for `{a,b}/**`.
/// A glob that can begin anywhere, or outside the workspace, has none.
pub(super) fn starts(glob: &str) -> BTreeSet<String> {
    let mut starts = BTreeSet::new();
    let mut open = vec![glob.to_owned()];
    let mut left = MAX_ALTERNATIVES;
    while let Some(text) = open.pop() {
        let Some(at) = text.find(['*', '?', '[', '{', '\\']) else {
            starts.extend(plain(&text));
            continue;
        };
        let (front, behind) = text.split_at(at);
        match alternatives(behind).filter(|(inner, _)| inner.len() <= left) {
            Some((inner, rest)) => {
                left = left.saturating_sub(inner.len());
                open.extend(inner.iter().map(|alternative| format!("{front}{alternative}{rest}")));
            }
            None => starts.extend(front.rsplit_once('/').and_then(|(folder, _)| plain(folder))),
        }
    }
    starts
}

/// Splits `{a,b}rest` into its alternatives and the rest. Returns `None` if the text does not begin with a
/// brace, and for alternatives with escapes or classes, which may hide a brace.
fn alternatives(text: &str) -> Option<(Vec<&str>, &str)> {
    let inner = text.strip_prefix('{')?;
    let (mut depth, mut start, mut found) = (0_usize, 0, Vec::new());
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            b'\\' | b'[' => return None,
            b'{' => depth = depth.saturating_add(1),
            b',' if depth == 0 => {
                found.push(inner.get(start..at)?);
                start = at.saturating_add(1);
            }
            b'}' if depth == 0 => {
                found.push(inner.get(start..at)?);
                return Some((found, inner.get(at.saturating_add(1)..)?));
            }
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if found.len() > MAX_ALTERNATIVES {
            return None;
        }
    }
    None
}

/// Returns the path in normal form if it lies inside the workspace and is not empty.
fn plain(path: &str) -> Option<String> {
    let is_inside = !path.starts_with(['/', '~', '\\']) && !components(path).any(|name| name == "..");
    let path = components(path).collect::<Vec<_>>().join("/");
    (is_inside && !path.is_empty()).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::starts;

    #[test]
    fn a_glob_starts_at_its_literal_prefix() {
        for (glob, expected) in [
            ("pub/**", vec!["pub"]),
            ("./pub//deep/*.txt", vec!["pub/deep"]),
            ("pub/x.txt", vec!["pub/x.txt"]),
            ("x.txt", vec!["x.txt"]),
            ("pub*/x", vec![]),
            ("**/pub/x", vec![]),
            ("../pub/**", vec![]),
            ("/etc/**", vec![]),
            ("{a,b/{c,d}}/**", vec!["a", "b/c", "b/d"]),
            ("a/{b,[c]}/x", vec!["a"]),
            ("a/{b/x", vec!["a"]),
            ("a/b\\*/x", vec!["a"]),
        ] {
            assert_eq!(starts(glob).into_iter().collect::<Vec<_>>(), expected, "{glob}");
        }
    }

    #[test]
    fn alternatives_are_written_out_up_to_a_number() {
        let glob = format!("a/{}**", "{x,y}".repeat(1_000));
        assert!(starts(&glob).len() <= super::MAX_ALTERNATIVES);
        let glob = format!("a/{}/**", "{x}".repeat(50_000));
        assert_eq!(starts(&glob).len(), 1);
    }
}
