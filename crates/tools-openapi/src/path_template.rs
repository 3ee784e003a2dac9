//! Paths with parameters, such as `/pets/{id}`.

use crate::encode::push_encoded;

/// A part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Text of the document, encoded.
    Literal(String),
    /// The name of a parameter.
    Parameter(String),
}

/// Splits a path into its parts.
///
/// # Errors
/// If a brace is not closed, or the path has a query, a fragment or a dot segment.
pub(crate) fn parse(path: &str) -> Result<Vec<Piece>, String> {
    if path.contains(['?', '#']) {
        return Err("its path has a query or a fragment".to_owned());
    }
    let mut pieces = Vec::new();
    let mut rest = path;
    while let Some((literal, after)) = rest.split_once('{') {
        pieces.push(Piece::Literal(literal_text(literal)));
        let (name, after) = after.split_once('}').ok_or("its path has a `{` without a `}`")?;
        if name.is_empty() {
            return Err("its path has a parameter without a name".to_owned());
        }
        pieces.push(Piece::Parameter(name.to_owned()));
        rest = after;
    }
    pieces.push(Piece::Literal(literal_text(rest)));
    pieces.retain(|piece| !matches!(piece, Piece::Literal(text) if text.is_empty()));
    Ok(pieces)
}

/// Encodes the text of a document. Delimiters of a path stay, and so do its percent-encodings.
fn literal_text(text: &str) -> String {
    let mut to = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        let code = text.get(at.saturating_add(1)..at.saturating_add(3)).unwrap_or_default();
        let is_code =
            character == '%' && code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_code || "/:@!$&'()*+,;=".contains(character) {
            to.push(character);
        } else {
            push_encoded(character.encode_utf8(&mut [0; 4]), &mut to);
        }
    }
    to
}

/// Returns whether a path has a segment that URL parsers remove: `.` or `..`, also percent-encoded.
pub(crate) fn has_dot_segment(path: &str) -> bool {
    path.split('/').any(|segment| {
        let segment = segment.to_ascii_lowercase().replace("%2e", ".");
        segment == "." || segment == ".."
    })
}
