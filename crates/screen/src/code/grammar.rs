//! Grammars with their highlighting queries.

use std::sync::OnceLock;

use tree_sitter::Query;

use super::Language;
use crate::theme::Role;

/// A grammar, its query, and the roles of the query's captures.
#[derive(Debug)]
pub(super) struct Grammar {
    pub(super) language: tree_sitter::Language,
    pub(super) query: Query,
    pub(super) roles: Vec<Option<Role>>,
}

/// Returns the grammar of a language. The first call compiles its query. Returns `None` if the query does not fit the
/// grammar.
pub(super) fn grammar(language: Language) -> Option<&'static Grammar> {
    static GRAMMARS: [OnceLock<Option<Grammar>>; Language::ALL.len()] =
        [const { OnceLock::new() }; Language::ALL.len()];
    let index = Language::ALL.iter().position(|it| *it == language)?;
    GRAMMARS.get(index)?.get_or_init(|| load(language)).as_ref()
}

fn load(language: Language) -> Option<Grammar> {
    let script =
        [tree_sitter_javascript::HIGHLIGHT_QUERY, tree_sitter_javascript::JSX_HIGHLIGHT_QUERY].concat();
    let typed = [tree_sitter_javascript::HIGHLIGHT_QUERY, tree_sitter_typescript::HIGHLIGHTS_QUERY].concat();
    let (grammar, query) = match language {
        Language::Bash => (tree_sitter_bash::LANGUAGE, tree_sitter_bash::HIGHLIGHT_QUERY.to_owned()),
        Language::C => (tree_sitter_c::LANGUAGE, tree_sitter_c::HIGHLIGHT_QUERY.to_owned()),
        Language::Go => (tree_sitter_go::LANGUAGE, tree_sitter_go::HIGHLIGHTS_QUERY.to_owned()),
        Language::Java => (tree_sitter_java::LANGUAGE, tree_sitter_java::HIGHLIGHTS_QUERY.to_owned()),
        Language::JavaScript => (tree_sitter_javascript::LANGUAGE, script),
        Language::Python => (tree_sitter_python::LANGUAGE, tree_sitter_python::HIGHLIGHTS_QUERY.to_owned()),
        Language::Rust => (tree_sitter_rust::LANGUAGE, tree_sitter_rust::HIGHLIGHTS_QUERY.to_owned()),
        Language::TypeScript => (tree_sitter_typescript::LANGUAGE_TYPESCRIPT, typed),
        Language::Tsx => {
            (tree_sitter_typescript::LANGUAGE_TSX, typed + tree_sitter_javascript::JSX_HIGHLIGHT_QUERY)
        }
    };
    let language = tree_sitter::Language::new(grammar);
    let query = Query::new(&language, &query).ok()?;
    let roles = query.capture_names().iter().map(|name| role(name)).collect();
    Some(Grammar { language, query, roles })
}

/// Returns the role of a capture, by the names that grammars share.
fn role(name: &str) -> Option<Role> {
    Some(match name.split('.').next().unwrap_or_default() {
        "keyword" | "conditional" | "repeat" | "include" => Role::Keyword,
        "function" | "method" => Role::Function,
        "type" | "constructor" | "module" | "namespace" | "tag" => Role::Type,
        "string" | "character" | "escape" => Role::String,
        "number" | "float" | "constant" | "boolean" => Role::Number,
        "comment" => Role::Comment,
        "property" | "attribute" | "label" => Role::Property,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_fits_its_grammar() {
        for language in Language::ALL {
            let grammar = grammar(language).unwrap_or_else(|| panic!("{language:?}"));
            assert!(grammar.roles.iter().flatten().count() > 3, "{language:?}");
        }
    }
}
