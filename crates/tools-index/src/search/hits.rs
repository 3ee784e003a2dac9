//! Queries: the chunks that contain the words, ranked by BM25.

use std::io;

use windlass_sandbox::WorkspacePath;

use super::bm25::Bm25;
use super::index::{Field, Part, Postings};
use super::store::{Store, Trouble};
use super::tokens::words;
use crate::language::Language;

/// Maximum number of words in a query.
const MAX_WORDS: usize = 64;
/// Boosts. Words in the names of symbols and files are stronger evidence than words in the text.
const TITLE_BOOST: f32 = 3.0;
const PATH_BOOST: f32 = 1.5;
const BODY_BOOST: f32 = 1.0;

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

/// A chunk with its score.
#[derive(Clone, Copy, Debug)]
struct Candidate<'s> {
    score: f32,
    part: &'s Part,
    chunk: usize,
}

/// Returns the best hits, the best first. Equal scores are in the order of paths and lines.
pub(super) fn hits(store: &Store, words: &[String], within: &QueryFilters<'_>) -> Result<Vec<Hit>, Trouble> {
    let scores = scores(&store.parts, words).map_err(Trouble::classify_read)?;
    let mut best: Vec<Candidate<'_>> = Vec::new();
    for (part, scores) in store.parts.iter().zip(&scores) {
        let files = files(part, within);
        let rows = &part.segment.rows;
        for (chunk, (row, score)) in rows.chunks.iter().zip(scores).enumerate() {
            let is_wanted = || {
                files.get(row.file as usize) == Some(&true)
                    && within.language.is_none_or(|language| rows.language(row) == Some(language.name))
            };
            if *score > 0.0 && is_wanted() {
                best.push(Candidate { score: *score, part, chunk });
            }
        }
    }
    let order = |left: &Candidate<'_>, right: &Candidate<'_>| {
        right.score.total_cmp(&left.score).then_with(|| place(left).cmp(&place(right)))
    };
    if best.len() > within.limit {
        best.select_nth_unstable_by(within.limit, order);
        best.truncate(within.limit);
    }
    best.sort_unstable_by(order);
    Ok(best.iter().filter_map(hit).collect())
}

fn place<'s>(candidate: &Candidate<'s>) -> Option<(&'s str, u32)> {
    let rows = &candidate.part.segment.rows;
    let chunk = rows.chunks.get(candidate.chunk)?;
    Some((&rows.file(chunk)?.path, chunk.first))
}

fn hit(candidate: &Candidate<'_>) -> Option<Hit> {
    let rows = &candidate.part.segment.rows;
    let chunk = rows.chunks.get(candidate.chunk)?;
    let label = rows.label(chunk);
    Some(Hit {
        score: candidate.score,
        file: rows.file(chunk)?.path.clone(),
        first: chunk.first as usize,
        last: chunk.last as usize,
        symbol: (!label.is_empty()).then(|| label.to_owned()),
    })
}

/// Returns for each file of a part whether the query may show it.
fn files(part: &Part, within: &QueryFilters<'_>) -> Vec<bool> {
    let top =
        if within.path.relative().as_os_str().is_empty() { String::new() } else { within.path.to_string() };
    let is_inside = |path: &str| {
        let below = path.strip_prefix(&top);
        top.is_empty() || below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
    };
    let files = part.segment.rows.files.iter().zip(0_u32..);
    files.map(|(row, file)| part.has(file) && is_inside(&row.path)).collect()
}

/// Returns the score of each chunk of each part.
fn scores(parts: &[Part], words: &[String]) -> io::Result<Vec<Vec<f32>>> {
    let all: u64 = parts.iter().map(|part| part.segment.rows.chunks.len() as u64).sum();
    let mut scores: Vec<Vec<f32>> =
        parts.iter().map(|part| vec![0.0; part.segment.rows.chunks.len()]).collect();
    for field in Field::ALL {
        let lengths = parts.iter().filter_map(|part| part.segment.rows.lengths.get(field.position()));
        let length = lengths.sum();
        for word in words {
            let lists: io::Result<Vec<Postings>> =
                parts.iter().map(|part| part.segment.find(field, word)).collect();
            let lists = lists?;
            let count = lists.iter().map(|list| list.count).sum();
            let measure = Bm25::new(boost(field), count, all, length);
            for ((part, list), scores) in parts.iter().zip(&lists).zip(&mut scores) {
                add_scores(part, list, field, measure, scores);
            }
        }
    }
    Ok(scores)
}

fn add_scores(part: &Part, list: &Postings, field: Field, measure: Bm25, scores: &mut [f32]) {
    let chunks = &part.segment.rows.chunks;
    for (chunk, frequency) in list.iter() {
        let row = chunks.get(chunk as usize).and_then(|row| row.lengths.get(field.position()));
        if let (Some(length), Some(score)) = (row, scores.get_mut(chunk as usize)) {
            *score += measure.score(frequency, *length);
        }
    }
}

fn boost(field: Field) -> f32 {
    match field {
        Field::Title => TITLE_BOOST,
        Field::Path => PATH_BOOST,
        Field::Body => BODY_BOOST,
    }
}
