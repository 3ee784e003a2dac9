//! Which tools a few words mean: BM25 over names, descriptions and parameters.

use std::collections::{BTreeMap, BTreeSet};

/// How soon a word that is there often counts no more, and how much long texts are held against themselves.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// How often a name counts.
const NAME_WEIGHT: usize = 3;

/// Texts that can be searched.
#[derive(Default)]
pub(crate) struct Ranking {
    /// For each text how often each word is in it, and how many words it has.
    texts: Vec<(BTreeMap<String, f64>, f64)>,
    /// In how many texts each word is.
    spread: BTreeMap<String, f64>,
}

impl Ranking {
    /// Adds a tool: its name, and all other words about it.
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

    /// The best texts for some words, best first: their places in the order in which they were added.
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

/// The words of a text in small letters; `createIssue` and `create_issue` have two.
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
    // The plural finds the singular.
    for word in &mut words {
        if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") {
            word.pop();
        }
    }
    words
}

#[cfg(test)]
mod tests;
