//! Conformance of tokenizers of programs.

use crate::CountTokens;

/// Texts of every kind that a conversation contains.
const TEXTS: [&str; 8] = [
    "",
    "a",
    "The quick brown fox.",
    "fn main() {}\n",
    "日本語のテキスト",
    "👩‍👩‍👧‍👦 é ñ",
    "{\"a\":[1,2,3]}",
    "\u{0}\u{202e}x",
];

/// Checks that a tokenizer can be used by an agent: its counts are repeatable, an empty text has no tokens, no text has
/// more tokens than bytes, and a longer text has not fewer tokens than half of its beginning.
///
/// ```
/// # struct Bytes;
/// # impl windlass_tokens::CountTokens for Bytes {
/// #     fn name(&self) -> &str { "bytes" }
/// #     fn count(&self, text: &str) -> u64 { text.len() as u64 }
/// # }
/// windlass_tokens::kit::check_tokenizer(&Bytes)?;
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
/// Returns the violated property and the text.
pub fn check_tokenizer(tokenizer: &dyn CountTokens) -> Result<(), String> {
    if tokenizer.name().is_empty() {
        return Err("the name is empty".to_owned());
    }
    for text in TEXTS {
        let count = tokenizer.count(text);
        if tokenizer.count(text) != count {
            return Err(format!("{text:?} has different counts"));
        }
        if count > text.len() as u64 {
            return Err(format!("{text:?} has {count} tokens and {} bytes", text.len()));
        }
        let long = text.repeat(50);
        if tokenizer.count(&long) < count / 2 {
            return Err(format!("{text:?} has more tokens than 50 times the text"));
        }
    }
    Ok(())
}
