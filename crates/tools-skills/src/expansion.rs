//! Inserts arguments into the text of a slash command.

/// The maximum length of the expanded text, in bytes.
pub(crate) const MAX_EXPANDED: usize = 200_000;

/// Replaces `$ARGUMENTS` and `$1` to `$9` in one pass, so placeholders inside an argument are not expanded.
/// If the text has no placeholder, the arguments are appended. Returns `None` if the result is longer than
/// `MAX_EXPANDED`.
pub(crate) fn expand(text: &str, arguments: &str) -> Option<String> {
    let words = words(arguments);
    let mut expanded = String::with_capacity(text.len());
    let mut has_place = false;
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        expanded.push_str(before);
        let (value, left) = match place(after) {
            Some((Place::All, left)) => (arguments, left),
            Some((Place::Word(number), left)) => {
                (number.checked_sub(1).and_then(|at| words.get(at)).map_or("", String::as_str), left)
            }
            None => {
                expanded.push('$');
                rest = after;
                continue;
            }
        };
        has_place = true;
        expanded.push_str(value);
        rest = left;
        if expanded.len() > MAX_EXPANDED {
            return None;
        }
    }
    expanded.push_str(rest);
    if !has_place && !arguments.trim().is_empty() {
        expanded.push_str("\n\nArguments: ");
        expanded.push_str(arguments);
    }
    (expanded.len() <= MAX_EXPANDED).then_some(expanded)
}

enum Place {
    All,
    Word(usize),
}

/// Parses the placeholder after a dollar sign. Returns it with the rest of the text.
fn place(after: &str) -> Option<(Place, &str)> {
    let goes_on = |rest: &str| rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_');
    if let Some(rest) = after.strip_prefix("ARGUMENTS") {
        return (!goes_on(rest)).then_some((Place::All, rest));
    }
    let number = after.chars().next()?.to_digit(10).filter(|number| *number > 0)?;
    let rest = after.get(1..)?;
    // `$10` is a price or a placeholder that does not exist; it is not `$1` followed by a zero.
    let is_longer = rest.starts_with(|next: char| next.is_ascii_digit());
    (!is_longer).then_some((Place::Word(usize::try_from(number).ok()?), rest))
}

/// Splits the arguments into words; quotes keep white space inside a word.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for letter in text.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            // An apostrophe inside a word does not open a quotation.
            None if letter == '"' || (letter == '\'' && word.is_none()) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            None if letter.is_whitespace() => words.extend(word.take()),
            Some(_) | None => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests;
