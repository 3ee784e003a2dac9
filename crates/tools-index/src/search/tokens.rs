//! Tokenizer for code: identifiers and the words that they consist of.

const MAX_WORD_BYTES: usize = 64;

/// Calls `visit` with each identifier and each of its parts, in lower case.
pub(super) fn words(text: &str, visit: &mut dyn FnMut(&str)) {
    let mut lower = String::with_capacity(MAX_WORD_BYTES);
    for word in text.split(|letter: char| !is_of_word(letter)) {
        if word.is_empty() || word.len() > MAX_WORD_BYTES {
            continue;
        }
        let mut parts: usize = 0;
        split(word, &mut |part| {
            parts = parts.saturating_add(1);
            lower_case(part, &mut lower);
            visit(stem(&lower));
        });
        if parts > 1 {
            lower_case(word, &mut lower);
            visit(&lower);
        }
    }
}

/// Fast path for ASCII, because Unicode tables are slow and most code is ASCII.
fn is_of_word(letter: char) -> bool {
    if letter.is_ascii() { letter.is_ascii_alphanumeric() || letter == '_' } else { letter.is_alphanumeric() }
}

fn lower_case(word: &str, lower: &mut String) {
    lower.clear();
    if word.is_ascii() {
        lower.push_str(word);
        lower.make_ascii_lowercase();
    } else {
        lower.push_str(&word.to_lowercase());
    }
}

/// Splits `parseHTTPHeader_v2` into `parse`, `HTTP`, `Header`, `v2`.
fn split<'w>(word: &'w str, visit: &mut dyn FnMut(&'w str)) {
    for piece in word.split('_').filter(|piece| !piece.is_empty()) {
        let mut start = 0;
        let mut letters = piece.char_indices().peekable();
        let mut before: Option<char> = None;
        while let Some((at, letter)) = letters.next() {
            let next_is_lower = letters.peek().is_some_and(|(_, next)| next.is_lowercase());
            let begins = before.is_some_and(|before| {
                letter.is_uppercase() && (before.is_lowercase() || before.is_numeric() || next_is_lower)
            });
            if begins && at > start {
                visit(piece.get(start..at).unwrap_or_default());
                start = at;
            }
            before = Some(letter);
        }
        visit(piece.get(start..).unwrap_or_default());
    }
}

/// Drops a plural `s`, so that `parsers` matches `parser`.
fn stem(word: &str) -> &str {
    match word.strip_suffix('s') {
        Some(one) if word.len() > 3 && !one.ends_with('s') => one,
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut found = Vec::new();
        words(text, &mut |word| found.push(word.to_owned()));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn identifiers_are_split() {
        check("snake_case", &["snake", "case", "snake_case"]);
        check("camelCase", &["camel", "case", "camelcase"]);
        check("parseHTTPHeader", &["parse", "http", "header", "parsehttpheader"]);
        check("__init__", &["init"]);
        check("fn parsers(&self)", &["fn", "parser", "self"]);
        check("utf8Text", &["utf8", "text", "utf8text"]);
        check("größeÄndern", &["größe", "ändern", "größeändern"]);
        check("class", &["class"]);
        check("a.b::c", &["a", "b", "c"]);
        check("", &[]);
        check(&"x".repeat(65), &[]);
    }
}
