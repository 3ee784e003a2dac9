//! Extracts nested text between an opening and its closing delimiter. Without a closing delimiter it ends
//! with the text.

/// Returns the text before the closing delimiter and the text after it, or `None` for the latter if the
/// delimiter is missing. `text` begins after the opening delimiter. Nested openings of the same kind are
/// counted, and quoted delimiters are skipped.
pub(super) fn split_at_close(text: &str, open: Option<char>, close: char) -> (&str, Option<&str>) {
    let (mut depth, mut quote) = (0_usize, None);
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match (quote, char) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => _ = chars.next(),
            (None, '\'' | '"') if close != '`' => quote = Some(char),
            (Some(_), _) if close != '`' => {}
            _ if char == close => {
                if depth == 0 {
                    let behind = text.get(at.saturating_add(char.len_utf8())..);
                    return (text.get(..at).unwrap_or_default(), Some(behind.unwrap_or_default()));
                }
                depth = depth.saturating_sub(1);
            }
            _ if Some(char) == open => depth = depth.saturating_add(1),
            _ => {}
        }
    }
    (text, None)
}

/// Returns the decoded text of a `$'..'` and the text after its closing quote, or `None` if the quote is not
/// closed.
pub(super) fn ansi(text: &str) -> (String, Option<&str>) {
    let mut decoded = String::new();
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        rest = rest.get(char.len_utf8()..).unwrap_or_default();
        match char {
            '\'' => return (decoded, Some(rest)),
            '\\' => {
                let Some(kind) = rest.chars().next() else { return (decoded, None) };
                rest = rest.get(kind.len_utf8()..).unwrap_or_default();
                let (decoded_char, behind) = escape(kind, rest);
                decoded.extend(decoded_char);
                rest = behind;
            }
            other => decoded.push(other),
        }
    }
    (decoded, None)
}

/// Decodes an escape whose first character was already consumed. Returns its character and the rest of the
/// text.
fn escape(kind: char, rest: &str) -> (Option<char>, &str) {
    let digits = |max: usize, radix: u32| {
        let count = rest.bytes().take(max).take_while(|byte| char::from(*byte).is_digit(radix)).count();
        let value = u32::from_str_radix(rest.get(..count).unwrap_or_default(), radix).ok();
        (value.and_then(char::from_u32), rest.get(count..).unwrap_or_default())
    };
    match kind {
        'x' => digits(2, 16),
        'u' => digits(4, 16),
        'U' => digits(8, 16),
        '0'..='7' => {
            let more = rest.bytes().take(2).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
            let tail = rest.get(..more).unwrap_or_default();
            let value = u32::from_str_radix(&format!("{kind}{tail}"), 8).ok();
            (value.and_then(|value| char::from_u32(value & 0xFF)), rest.get(more..).unwrap_or_default())
        }
        'n' => (Some('\n'), rest),
        't' => (Some('\t'), rest),
        'r' => (Some('\r'), rest),
        'a' | 'b' | 'e' | 'E' | 'f' | 'v' => (None, rest),
        'c' => (None, rest.get(rest.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default()),
        other => (Some(other), rest),
    }
}
