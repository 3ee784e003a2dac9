//! Answers of `codebase_search` for the model.

use std::fmt::Write;

use windlass_text::count_noun;

use super::ranker::{Passage, Ranking};
use super::refresh::StaleFiles;

/// Maximum number of characters of a ranker's error message.
const MAX_REASON_CHARS: usize = 300;

/// Results of a search, with notes about them.
pub(super) struct Answer {
    pub(super) passages: Vec<Passage>,
    pub(super) asked: Vec<String>,
    pub(super) notes: String,
}

/// Sorts the passages by a ranker's scores, if these are valid.
pub(super) fn order(answer: &mut Answer, ranked: Result<Ranking, String>) {
    let is_order = |scores: &[f32]| {
        scores.len() == answer.passages.len() && scores.iter().all(|score| score.is_finite())
    };
    let reason = match ranked {
        Ok(Ranking { scores, note }) if is_order(&scores) => {
            for (passage, score) in answer.passages.iter_mut().zip(scores) {
                passage.score = score;
            }
            answer.passages.sort_by(|left, right| right.score.total_cmp(&left.score));
            if !note.is_empty() {
                answer.notes.push_str("; ");
                answer.notes.push_str(&in_a_line(&note));
            }
            return;
        }
        Ok(_) => "it gave no finite score for each place".to_owned(),
        Err(reason) => in_a_line(&reason),
    };
    // Writing into a string cannot fail.
    let _ = write!(answer.notes, "; the ranker failed ({reason}), so the order is BM25's");
}

/// Returns notes about the state of the index.
pub(super) fn notes(behind: StaleFiles, made: Option<&'static str>) -> String {
    let StaleFiles { secrets, left, unread, failed, is_busy, is_full, rules } = behind;
    let mut notes = made.map(|made| format!("; {made}")).unwrap_or_default();
    // Writing into a string cannot fail.
    if left > 0 {
        let (files, verb) = (count_noun(left, "file"), choose_verb(left));
        let _ = write!(notes, "; {files} {verb} not up to date in the index, call again for the rest");
    }
    if unread > 0 {
        let _ = write!(notes, "; {} could not be read", count_noun(unread, "file"));
    }
    if let Some(failed) = failed {
        let _ = write!(notes, "; the index could not be written ({})", in_a_line(&failed));
    }
    if is_busy {
        notes.push_str("; another process is writing the index");
    }
    if is_full {
        notes.push_str("; there are more files than the index holds");
    }
    if secrets > 0 {
        let (files, verb) = (count_noun(secrets, "file"), choose_verb(secrets));
        let _ = write!(notes, "; {files} with names of secrets {verb} not in the index");
    }
    notes.push_str(&rules.describe());
    notes
}

fn choose_verb(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// Returns the answer as text for the model.
pub(super) fn words(answer: &Answer) -> String {
    let Answer { passages, asked, notes } = answer;
    let words = asked.join(" ");
    if passages.is_empty() {
        return format!("[nothing found for {words}{notes}; try other words, or grep_file for exact text]");
    }
    let order = if passages.len() > 1 { ", best first" } else { "" };
    let places = count_noun(passages.len(), "place");
    let mut text = format!("[{places} for {words}{order}{notes}]\n");
    for Passage { path, lines: (first, last), symbol, text: snippet, score, .. } in passages {
        let symbol = symbol.as_deref().map(|symbol| format!(" {symbol}")).unwrap_or_default();
        // Writing into a string cannot fail.
        let _ = writeln!(text, "{path}:{first}-{last}{symbol} ({score:.1})\n{snippet}");
    }
    text
}

fn in_a_line(text: &str) -> String {
    let shown = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    shown.take(MAX_REASON_CHARS).collect()
}
