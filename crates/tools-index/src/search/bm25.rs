//! BM25, the measure of relevance.

/// Saturation of repeated words, and weight of the field's length: the values of Lucene.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// Relevance of one word in one field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bm25 {
    weight: f32,
    /// Average length of the field, in words.
    average: f32,
}

impl Bm25 {
    /// Creates the measure for a word that `count` of `all` chunks contain, in a field with `words` words in
    /// all chunks.
    pub(super) fn new(boost: f32, count: u64, all: u64, words: u64) -> Self {
        let (count, all) = (to_float(count), to_float(all.max(count).max(1)));
        let rarity = (1.0 + (all - count + 0.5) / (count + 0.5)).ln();
        Self { weight: boost * rarity * (1.0 + K1), average: (to_float(words) / all).max(f32::MIN_POSITIVE) }
    }

    /// Returns the score of a chunk that contains the word `frequency` times in a field of `length` words.
    pub(super) fn score(self, frequency: u32, length: u32) -> f32 {
        let (frequency, length) = (to_float(u64::from(frequency)), to_float(u64::from(length)));
        self.weight * frequency / (frequency + K1 * (1.0 - B + B * length / self.average))
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a relative error of one in ten million does not matter for scores"
)]
fn to_float(number: u64) -> f32 {
    number as f32
}

#[cfg(test)]
mod tests {
    use super::Bm25;

    // Computed by hand: ln(1 + 8.5 / 2.5) * 2.2 * 2 / (2 + 1.2 * (0.25 + 0.75 * 4 / 5)).
    #[test]
    fn the_score_is_that_of_the_formula() {
        let measure = Bm25::new(1.0, 2, 10, 50);
        assert!((measure.score(2, 4) - 2.158_6).abs() < 0.001, "{}", measure.score(2, 4));
        assert!((Bm25::new(3.0, 2, 10, 50).score(2, 4) - 3.0 * measure.score(2, 4)).abs() < 0.001);
    }

    #[test]
    fn rare_terms_and_short_fields_score_higher() {
        let common = Bm25::new(1.0, 9, 10, 50);
        let rare = Bm25::new(1.0, 1, 10, 50);
        assert!(rare.score(1, 5) > common.score(1, 5) && common.score(1, 5) > 0.0);
        assert!(rare.score(1, 2) > rare.score(1, 5) && rare.score(2, 5) > rare.score(1, 5));
        // An empty index has no words, and no score is infinite.
        assert!(Bm25::new(1.0, 0, 0, 0).score(1, 1).is_finite());
    }
}
