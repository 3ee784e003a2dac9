//! Lone surrogates in JSON text.

/// Replaces each escaped lone surrogate in a JSON text with `\ufffd`. Returns `None` if the text contains
/// none.
///
/// A model can generate half of a surrogate pair, and the provider's JSON then contains an escape that strict
/// parsers reject. One broken character must not end a stream (RULES P3, J4).
///
/// ```
/// use windlass_wire::replace_lone_surrogates;
/// assert_eq!(replace_lone_surrogates(r#""a\ud83d b""#).as_deref(), Some(r#""a\ufffd b""#));
/// assert_eq!(replace_lone_surrogates(r#""\ud83d\ude00""#), None);
/// ```
pub fn replace_lone_surrogates(json: &str) -> Option<String> {
    let mut replaced = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = json.get(at..).and_then(|rest| rest.find('\\')) {
        let escape = at.saturating_add(found);
        let after = escape.saturating_add(6);
        match unit(json, escape) {
            Some(0xD800..=0xDBFF) if matches!(unit(json, after), Some(0xDC00..=0xDFFF)) => {
                at = after.saturating_add(6);
            }
            Some(0xD800..=0xDFFF) => {
                replaced.push_str(json.get(copied..escape)?);
                replaced.push_str("\\ufffd");
                copied = after;
                at = after;
            }
            // Skip both bytes of any other escape, so that the second backslash of `\\` does not start an
            // escape.
            _ => at = escape.saturating_add(2),
        }
    }
    if copied == 0 {
        return None;
    }
    replaced.push_str(json.get(copied..)?);
    Some(replaced)
}

/// Returns the UTF-16 code unit of the `\u` escape at an offset.
fn unit(json: &str, at: usize) -> Option<u16> {
    let digits = json.get(at..)?.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}
