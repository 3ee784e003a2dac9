//! Formats errors without the content of files.

use std::error::Error;

/// Maximum number of displayed characters of one cause. Some causes quote their input.
const MAX_CHARS: usize = 400;

/// Returns the error and its causes, the outermost first. Omits a cause whose text the previous one contains.
///
/// Formats a TOML error by its position and message: its `Display` shows the line, which can contain a secret
/// if a person names a file such as `.env`.
pub(crate) fn causes(error: &anyhow::Error) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for cause in error.chain() {
        let text = shortened(&words(cause));
        if !told.last().is_some_and(|last| last.contains(&text)) {
            told.push(text);
        }
    }
    told
}

/// Returns the error and its causes on one line, for a warning.
pub(crate) fn one_line(error: &anyhow::Error) -> String {
    causes(error).join(": ")
}

fn words(cause: &(dyn Error + 'static)) -> String {
    let boxed = || cause.downcast_ref::<Box<toml::de::Error>>().map(AsRef::as_ref);
    match cause.downcast_ref::<toml::de::Error>().or_else(boxed) {
        Some(error) => {
            let text = error.to_string();
            // The first line contains the position, the others show the source.
            let place = text.lines().next().filter(|line| line.starts_with("TOML parse error at"));
            format!("{}: {}", place.unwrap_or("TOML parse error"), error.message())
        }
        None => cause.to_string(),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((at, _)) => format!("{} … ({} bytes)", text.get(..at).unwrap_or_default(), text.len()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    use super::{causes, one_line};

    #[test]
    fn errors_of_toml_show_no_content() {
        let error =
            toml::from_str::<toml::Table>("a = 1\nKEY=sk-proj-SECRET").context("x is refused").unwrap_err();
        let text = one_line(&error);
        assert!(text.starts_with("x is refused: TOML parse error at line 2, column 5: "), "{text}");
        assert!(!text.contains("SECRET"), "{text}");
    }

    #[test]
    fn a_cause_is_told_once_and_not_at_length() {
        let error = anyhow::anyhow!("inner").context("outer: inner").context("first");
        assert_eq!(causes(&error), ["first", "outer: inner"]);
        let long = causes(&anyhow::anyhow!("é".repeat(100_000)));
        assert!(long[0].len() < 1000 && long[0].ends_with("(200000 bytes)"), "{}", long[0].len());
    }
}
