//! The text of a JSON string: its length and its escapes.

/// The form of a text inside its quotes.
pub(crate) enum Form {
    Plain,
    Escaped,
}

/// Returns the length of a string up to its closing quote, or `None` if the string is not valid JSON.
#[inline]
pub(crate) fn text_length(text: &str) -> Option<(usize, Form)> {
    let bytes = text.as_bytes();
    let mut form = Form::Plain;
    let mut at = 0usize;
    loop {
        let rest = bytes.get(at..)?;
        at = at.saturating_add(rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))?);
        match bytes.get(at..)? {
            [b'"', ..] => return Some((at, form)),
            // Invalid escapes are detected when the text is unescaped.
            [b'\\', escaped, ..] if *escaped >= 0x20 => {
                form = Form::Escaped;
                at = at.saturating_add(2);
            }
            _ => return None,
        }
    }
}

/// Returns the unescaped text, or `None` for an invalid escape.
pub(crate) fn unescape(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    // Texts are short and often contain escapes, so the setup cost of memchr would exceed a plain loop.
    while let Some(at) = rest.bytes().position(|byte| byte == b'\\') {
        plain.push_str(rest.get(..at)?);
        let escape = at.saturating_add(1);
        plain.push(match rest.as_bytes().get(escape)? {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            quoted @ (b'"' | b'\\' | b'/') => char::from(*quoted),
            // Leave the rare escapes to the JSON parser.
            _ => return serde_json::from_str(&format!("\"{text}\"")).ok(),
        });
        rest = rest.get(escape.saturating_add(1)..)?;
    }
    plain.push_str(rest);
    Some(plain)
}
