//! BM25's order and that of embeddings, made one.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use windlass_protocol::Effect;

use super::embedder::{Embedder, EmbeddingLimits};
use super::ranker::{Passage, RankFuture, Ranker, Ranking};
use super::vectors::{Key, Vector, Vectors, key};

/// How fast a place counts less (Cormack, Clarke and Büttcher, SIGIR 2009, found that this number does not matter much).
const DAMPING: f32 = 60.0;
/// What is first in both orders has this score.
const BEST: f32 = 100.0;

/// Ranks passages by their places in two orders: BM25's, and that of the likeness between embeddings.
///
/// The orders are fused by reciprocal rank: BM25's numbers have no upper end and change their scale with each query,
/// cosines lie close together in a band that is each model's own, and nothing here is there to train a weight by. Places
/// need no common scale, and one order that is wrong cannot outvote the other by far.
#[derive(Debug)]
pub(super) struct EmbeddingRanker {
    embedder: Arc<dyn Embedder>,
    limits: EmbeddingLimits,
    vectors: Arc<Vectors>,
}

/// What one search asks about.
struct Wanted<'a> {
    query: &'a str,
    texts: &'a [String],
    keys: &'a [Key],
}

/// What is known so far, also where the time ends before all is.
#[derive(Default)]
struct Found {
    query: Option<Vector>,
    of: HashMap<Key, Vector>,
    fresh: Vec<(Key, Vector)>,
}

impl EmbeddingRanker {
    /// A ranker that keeps vectors in a folder.
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
        let mut found = Found { of, ..Found::default() };
        let wanted = Wanted { query: cut(query, self.limits.passage_bytes), texts: &texts, keys: &keys };
        let asked = tokio::time::timeout(self.limits.total, self.ask(&wanted, &mut found)).await;
        let fresh = std::mem::take(&mut found.fresh);
        let sent = fresh.len();
        let vectors = Arc::clone(&self.vectors);
        // What came before the time was over need not be asked for again.
        let kept = blocking(move || vectors.keep(&fresh)).await?;
        asked
            .unwrap_or_else(|_| Err(format!("there was no answer within {:?}", self.limits.total)))
            .map_err(|error| format!("{name}: {error}"))?;
        let scores = fused(&found, &keys).ok_or_else(|| format!("{name}: a vector is missing"))?;
        let mut note = format!("ranked by words and by {name}, which was sent {sent} passages");
        if let Err(error) = kept {
            note = format!("{note} and whose vectors could not be kept ({error})");
        }
        Ok(Ranking::of(scores).with_note(note))
    }

    /// Asks for the vectors of the query and of all passages that none is known of.
    async fn ask(&self, wanted: &Wanted<'_>, found: &mut Found) -> Result<(), String> {
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
            // A model that gives other vectors than it did makes all that was kept worthless.
            let length = found.query.as_ref().map_or(0, |query| query.len());
            let before = found.of.len();
            found.of.retain(|_, vector| vector.len() == length);
            if found.of.len() < before {
                missing = self::missing(wanted, &found.of);
            }
        }
    }

    /// The next texts that fit into one request, the query first.
    fn batch<'a>(
        &self,
        wanted: &Wanted<'a>,
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

/// The passages without a vector, equal ones once.
fn missing(wanted: &Wanted<'_>, of: &HashMap<Key, Vector>) -> VecDeque<usize> {
    let mut seen = HashSet::new();
    let all = wanted.keys.iter().enumerate();
    all.filter(|(_, key)| !of.contains_key(*key) && seen.insert(**key)).map(|(at, _)| at).collect()
}

/// What a passage is embedded as: where it stands says something of what it means.
fn text_of(passage: &Passage, limits: EmbeddingLimits) -> String {
    let symbol = passage.symbol.as_deref().unwrap_or_default();
    let text = format!("{} {symbol}\n{}", passage.path, passage.body);
    cut(&text, limits.passage_bytes).to_owned()
}

fn cut(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default()
}

/// The same direction with the length one, or the zero vector, which is like nothing.
fn unit(vector: &[f32]) -> Option<Vector> {
    if vector.iter().any(|number| !number.is_finite()) {
        return None;
    }
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    #[expect(clippy::cast_possible_truncation, reason = "no part of a vector of length one is above one")]
    let part = |number: &f32| if length > 0.0 { (f64::from(*number) / length) as f32 } else { 0.0 };
    Some(vector.iter().map(part).collect())
}

/// The scores of passages, which are in BM25's order; none if a vector is missing.
fn fused(found: &Found, keys: &[Key]) -> Option<Vec<f32>> {
    let query = found.query.as_ref()?;
    let likeness = |vector: &Vector| query.iter().zip(vector.iter()).map(|(left, right)| left * right).sum();
    let likeness: Option<Vec<f32>> = keys.iter().map(|key| Some(likeness(found.of.get(key)?))).collect();
    let mut order: Vec<(usize, f32)> = likeness?.into_iter().enumerate().collect();
    // Of equals the one that BM25 likes better: the sort is stable.
    order.sort_by(|(_, left), (_, right)| right.total_cmp(left));
    let mut scores = vec![0.0; keys.len()];
    for (place, (at, _)) in order.into_iter().enumerate() {
        if let Some(score) = scores.get_mut(at) {
            *score = (weight(at) + weight(place)) * BEST * (DAMPING + 1.0) / 2.0;
        }
    }
    Some(scores)
}

/// What a place in an order, counted from 0, is worth.
fn weight(place: usize) -> f32 {
    1.0 / (DAMPING + 1.0 + f32::from(u16::try_from(place).unwrap_or(u16::MAX)))
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| "the vectors that are kept could not be used".to_owned())
}
