//! Fusion of BM25's order with the order by embeddings.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use windlass_protocol::Effect;

use super::embedder::{Embedder, EmbeddingLimits};
use super::ranker::{Passage, RankFuture, Ranker, Ranking};
use super::vectors::{Key, Vector, Vectors, key};

/// Damping constant of reciprocal rank fusion. Cormack, Clarke and Büttcher (SIGIR 2009) found that its
/// value matters little.
const DAMPING: f32 = 60.0;
/// Score of a passage that is first in both orders.
const BEST: f32 = 100.0;

/// Ranks passages by reciprocal rank fusion of two orders: BM25's, and that of cosine similarity.
///
/// BM25 scores are unbounded and differ in scale between queries, cosines are close together in a range that
/// depends on the model, and no data exists to train weights. Ranks need no common scale, and one wrong order
/// cannot outweigh the other by far.
#[derive(Debug)]
pub(super) struct EmbeddingRanker {
    embedder: Arc<dyn Embedder>,
    limits: EmbeddingLimits,
    vectors: Arc<Vectors>,
}

/// Input of one search.
struct SearchInput<'a> {
    query: &'a str,
    texts: &'a [String],
    keys: &'a [Key],
}

/// Vectors so far, kept even if the search times out.
#[derive(Default)]
struct FoundVectors {
    query: Option<Vector>,
    of: HashMap<Key, Vector>,
    fresh: Vec<(Key, Vector)>,
}

impl EmbeddingRanker {
    /// Creates a ranker with a vector cache in `folder`.
    pub(super) fn new(embedder: Arc<dyn Embedder>, limits: EmbeddingLimits, folder: PathBuf) -> Self {
        let vectors = Arc::new(Vectors::new(folder, &embedder.space(), limits.cache_bytes));
        Self { embedder, limits, vectors }
    }

    async fn ranking(&self, query: &str, passages: &[Passage]) -> Result<Ranking, String> {
        if passages.is_empty() {
            return Ok(Ranking::default());
        }
        let name = self.embedder.name();
        let texts: Vec<String> = passages.iter().map(|passage| text_of(passage, self.limits)).collect();
        let keys: Vec<Key> = texts.iter().map(|text| key(text)).collect();
        let (vectors, wanted_keys) = (Arc::clone(&self.vectors), keys.clone());
        let of = blocking(move || vectors.find(&wanted_keys)).await?;
        let mut found = FoundVectors { of, ..FoundVectors::default() };
        let wanted = SearchInput { query: cut(query, self.limits.passage_bytes), texts: &texts, keys: &keys };
        let asked = tokio::time::timeout(self.limits.total, self.ask(&wanted, &mut found)).await;
        let fresh = std::mem::take(&mut found.fresh);
        let sent = fresh.len();
        let vectors = Arc::clone(&self.vectors);
        // Caches vectors that arrived before a timeout, so that they are not requested again.
        let kept = blocking(move || vectors.keep(&fresh)).await?;
        asked
            .unwrap_or_else(|_| Err(format!("no response arrived within {:?}", self.limits.total)))
            .map_err(|error| format!("{name}: {error}"))?;
        let scores = fuse_scores(&found, &keys).ok_or_else(|| format!("{name}: a vector is missing"))?;
        let mut note = format!("ranked by words and by {name}, which was sent {sent} passages");
        if let Err(error) = kept {
            note = format!("{note} and whose vectors could not be stored ({error})");
        }
        Ok(Ranking::from_scores(scores).with_note(note))
    }

    /// Requests the vectors of the query and of all passages without a cached vector.
    async fn ask(&self, wanted: &SearchInput<'_>, found: &mut FoundVectors) -> Result<(), String> {
        let mut missing = missing(wanted, &found.of);
        loop {
            let batch = self.batch(wanted, found.query.is_none(), &mut missing);
            if batch.is_empty() {
                return Ok(());
            }
            let texts: Vec<&str> = batch.iter().map(|(_, text)| *text).collect();
            let vectors = self.embedder.embed(&texts).await?;
            if vectors.len() != batch.len() {
                return Err(format!("{} vectors came for {} texts", vectors.len(), batch.len()));
            }
            for ((key, _), vector) in batch.into_iter().zip(vectors) {
                let vector = unit(&vector).ok_or("a vector has a number that is not finite")?;
                let length = found.query.as_ref().map_or(vector.len(), |query| query.len());
                if vector.len() != length || length == 0 {
                    return Err(format!("a vector has {} numbers, another has {length}", vector.len()));
                }
                match key {
                    None => found.query = Some(vector),
                    Some(key) => {
                        found.of.insert(key, Arc::clone(&vector));
                        found.fresh.push((key, vector));
                    }
                }
            }
            // If the model's vector length has changed, all cached vectors are useless.
            let length = found.query.as_ref().map_or(0, |query| query.len());
            let before = found.of.len();
            found.of.retain(|_, vector| vector.len() == length);
            if found.of.len() < before {
                missing = self::missing(wanted, &found.of);
            }
        }
    }

    /// Returns the next texts that fit into one request, the query first.
    fn batch<'a>(
        &self,
        wanted: &SearchInput<'a>,
        with_query: bool,
        missing: &mut VecDeque<usize>,
    ) -> Vec<(Option<Key>, &'a str)> {
        let mut batch: Vec<(Option<Key>, &str)> = Vec::new();
        let mut bytes = 0_usize;
        if with_query {
            batch.push((None, wanted.query));
            bytes = wanted.query.len();
        }
        while let Some(at) = missing.front() {
            let (Some(text), Some(key)) = (wanted.texts.get(*at), wanted.keys.get(*at)) else { break };
            bytes = bytes.saturating_add(text.len());
            let is_over = batch.len() >= self.limits.batch_texts || bytes > self.limits.batch_bytes;
            if is_over && !batch.is_empty() {
                break;
            }
            batch.push((Some(*key), text));
            missing.pop_front();
        }
        batch
    }
}

impl Ranker for EmbeddingRanker {
    fn effects(&self) -> Vec<Effect> {
        self.embedder.effects()
    }

    fn rank<'a>(&'a self, query: &'a str, passages: &'a [Passage]) -> RankFuture<'a> {
        Box::pin(self.ranking(query, passages))
    }
}

/// Returns the indexes of passages without a vector. Equal passages are requested once.
fn missing(wanted: &SearchInput<'_>, of: &HashMap<Key, Vector>) -> VecDeque<usize> {
    let mut seen = HashSet::new();
    let all = wanted.keys.iter().enumerate();
    all.filter(|(_, key)| !of.contains_key(*key) && seen.insert(**key)).map(|(at, _)| at).collect()
}

/// Returns the text to embed. Path and symbol add meaning.
fn text_of(passage: &Passage, limits: EmbeddingLimits) -> String {
    let symbol = passage.symbol.as_deref().unwrap_or_default();
    let text = format!("{} {symbol}\n{}", passage.path, passage.body);
    cut(&text, limits.passage_bytes).to_owned()
}

fn cut(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default()
}

/// Scales a vector to length one. A zero vector stays zero and is similar to nothing.
fn unit(vector: &[f32]) -> Option<Vector> {
    if vector.iter().any(|number| !number.is_finite()) {
        return None;
    }
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    #[expect(clippy::cast_possible_truncation, reason = "no part of a vector of length one is above one")]
    let part = |number: &f32| if length > 0.0 { (f64::from(*number) / length) as f32 } else { 0.0 };
    Some(vector.iter().map(part).collect())
}

/// Returns the scores of passages in BM25's order, or `None` if a vector is missing.
fn fuse_scores(found: &FoundVectors, keys: &[Key]) -> Option<Vec<f32>> {
    let query = found.query.as_ref()?;
    let likeness = |vector: &Vector| query.iter().zip(vector.iter()).map(|(left, right)| left * right).sum();
    let likeness: Option<Vec<f32>> = keys.iter().map(|key| Some(likeness(found.of.get(key)?))).collect();
    let mut order: Vec<(usize, f32)> = likeness?.into_iter().enumerate().collect();
    // The sort is stable, so BM25's order decides between equal similarities.
    order.sort_by(|(_, left), (_, right)| right.total_cmp(left));
    let mut scores = vec![0.0; keys.len()];
    for (place, (at, _)) in order.into_iter().enumerate() {
        if let Some(score) = scores.get_mut(at) {
            *score = (weight(at) + weight(place)) * BEST * (DAMPING + 1.0) / 2.0;
        }
    }
    Some(scores)
}

/// Returns the weight of a rank, counted from 0.
fn weight(place: usize) -> f32 {
    1.0 / (DAMPING + 1.0 + f32::from(u16::try_from(place).unwrap_or(u16::MAX)))
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    tokio::task::spawn_blocking(work).await.map_err(|_| "the stored vectors could not be used".to_owned())
}
