//! Quoting of words for the shell and for the literal lexer.

use std::borrow::Cow;

use crate::lexer;

/// Returns the word in a form that a shell reads as exactly this one word: in single quotes, or unchanged if
/// each of its bytes is plain.
///
/// ```
/// use windlass_command::quote;
/// assert_eq!([quote("src/a.rs"), quote("my notes"), quote("it's")].join(" "), r#"src/a.rs 'my notes' 'it'"'"'s'"#);
/// ```
// Single quotes cannot contain a single quote, so it gets its own pair of double quotes.
pub fn quote(word: &str) -> Cow<'_, str> {
    if !word.is_empty() && word.bytes().all(lexer::is_plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', r#"'"'"'"#)))
}
