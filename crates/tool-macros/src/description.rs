//! Conversion of doc comments to the text that a model reads.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// Returns the text of doc comments with the lines of each paragraph joined, because the line width of a
/// source file has no meaning for a model. Lists, tables, headings and code keep their lines.
pub(crate) fn description(attributes: &[Attribute]) -> String {
    let docs: Vec<String> = attributes.iter().filter_map(doc_of).collect();
    let mut lines: Vec<String> = Vec::new();
    let mut in_code = false;
    let mut joins = false;
    for line in docs.iter().flat_map(|doc| doc.split('\n').map(strip_indent)) {
        let is_fence = line.trim_start().starts_with("```");
        let is_plain = !in_code && !is_fence && !line.trim().is_empty();
        match lines.last_mut() {
            Some(last) if joins && is_plain && !begins_block(line) => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => lines.push(line.trim_end().to_owned()),
        }
        joins = is_plain && !line.starts_with(['#', '|']);
        in_code ^= is_fence;
    }
    lines.join("\n").trim().to_owned()
}

/// Returns the text of `#[doc = ".."]`, the expanded form of `///`.
fn doc_of(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// Removes the space that separates `///` from its text.
fn strip_indent(line: &str) -> &str {
    line.strip_prefix(' ').unwrap_or(line)
}

fn begins_block(line: &str) -> bool {
    let line = line.trim_start();
    let number = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    line.starts_with(['#', '|', '>'])
        || ["- ", "* ", "+ "].iter().any(|bullet| line.starts_with(bullet))
        || (number.len() < line.len() && (number.starts_with(". ") || number.starts_with(") ")))
}

#[cfg(test)]
mod tests;
