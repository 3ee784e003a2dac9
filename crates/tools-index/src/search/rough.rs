//! Fast approximate outline of a long file by the first words of its lines: its grammar would take seconds.

use crate::language::Language;
use crate::outline::Outline;
use crate::symbol::{Kind, Symbol};

/// Maximum number of symbols of one file.
const MAX_SYMBOLS: usize = 20_000;
/// Modifiers that may precede a declaration.
const BEFORE: &[&str] = &[
    "abstract",
    "async",
    "declare",
    "default",
    "export",
    "extern",
    "final",
    "inline",
    "private",
    "protected",
    "pub",
    "public",
    "static",
    "typedef",
    "unsafe",
];
const DECLARES: &[(&str, Kind)] = &[
    ("#define", Kind::Macro),
    ("class", Kind::Class),
    ("const", Kind::Constant),
    ("def", Kind::Function),
    ("enum", Kind::Enum),
    ("fn", Kind::Function),
    ("func", Kind::Function),
    ("function", Kind::Function),
    ("impl", Kind::Impl),
    ("interface", Kind::Interface),
    ("macro_rules!", Kind::Macro),
    ("mod", Kind::Module),
    ("namespace", Kind::Module),
    ("static", Kind::Constant),
    ("struct", Kind::Struct),
    ("trait", Kind::Trait),
    ("type", Kind::Type),
    ("union", Kind::Union),
];
/// Words that may follow a declared name. Before any other word the text is prose.
const BEHIND: &[&str] = &["extends", "for", "implements", "where"];

/// Returns the declarations of a source, each with its preceding comments and attributes.
pub(super) fn rough(language: &Language, text: &str) -> Outline {
    let mut outline = Outline { language: Some(language.name), ..Outline::default() };
    // The enclosing types of the current line, with their indentation.
    let mut around: Vec<(usize, String)> = Vec::new();
    let mut before = None;
    for (number, line) in (1..).zip(text.lines()) {
        let plain = line.trim_start();
        if is_before(language, plain) {
            before.get_or_insert(number);
            continue;
        }
        let start = before.take().unwrap_or(number);
        let indent = line.len().saturating_sub(plain.len());
        let Some((kind, name)) = find_declaration(language, plain, indent) else { continue };
        if outline.symbols.len() >= MAX_SYMBOLS {
            break;
        }
        while around.last().is_some_and(|(outer, _)| *outer >= indent) {
            around.pop();
        }
        let container = around.last().map(|(_, name)| name.clone());
        let kind = if kind == Kind::Function && container.is_some() { Kind::Method } else { kind };
        if matches!(
            kind,
            Kind::Class | Kind::Enum | Kind::Impl | Kind::Interface | Kind::Struct | Kind::Trait
        ) {
            around.push((indent, name.to_owned()));
        }
        let (name, signature) = (name.to_owned(), String::new());
        let (first, last, complexity, nesting) = (number, number, 0, 0);
        outline.symbols.push(Symbol {
            kind,
            name,
            container,
            start,
            first,
            last,
            signature,
            doc: None,
            complexity,
            nesting,
        });
    }
    outline
}

/// Returns true if a line belongs to the declaration after it.
fn is_before(language: &Language, plain: &str) -> bool {
    let comments = language.comments;
    comments.line.iter().any(|mark| plain.starts_with(mark))
        || comments.block.is_some_and(|(mark, _)| plain.starts_with(mark) || plain.starts_with("* "))
        || plain.starts_with("*/")
        || plain.starts_with("#[")
        || plain.starts_with('@')
}

fn find_declaration<'l>(language: &Language, plain: &'l str, indent: usize) -> Option<(Kind, &'l str)> {
    let mut rest = plain;
    loop {
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && !"_#!".contains(letter));
        let (word, after) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
        if let Some((_, kind)) = DECLARES.iter().find(|(declares, _)| *declares == word)
            && let Some(name) = find_name(language, *kind, after, indent)
        {
            return Some((*kind, name));
        }
        if !BEFORE.contains(&word) && word != "const" {
            break;
        }
        // `pub(crate)`, `extern "C"`
        let after =
            after.strip_prefix('(').and_then(|inner| inner.split_once(')')).map_or(after, |all| all.1);
        let after = after.trim_start();
        rest = after.strip_prefix('"').and_then(|inner| inner.split_once('"')).map_or(after, |all| all.1);
        rest = rest.trim_start();
    }
    let is_member =
        plain.starts_with("public ") || plain.starts_with("private ") || plain.starts_with("protected ");
    let runs = match language.name {
        "c" | "cpp" | "bash" => indent == 0,
        "java" => is_member,
        _ => false,
    };
    let (head, _) = plain.split_once('(').filter(|(head, _)| runs && !head.contains('='))?;
    let name = head.rsplit(|letter: char| !is_name(letter)).next()?;
    (!name.is_empty() && !plain.trim_end().ends_with(';')).then_some((Kind::Function, name))
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

/// Returns the declared name if its context is that of a declaration.
fn find_name<'l>(language: &Language, kind: Kind, after: &'l str, indent: usize) -> Option<&'l str> {
    let mut rest = after.trim_start();
    if kind == Kind::Impl {
        rest = strip_trait(rest);
    } else if let Some(inner) = rest.strip_prefix('(') {
        // In Go the receiver precedes the name.
        rest = inner.split_once(')')?.1.trim_start();
    }
    let rest = rest.strip_prefix("mut ").unwrap_or(rest).trim_start_matches(['*', '&']);
    let (name, behind) = rest.split_at_checked(rest.find(|letter| !is_name(letter)).unwrap_or(rest.len()))?;
    let next = behind.trim_start();
    let is_fitting = match kind {
        Kind::Constant => indent == 0 && next.starts_with([':', '=']) || indent > 0 && next.starts_with(':'),
        Kind::Function => next.starts_with(['(', '<', '{']),
        Kind::Macro | Kind::Impl => true,
        // In C, `struct name (` begins a function that returns the struct.
        Kind::Struct | Kind::Enum | Kind::Union if language.name == "c" && next.contains('(') => false,
        _ => {
            language.name == "go"
                || !next.starts_with(char::is_alphabetic)
                || BEHIND.iter().any(|word| next.starts_with(word))
        }
    };
    (is_fitting && name.starts_with(|first: char| !first.is_numeric())).then_some(name)
}

/// Returns the text after `impl<..> Trait for`.
fn strip_trait(rest: &str) -> &str {
    let head = rest.split(['{', '\n']).next().unwrap_or(rest);
    if let Some((_, target)) = head.split_once(" for ") {
        return target.trim_start();
    }
    let mut depth: usize = 0;
    for (at, letter) in rest.char_indices() {
        match letter {
            '<' => depth = depth.saturating_add(1),
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 && !letter.is_whitespace() => return rest.get(at..).unwrap_or_default(),
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests;
