//! `indexer_search_code`: symbols by name.

use serde::Deserialize;
use windlass_tool::ToolError;

use crate::indexer::Question;
use crate::language::Language;
use crate::outline::outline_in;
use crate::place::{Place, Source};
use crate::symbol::{Kind, Symbol};
use crate::wanted::{Matching, NameQuery, language, may_have_symbols};

const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 500;
/// Maximum number of matching symbols per file.
const MAX_IN_FILE: usize = 1_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchCode {
    query: String,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    kind: Option<Kind>,
    #[serde(default)]
    language: Option<String>,
    #[serde(default)]
    r#match: Option<Matching>,
    #[serde(default)]
    limit: Option<usize>,
}

impl Question for SearchCode {
    const NAME: &'static str = "indexer_search_code";
    const DESCRIPTION: &'static str = "Finds where functions, types, methods and other symbols are declared, by \
        their names, best fit first. It reads the code, so uses and comments are not found; for these use \
        grep_file.";
    const SCHEMA: &'static str = r#"{"type":"object","properties":{
"query":{"type":"string","description":"The name or a part of it; `Parser::push` or `Parser.push` for a member of a type."},
"path":{"type":"string","description":"A file or folder, relative to the workspace. Default: the workspace itself."},
"kind":{"type":"string","enum":["function","method","class","struct","enum","union","trait","interface","impl","type","constant","variable","field","macro","module"],"description":"Only symbols of this kind."},
"language":{"type":"string","description":"Only files of this language, as rust, python, typescript."},
"match":{"type":"string","enum":["contains","exact","fuzzy","regex"],"description":"The comparison of names; fuzzy matches the letters in their order, with others between them. Default contains."},
"limit":{"type":"integer","minimum":1,"maximum":500,"description":"Maximum number of symbols. Default 50."}
},"required":["query"],"additionalProperties":false}"#;

    fn answer(&self, place: &Place<'_>) -> Result<String, ToolError> {
        let matching = self.r#match.unwrap_or_default();
        let (container, name) = match matching {
            Matching::Regex => (None, self.query.as_str()),
            _ => split(&self.query),
        };
        let sought = NameQuery::new(name, matching)?;
        let asked = language(self.language.as_deref())?;
        let (path, start) = place.start(self.path.as_deref())?;
        let look = |source: &Source| {
            let language =
                Language::detect(source.path.relative(), &source.bytes).map(|(language, _)| language);
            if !sought.may_be_in(&source.bytes) || asked.is_some_and(|asked| language != Some(asked)) {
                return None;
            }
            let outline = outline_in(language, &source.bytes, &|| (place.stopped)());
            let fits = |symbol: Symbol| {
                let is_kind = self.kind.is_none_or(|kind| kind == symbol.kind);
                let is_inside = container.is_none_or(|container| belongs(&symbol, container));
                let distance = sought.distance(&symbol.name).filter(|_| is_kind && is_inside)?;
                Some((distance, symbol))
            };
            let found: Vec<_> = outline.symbols.into_iter().filter_map(fits).take(MAX_IN_FILE).collect();
            (!found.is_empty()).then_some(found)
        };
        let scan = place.scan(&start, &|below| may_have_symbols(below, asked), &look);
        let (looked, left_out) = (scan.looked, scan.left_out());
        let mut all: Vec<_> = scan
            .found
            .into_iter()
            .flat_map(|(path, found)| {
                found.into_iter().map(move |(distance, symbol)| (distance, path.clone(), symbol))
            })
            .collect();
        all.sort_by_key(|(distance, _, symbol)| (*distance, symbol.name.chars().count()));
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
        let (shown, count) = (all.len().min(limit), all.len());
        if count == 0 {
            let hint = if matching == Matching::Fuzzy {
                "use grep_file for text"
            } else {
                "try match fuzzy, or grep_file for text"
            };
            return Ok(format!(
                "[no symbol of that name in {path}, {looked} files with code looked at{left_out}; {hint}]"
            ));
        }
        let more = if shown < count { "; give a longer query, a kind or a path" } else { "" };
        let lines = all.iter().take(limit).map(|(_, path, symbol)| line(&path.to_string(), symbol));
        let text: String = lines.collect();
        Ok(format!(
            "[{shown} of {count} symbols shown, from {looked} files with code{more}{left_out}]\n{text}"
        ))
    }
}

/// Returns a symbol on one line.
pub(crate) fn line(path: &str, symbol: &Symbol) -> String {
    let Symbol { first, last, kind, signature, .. } = symbol;
    format!("{path}:{first}-{last} {} {}: {signature}\n", kind.word(), symbol.full_name())
}

/// Splits a query into the container, if any, and the name.
fn split(query: &str) -> (Option<&str>, &str) {
    for mark in ["::", "#", "."] {
        if let Some((container, name)) = query.rsplit_once(mark)
            && !name.is_empty()
            && !container.is_empty()
        {
            return (Some(container), name);
        }
    }
    (None, query)
}

fn belongs(symbol: &Symbol, container: &str) -> bool {
    let last = split(container).1.to_lowercase();
    symbol.container.as_ref().is_some_and(|name| name.to_lowercase().contains(&last))
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}
