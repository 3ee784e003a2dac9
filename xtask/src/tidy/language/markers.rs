//! Markers of the private dialect in a sentence.

/// Words that start a sentence without a subject.
const BEGINNINGS: [&str; 8] = ["what", "whatever", "how", "who", "whoever", "whose", "whether", "why"];

/// Free relatives in the middle of a sentence: "what" followed by one of these words.
const BEHIND_WHAT: [&str; 12] =
    ["is", "was", "are", "were", "it", "the", "they", "has", "had", "a", "an", "comes"];

/// Phrases of whole words: negated nouns, everyday verbs for technical events, missing nouns.
const PHRASES: [&str; 30] = [
    "is no",
    "are no",
    "was no",
    "is none",
    "are none",
    "nobody",
    "nobody's",
    "nothing of",
    "none of it",
    "somebody",
    "whoever",
    "told",
    "tells",
    "tell",
    "says",
    "said",
    "say",
    "stands",
    "stand",
    "stood",
    "go on",
    "goes on",
    "went on",
    "going on",
    "put by",
    "lent",
    "lends",
    "hears",
    "is there",
    "are there",
];

/// Returns true if the sentence begins with an interrogative word and is not a question.
pub(super) fn is_interrogative(sentence: &str) -> bool {
    let first = sentence.split_whitespace().next().unwrap_or_default();
    // `Why:` before a reason is a label and not the begin of a sentence.
    let is_label = first.ends_with(':');
    let word = first.trim_matches(is_around_word).to_lowercase();
    BEGINNINGS.contains(&word.as_str()) && !is_label && !sentence.ends_with('?')
}

/// Returns the first marker of the sentence.
pub(super) fn first_in(sentence: &str) -> Option<String> {
    let words: Vec<String> = sentence
        .split_whitespace()
        .map(|word| word.trim_matches(is_around_word).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    let first = words.first()?;
    if is_interrogative(sentence) {
        return Some(format!("begins with {first}"));
    }
    if sentence.starts_with("The same") {
        return Some("begins with the same".to_owned());
    }
    for pair in words.windows(2) {
        if let [what, next] = pair
            && what == "what"
            && BEHIND_WHAT.contains(&next.as_str())
        {
            return Some(format!("what {next}"));
        }
    }
    let joined = format!(" {} ", words.join(" "));
    PHRASES.iter().find(|phrase| joined.contains(&format!(" {phrase} "))).map(|phrase| (*phrase).to_owned())
}

/// Returns true for punctuation. A brace belongs to its word, because `{what}` in a message is another text.
fn is_around_word(c: char) -> bool {
    !c.is_alphanumeric() && !matches!(c, '\'' | '{')
}
