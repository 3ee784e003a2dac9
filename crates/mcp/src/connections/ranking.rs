//! Full-text search of tools with BM25 over names, descriptions and parameters.

use std::collections::{BTreeMap, BTreeSet};

/// BM25 parameters: saturation of repeated words, and penalty for long texts.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Number of times that a name's words are counted.
const NAME_WEIGHT: usize = 3;

/// An index of texts.
#[derive(Default)]
pub(crate) struct Ranking {
    /// For each text the count of each word, and the number of words.
    texts: Vec<(BTreeMap<String, f64>, f64)>,
    /// For each word the number of texts that contain it.
    spread: BTreeMap<String, f64>,
}

impl Ranking {
    /// Adds a tool's text. The words of the name have more weight.
    pub(crate) fn push(&mut self, name: &str, rest: &str) {
        let mut counts = BTreeMap::<String, f64>::new();
        let mut length = 0.0;
        let name = words(name);
        let repeated = std::iter::repeat_n(&name, NAME_WEIGHT).flatten().cloned();
        for word in repeated.chain(words(rest)) {
            *counts.entry(word).or_default() += 1.0;
            length += 1.0;
        }
        for word in counts.keys() {
            *self.spread.entry(word.clone()).or_default() += 1.0;
        }
        self.texts.push((counts, length));
    }

    /// Returns the indices of the best texts for a query, best first, in the order of `push`. Texts without a
    /// word of the query are omitted.
    pub(crate) fn best(&self, query: &str, most: usize) -> Vec<usize> {
        let asked: BTreeSet<String> = words(query).into_iter().collect();
        let count = self.texts.iter().fold(0.0, |count, _| count + 1.0);
        let total: f64 = self.texts.iter().map(|(_, length)| length).sum();
        let average = if count > 0.0 { (total / count).max(1.0) } else { 1.0 };
        let score = |(counts, length): &(BTreeMap<String, f64>, f64)| -> f64 {
            let of_word = |word: &String| {
                let often = counts.get(word).copied().unwrap_or_default();
                let spread = self.spread.get(word).copied().unwrap_or_default();
                let rare = ((count - spread + 0.5) / (spread + 0.5) + 1.0).ln();
                rare * often * (K1 + 1.0) / (often + K1 * (1.0 - B + B * length / average))
            };
            asked.iter().map(of_word).sum()
        };
        let scored = self.texts.iter().map(score).enumerate().filter(|(_, score)| *score > 0.0);
        let mut scored: Vec<(usize, f64)> = scored.collect();
        scored.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        scored.into_iter().take(most).map(|(place, _)| place).collect()
    }
}

/// Splits a text into lower-case words; `createIssue` and `create_issue` both have two.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_small = false;
    for letter in text.chars() {
        let begins = letter.is_uppercase() && was_small;
        if (begins || !letter.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        was_small = letter.is_lowercase() || letter.is_numeric();
    }
    if !word.is_empty() {
        words.push(word);
    }
    // Simple stemming: removes a plural s.
    for word in &mut words {
        if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") {
            word.pop();
        }
    }
    words
}

#[cfg(test)]
mod tests;
