//! Names, signatures and documentation of declarations.

use tree_sitter::Node;

use crate::symbol::Kind;

/// Maximum depth of a name inside a C declarator.
const MAX_DECLARATORS: usize = 32;
const MAX_SIGNATURE_CHARS: usize = 300;
const MAX_NAME_CHARS: usize = 200;
const MAX_DOC_CHARS: usize = 600;

pub(super) fn text<'s>(node: Node<'_>, source: &'s [u8]) -> &'s [u8] {
    source.get(node.byte_range()).unwrap_or_default()
}

/// Returns a name on one line, cut at the maximum length.
pub(super) fn name_text(node: Node<'_>, source: &[u8]) -> String {
    one_line(text(node, source), MAX_NAME_CHARS)
}

/// Returns the node with the name of a declaration.
pub(super) fn name_of(node: Node<'_>, kind: Kind) -> Option<Node<'_>> {
    if kind == Kind::Impl {
        return node.child_by_field_name("type");
    }
    let named = ["name", "property"].iter().find_map(|field| node.child_by_field_name(field));
    if let Some(name) = named {
        return Some(name);
    }
    if let Some(left) = node.child_by_field_name("left") {
        return Some(left);
    }
    find_declared(node)
}

/// Returns the declared name in C, which is nested: `int *(*name)(void)`.
fn find_declared(node: Node<'_>) -> Option<Node<'_>> {
    let mut inner = node.child_by_field_name("declarator")?;
    for _ in 0..MAX_DECLARATORS {
        match inner.child_by_field_name("declarator") {
            Some(next) => inner = next,
            None if inner.kind() == "parenthesized_declarator" => inner = inner.named_child(0)?,
            None => break,
        }
    }
    Some(inner)
}

/// Returns true if a C declaration declares a function.
pub(super) fn declares_function(node: Node<'_>) -> bool {
    let mut inner = node.child_by_field_name("declarator");
    for _ in 0..MAX_DECLARATORS {
        match inner {
            Some(found) if found.kind() == "function_declarator" => return true,
            Some(found) => inner = found.child_by_field_name("declarator"),
            None => return false,
        }
    }
    false
}

/// Returns the type of a Go method's receiver: `(p *Parser[T])`.
pub(super) fn receiver(node: Node<'_>, source: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text(node.child_by_field_name("receiver")?, source)).into_owned();
    let inner = text.trim_matches(['(', ')']).split('[').next()?;
    let name = inner.split_whitespace().last()?.trim_start_matches('*');
    (!name.is_empty()).then(|| name.to_owned())
}

/// Returns a declaration without its body.
pub(super) fn signature(node: Node<'_>, source: &[u8]) -> String {
    let inner = node.child_by_field_name("value").filter(|value| is_function(value.kind()));
    let body = inner.unwrap_or(node).child_by_field_name("body");
    let end = body.map_or(node.end_byte(), |body| body.start_byte());
    let bytes = source.get(node.start_byte()..end).unwrap_or_default();
    one_line(bytes, MAX_SIGNATURE_CHARS).trim_end_matches(['{', ':', ';', ' ']).to_owned()
}

/// Returns true if a value is a function, so that its variable counts as a function.
pub(super) fn is_function(kind: &str) -> bool {
    matches!(kind, "arrow_function" | "function_expression" | "generator_function")
}

/// Returns the text of a comment without comment markers.
pub(super) fn doc(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let plain = text.lines().map(|line| {
        let line = line.trim().trim_start_matches(['/', '*', '#', '!']);
        line.trim_end_matches("*/").trim_matches(['"', '\'']).trim()
    });
    let joined = plain.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    (!joined.is_empty()).then(|| one_line(joined.as_bytes(), MAX_DOC_CHARS))
}

/// Returns a Python docstring, the first statement of a body.
pub(super) fn docstring(node: Node<'_>, source: &[u8]) -> Option<String> {
    let first = node.child_by_field_name("body")?.named_child(0)?;
    let inner = if first.kind() == "expression_statement" { first.named_child(0)? } else { first };
    if inner.kind() == "string" { doc(text(inner, source)) } else { None }
}

/// Collapses white space and cuts the text at `most` characters.
pub(super) fn one_line(bytes: &[u8], most: usize) -> String {
    // Bounds the work on a huge node: a character has at most four bytes, and white space may double the
    // length.
    let bytes = bytes.get(..most.saturating_mul(8)).unwrap_or(bytes);
    let text = String::from_utf8_lossy(bytes);
    let mut line = String::with_capacity(text.len().min(most));
    let mut count: usize = 0;
    for word in text.split_whitespace() {
        if count > 0 {
            line.push(' ');
            count = count.saturating_add(1);
        }
        for letter in word.chars() {
            if count >= most {
                line.push('…');
                return line;
            }
            line.push(letter);
            count = count.saturating_add(1);
        }
    }
    line
}
