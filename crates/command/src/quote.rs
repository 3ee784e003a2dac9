//! Writes a word so that the lexer, and bash, read the same word again.

use std::borrow::Cow;

use crate::lexer;

/// The word as it is, or in quotes, so that a shell reads this one word.
///
/// ```
/// use windlass_command::quote;
/// assert_eq!([quote("src/a.rs"), quote("my notes"), quote("it's")].join(" "), r#"src/a.rs 'my notes' 'it'"'"'s'"#);
/// ```
// A single quote cannot stand inside single quotes, so it gets its own double ones.
pub fn quote(word: &str) -> Cow<'_, str> {
    if !word.is_empty() && word.bytes().all(lexer::is_plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', r#"'"'"'"#)))
}
