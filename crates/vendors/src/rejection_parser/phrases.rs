//! Tests if a refusal concerns a feature itself, and not one value of it or its combination with another.

/// Phrases that follow the name of a refused feature. The text has no apostrophes at this point.
const NOT_TAKEN: &[&str] = &[
    "not supported",
    "nt supported",
    "unsupported",
    "not available",
    "nt available",
    "unavailable",
    "not allowed",
    "not permitted",
    "not enabled",
    "not recognized",
    "unrecognized",
    "deprecated",
];

/// Phrases that precede the name of a refused feature.
const REFUSED: &[&str] = &[
    "unsupported",
    "not support",
    "nt support",
    "unknown",
    "unrecognized",
    "unrecognised",
    "unexpected",
    "not permitted",
    "not allowed",
];

/// Words for a field of a request.
const FIELD: &[&str] =
    &["parameter", "parameters", "argument", "arguments", "supplied", "field", "property", "name", "input"];

/// Words that make a refusal conditional.
const CONDITIONS: &[&str] = &[
    "stream",
    "together",
    "same time",
    "simultan",
    "combin",
    "when ",
    "while ",
    "unless ",
    "along ",
    "larger",
    "more than",
];

/// Returns true if the text contains one of the phrases as whole words and without a condition after it:
/// "does not support tools" matches, "support tool use in streaming mode" and "support `tool_choice`" do not.
pub(super) fn contains_unconditionally(plain: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| places(plain, phrase).any(|(_, after)| is_unconditional(after)))
}

/// Returns true if the text refuses the field itself: "Unsupported parameter: tools" does, "Invalid schema
/// for `response_format`: oneOf is not permitted" does not. `is_named` is true if the error names the field
/// outside of its message.
pub(super) fn refuses_field(plain: &str, name: &str, is_named: bool) -> bool {
    let name = name.to_lowercase();
    let mut places = places(plain, &name).peekable();
    if places.peek().is_none() {
        let is_about_field = FIELD.iter().any(|word| plain.contains(word)) || plain.contains("extra inputs");
        // A name that occurs only inside another, as in `tools[3].type`, is the actual subject of the text.
        return is_named && is_about_field && !plain.contains("schema") && !plain.contains(&name);
    }
    places.any(|(before, after)| {
        let before = last_sentence(before);
        let last = before.trim_end_matches([' ', ':']).rsplit(' ').next().unwrap_or_default();
        let is_refused_before = REFUSED.iter().any(|word| before.contains(word));
        if is_refused_before && (FIELD.contains(&last) || is_unconditional(after)) {
            return true;
        }
        let after = first_sentence(after);
        NOT_TAKEN.iter().filter_map(|verb| after.split_once(verb)).any(|(between, rest)| {
            between.split_whitespace().count() <= 6 && !between.contains(" with") && is_unconditional(rest)
        })
    })
}

/// Returns the text before and after each occurrence of `words` as whole words: `tool` does not occur in
/// `tool_choice`, nor `tools` in `tools[0]`.
fn places<'a>(plain: &'a str, words: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '[');
    plain.match_indices(words).filter_map(move |(at, _)| {
        let before = plain.get(..at)?;
        let after = plain.get(at.checked_add(words.len())?..)?;
        let goes_on = after.starts_with(is_part)
            || after.strip_prefix(['.', '-']).is_some_and(|rest| rest.starts_with(is_part));
        (!before.ends_with(is_part) && !before.ends_with('.') && !goes_on).then_some((before, after))
    })
}

fn first_sentence(text: &str) -> &str {
    let end = [". ", ";", "\n", ": "].iter().filter_map(|mark| text.find(mark)).min();
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

fn last_sentence(text: &str) -> &str {
    let start = [". ", ";", "\n"].iter().filter_map(|mark| text.rfind(mark)).max();
    start.and_then(|start| text.get(start..)).unwrap_or(text)
}

/// Returns true if the rest of a sentence adds at most where the refusal applies: "with this model", "yet".
fn is_unconditional(rest: &str) -> bool {
    const WHERE: &[&str] = &["in", "with", "for", "by", "on", "from", "to", "at"];
    const WHICH: &[&str] =
        &["this", "that", "the", "your", "our", "any", "model", "models", "it", "such", "all", "present"];
    const ENDS: &[&str] =
        &["or", "and", "yet", "now", "currently", "here", "anymore", "parameter", "parameters"];
    let rest = first_sentence(rest);
    if CONDITIONS.iter().any(|word| rest.contains(word)) {
        return false;
    }
    // A comma or a bracket starts another clause.
    let rest = rest.split([',', '(', '.']).next().unwrap_or_default();
    let mut words = rest.split_whitespace();
    match (words.next(), words.next()) {
        (None, _) => true,
        (Some(first), _) if ENDS.contains(&first) => true,
        (Some(first), Some(second)) if WHERE.contains(&first) => {
            WHICH.contains(&second) || second.starts_with("models/")
        }
        _ => false,
    }
}
