//! The path of a value in a call's arguments: the subset of `JSONPath` (RFC 9535) that selects exactly one
//! value.

/// One step from a value to a value inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

/// The maximum depth of a path. The JSON parser refuses deeper arguments anyway.
const DEEPEST: usize = 128;

/// Parses `$.a.b[0]['c']`. Returns `None` if the path does not select exactly one value below the root.
pub(crate) fn steps(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if steps.len() >= DEEPEST {
            return None;
        }
        let (step, after) = match rest.strip_prefix('[') {
            Some(inside) => bracket(inside)?,
            None => parse_dotted(rest.strip_prefix('.')?)?,
        };
        steps.push(step);
        rest = after;
    }
    (!steps.is_empty()).then_some(steps)
}

fn parse_dotted(text: &str) -> Option<(Step, &str)> {
    let end = text.find(['.', '[']).unwrap_or(text.len());
    let (key, after) = text.split_at_checked(end)?;
    (!key.is_empty()).then(|| (Step::Key(key.to_owned()), after))
}

fn bracket(text: &str) -> Option<(Step, &str)> {
    if let quote @ ('\'' | '"') = text.chars().next()? {
        let (key, after) = parse_quoted(text.get(1..)?, quote)?;
        return Some((Step::Key(key), after.strip_prefix(']')?));
    }
    let (digits, after) = text.split_once(']')?;
    Some((Step::Index(digits.parse().ok()?), after))
}

/// Parses a key up to its quote. The escapes are JSON's and that of the quote itself.
fn parse_quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut key = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => match characters.next()?.1 {
                'u' => {
                    // Let the JSON parser decode the escape, together with a second one if they form a
                    // surrogate pair.
                    let escape = text.get(at..)?;
                    let (one, length) = unicode(escape)?;
                    key.push(one);
                    for _ in 2..length {
                        characters.next()?;
                    }
                }
                'n' => key.push('\n'),
                't' => key.push('\t'),
                'r' => key.push('\r'),
                'b' => key.push('\u{8}'),
                'f' => key.push('\u{c}'),
                other => key.push(other),
            },
            character if character == quote => {
                return Some((key, text.get(at..)?.strip_prefix(quote)?));
            }
            character => key.push(character),
        }
    }
    None
}

/// Decodes a `\uXXXX` or a surrogate pair of them. Returns the character and the length of the escape.
fn unicode(escape: &str) -> Option<(char, usize)> {
    [12, 6].into_iter().find_map(|length| {
        let text: String = serde_json::from_str(&format!("\"{}\"", escape.get(..length)?)).ok()?;
        let mut characters = text.chars();
        match (characters.next(), characters.next()) {
            (Some(one), None) => Some((one, length)),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests;
