//! Search for the name that a model probably meant.

/// Maximum length of a compared text, and maximum number of compared names.
const CHARACTERS: usize = 64;
const NAMES: usize = 256;

/// Returns the name nearest to a text, if its edit distance is at most a third of the longer one's length.
/// Case, dashes, underscores and spaces are ignored. Returns `None` if two names are equally near.
pub(crate) fn nearest<'a>(text: &str, names: &[&'a str]) -> Option<&'a str> {
    let written = plain(text)?;
    let mut best: Option<(usize, &str)> = None;
    let mut is_tie = false;
    for name in names.iter().take(NAMES) {
        let Some(known) = plain(name) else { continue };
        let distance = distance(&written, &known);
        if distance.saturating_mul(3) > known.len().max(written.len()) {
            continue;
        }
        match best {
            Some((least, _)) if least < distance => {}
            Some((least, _)) if least == distance => is_tie = true,
            _ => {
                best = Some((distance, name));
                is_tie = false;
            }
        }
    }
    best.filter(|_| !is_tie).map(|(_, name)| name)
}

/// Returns the characters that are compared.
fn plain(text: &str) -> Option<Vec<char>> {
    let plain: Vec<char> = text
        .chars()
        .take(CHARACTERS.saturating_add(1))
        .filter(|c| !matches!(c, '-' | '_' | ' '))
        .flat_map(char::to_lowercase)
        .collect();
    (1..=CHARACTERS).contains(&plain.len()).then_some(plain)
}

/// Returns the Levenshtein distance.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, c) in one.iter().enumerate() {
        let mut corner = at;
        let mut left = at.saturating_add(1);
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, d) in row.iter_mut().skip(1).zip(other) {
            let change = corner.saturating_add(usize::from(c != d));
            corner = *cell;
            left = change.min(corner.saturating_add(1)).min(left.saturating_add(1));
            *cell = left;
        }
    }
    row.last().copied().unwrap_or_default()
}
