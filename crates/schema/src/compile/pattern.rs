//! Regular expressions that dialects accept.

/// Returns whether a pattern needs a backtracking engine: it has look-around, back-references or other groups
/// with `(?`.
pub(super) fn looks_around(pattern: &str) -> bool {
    let plain = pattern.replace("(?:", "(");
    let is_back_reference =
        |pair: &[u8]| pair.first() == Some(&b'\\') && matches!(pair.get(1), Some(b'1'..=b'9' | b'k'));
    plain.contains("(?") || plain.as_bytes().windows(2).any(is_back_reference)
}

/// Returns whether llama.cpp can translate a pattern to a grammar: it is anchored with `^` and `$`, and has
/// no escapes of letters and digits, no unbalanced brackets and no large repetitions. llama.cpp refuses the
/// whole request otherwise, or writes an invalid grammar.
pub(super) fn is_anchored(pattern: &str) -> bool {
    let Some(inner) = pattern.strip_prefix('^').and_then(|rest| rest.strip_suffix('$')) else { return false };
    if inner.is_empty() || !inner.is_ascii() || inner.contains("(?") || inner.ends_with('\\') {
        return false;
    }
    let (mut depth, mut in_class, mut before, mut digits) = (0_u32, false, b'(', 0_u32);
    let mut in_braces = false;
    let mut bytes = inner.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            // Only punctuation may be escaped: a grammar does not have `\d` and similar classes.
            b'\\' => match bytes.next() {
                Some(next) if next.is_ascii_punctuation() && !in_braces => {}
                _ => return false,
            },
            b']' if in_class => in_class = false,
            _ if in_class => {}
            b'[' => in_class = true,
            b'}' if in_braces => (in_braces, digits) = (false, 0),
            b'0'..=b'9' if in_braces => {
                digits = digits.saturating_mul(10).saturating_add(u32::from(byte.saturating_sub(b'0')));
                if digits > 2_000 {
                    return false;
                }
            }
            b',' if in_braces => digits = 0,
            _ if in_braces => return false,
            // A repetition without an operand, or of another repetition.
            b'{' | b'*' | b'+' | b'?' if matches!(before, b'(' | b'|' | b'*' | b'+' | b'?' | b'}') => {
                return false;
            }
            b'{' => in_braces = true,
            b'(' => depth = depth.saturating_add(1),
            b')' if matches!(before, b'(' | b'|') => return false,
            b')' => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            b'^' | b'$' | b'}' | b']' => return false,
            b'|' if matches!(before, b'(' | b'|') => return false,
            _ => {}
        }
        before = byte;
    }
    depth == 0 && !in_class && !in_braces && before != b'|'
}
