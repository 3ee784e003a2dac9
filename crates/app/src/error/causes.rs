//! Formats errors with their causes, without the content of files.

use std::error::Error;

/// Maximum number of displayed characters of one cause. Some causes quote their input.
const MAX_CHARS: usize = 400;

/// Returns the error and its causes, the outermost first. Omits a cause whose text the previous one contains.
///
/// Formats a TOML error by its position and message: its `Display` shows the line, which can contain a secret
/// if a person names a file such as `.env`.
pub fn causes(error: &(dyn Error + 'static)) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for cause in std::iter::successors(Some(error), |cause| (*cause).source()) {
        let text = shorten(&describe(cause));
        if !texts.last().is_some_and(|last| last.contains(&text)) {
            texts.push(text);
        }
    }
    texts
}

/// Returns the error and its causes on one line, for a warning.
pub fn one_line(error: &(dyn Error + 'static)) -> String {
    causes(error).join(": ")
}

fn describe(cause: &(dyn Error + 'static)) -> String {
    let boxed = || cause.downcast_ref::<Box<toml::de::Error>>().map(AsRef::as_ref);
    match cause.downcast_ref::<toml::de::Error>().or_else(boxed) {
        Some(error) => toml_text(error),
        None => cause.to_string(),
    }
}

/// Returns the position and the message of a TOML error.
pub(super) fn toml_text(error: &toml::de::Error) -> String {
    let text = error.to_string();
    // The first line contains the position, the others show the source.
    let place = text.lines().next().filter(|line| line.starts_with("TOML parse error at"));
    format!("{}: {}", place.unwrap_or("TOML parse error"), error.message())
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((at, _)) => format!("{} … ({} bytes)", text.get(..at).unwrap_or_default(), text.len()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{causes, one_line};
    use crate::error::{AppError, Context as _, ErrorKind};

    fn refuse_toml() -> AppError {
        toml::from_str::<toml::Table>("a = 1\nKEY=sk-proj-SECRET").context("x is refused").unwrap_err()
    }

    #[test]
    fn errors_of_toml_show_no_content() {
        let error = refuse_toml();
        let text = one_line(&error);
        assert!(text.starts_with("x is refused: TOML parse error at line 2, column 5: "), "{text}");
        assert!(!text.contains("SECRET"), "{text}");
        assert!(!format!("{error} {error:?}").contains("SECRET"), "{error:?}");
        assert_eq!(error.kind(), ErrorKind::Invalid);
        // Another crate's error can be a TOML error itself.
        let toml = toml::from_str::<toml::Table>("KEY=sk-proj-SECRET").unwrap_err();
        assert!(!one_line(&toml).contains("SECRET"));
    }

    #[test]
    fn a_cause_is_reported_once_and_shortened() {
        let inner = AppError::new(ErrorKind::NotFound, "inner");
        let error = Err::<(), _>(inner).context("outer: inner").context("first").unwrap_err();
        assert_eq!(causes(&error), ["first", "outer: inner"]);
        assert_eq!(error.kind(), ErrorKind::NotFound);
        let long = causes(&AppError::new(ErrorKind::Invalid, "é".repeat(100_000)));
        assert!(long[0].len() < 1000 && long[0].ends_with("(200000 bytes)"), "{}", long[0].len());
    }
}
