//! Queries: the chunks that contain the words, ranked by BM25.

use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, BoostQuery, ConstScoreQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Value};
use tantivy::{TantivyDocument, Term};
use windlass_sandbox::WorkspacePath;

use super::store::{Store, Trouble};
use super::tokens::words;
use crate::language::Language;

/// Maximum number of words in a query.
const MAX_WORDS: usize = 64;
/// Boosts for words in the names of symbols, which are stronger evidence than words in the text.
const TITLE_BOOST: f32 = 3.0;
const NAMES_BOOST: f32 = 1.5;

/// A chunk that matches a query.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hit {
    pub(super) score: f32,
    pub(super) file: String,
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) symbol: Option<String>,
}

/// Filters of a query, and the maximum number of hits.
pub(super) struct QueryFilters<'w> {
    pub(super) path: &'w WorkspacePath,
    pub(super) language: Option<&'static Language>,
    pub(super) limit: usize,
}

/// Returns the distinct words of a query.
pub(super) fn query_words(query: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    words(query, &mut |word| {
        if all.iter().all(|other| other != word) && all.len() < MAX_WORDS {
            all.push(word.to_owned());
        }
    });
    all
}

/// Returns the best hits, the best first.
pub(super) fn hits(store: &Store, words: &[String], within: &QueryFilters<'_>) -> Result<Vec<Hit>, Trouble> {
    let fields = &store.fields;
    let term = |field: Field, text: &str, record| -> Box<dyn Query> {
        Box::new(TermQuery::new(Term::from_field_text(field, text), record))
    };
    let weighted = [(fields.title, TITLE_BOOST), (fields.names, NAMES_BOOST), (fields.body, 1.0)];
    let mut any: Vec<(Occur, Box<dyn Query>)> = Vec::new();
    for word in words {
        for (field, boost) in weighted {
            let query = term(field, word, IndexRecordOption::WithFreqs);
            any.push((Occur::Should, Box::new(BoostQuery::new(query, boost))));
        }
    }
    let mut all: Vec<(Occur, Box<dyn Query>)> = vec![(Occur::Must, Box::new(BooleanQuery::new(any)))];
    let mut filter = |field, text: &str| {
        let query = term(field, text, IndexRecordOption::Basic);
        all.push((Occur::Must, Box::new(ConstScoreQuery::new(query, 0.0))));
    };
    if !within.path.relative().as_os_str().is_empty() {
        filter(fields.inside, &within.path.to_string());
    }
    if let Some(language) = within.language {
        filter(fields.language, language.name);
    }
    let searcher = store.searcher();
    let found =
        searcher.search(&BooleanQuery::new(all), &TopDocs::with_limit(within.limit).order_by_score())?;
    let mut hits = Vec::with_capacity(found.len());
    for (score, address) in found {
        let document: TantivyDocument = searcher.doc(address)?;
        let text = |field| document.get_first(field).and_then(|value| value.as_str()).map(str::to_owned);
        let number = |field| {
            let number = document.get_first(field).and_then(|value| value.as_u64()).unwrap_or(1);
            usize::try_from(number).unwrap_or(usize::MAX)
        };
        let Some(file) = text(fields.file) else { continue };
        let (first, last) = (number(fields.first), number(fields.last));
        hits.push(Hit { score, file, first, last, symbol: text(fields.shown) });
    }
    Ok(hits)
}
