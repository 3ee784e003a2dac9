//! Detection of functions and types that are named by a participle, a preposition or an adverb.

/// A name with the line of its definition.
pub(super) struct Name<'a> {
    pub(super) line: usize,
    pub(super) is_function: bool,
    pub(super) word: &'a str,
}

/// Irregular participles, prepositions, adverbs and everyday adjectives.
const ODD: [&str; 103] = [
    "about",
    "above",
    "across",
    "after",
    "again",
    "ahead",
    "along",
    "alone",
    "already",
    "among",
    "apart",
    "around",
    "aside",
    "away",
    "before",
    "begun",
    "behind",
    "below",
    "beneath",
    "beside",
    "between",
    "beyond",
    "born",
    "bound",
    "broken",
    "brought",
    "built",
    "by",
    "chosen",
    "come",
    "done",
    "down",
    "during",
    "else",
    "ever",
    "fallen",
    "felt",
    "for",
    "forgotten",
    "found",
    "given",
    "gone",
    "got",
    "gotten",
    "grown",
    "heard",
    "held",
    "here",
    "hidden",
    "in",
    "inside",
    "kept",
    "known",
    "laid",
    "lately",
    "led",
    "left",
    "lent",
    "lost",
    "made",
    "meant",
    "met",
    "near",
    "of",
    "off",
    "on",
    "out",
    "outside",
    "over",
    "overheard",
    "past",
    "put",
    "ran",
    "said",
    "seen",
    "sent",
    "shown",
    "since",
    "sought",
    "spoken",
    "spent",
    "spread",
    "still",
    "taken",
    "taught",
    "then",
    "there",
    "thrown",
    "told",
    "took",
    "torn",
    "toward",
    "under",
    "until",
    "upon",
    "used",
    "where",
    "why",
    "while",
    "with",
    "within",
    "without",
    "written",
];

/// Words with the ending `-ed` that are nouns, verbs or terms of the field.
const REGULAR: [&str; 16] = [
    "seed", "feed", "need", "speed", "embed", "shed", "exceed", "proceed", "succeed", "unified", "signed",
    "sorted", "checked", "typed", "embedded", "shared",
];

/// Returns every function, struct, enum and trait that the file defines.
pub(super) fn find_definitions(content: &str) -> Vec<Name<'_>> {
    let mut names = Vec::new();
    for (line, text) in (1..).zip(content.lines()) {
        let code = text.trim_start();
        if code.starts_with("//") {
            continue;
        }
        for keyword in ["fn ", "struct ", "enum ", "trait "] {
            let Some((before, after)) = code.split_once(keyword) else {
                continue;
            };
            let is_definition = before.split_whitespace().all(|word| {
                matches!(word, "pub" | "const" | "async" | "unsafe" | "default") || word.starts_with("pub(")
            });
            let end = after.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(after.len());
            if is_definition && let Some(word) = after.get(..end).filter(|word| !word.is_empty()) {
                names.push(Name { line, is_function: keyword == "fn ", word });
            }
        }
    }
    names
}

/// Returns true if the name's only word, or its first, is a participle, a preposition or an adverb. The
/// conventions of the standard library (`with_`, `into_`, `from_`, `is_`) are allowed.
pub(super) fn is_odd(name: &str) -> bool {
    let words = words_of(name);
    let Some(first) = words.first() else {
        return false;
    };
    if words.len() > 1 && matches!(first.as_str(), "with" | "for" | "in" | "on" | "put" | "left" | "found") {
        return false;
    }
    let is_regular_participle =
        first.ends_with("ed") && first.len() > 4 && !REGULAR.contains(&first.as_str());
    let is_adjective_of_a_noun = words.len() > 1 && name.starts_with(char::is_uppercase);
    !is_adjective_of_a_noun && (ODD.contains(&first.as_str()) || is_regular_participle)
}

/// Splits `SomeName` and `some_name` into words in lower case.
fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = '_';
    for c in name.chars() {
        let begins = before == '_' || (c.is_uppercase() && !before.is_uppercase());
        if begins && c != '_' {
            words.push(String::new());
        }
        if c != '_'
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words
}
