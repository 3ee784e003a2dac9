//! Tests of the counting of markers.

use super::literals::read_literals;
use super::markers::first_in;
use super::names::{find_definitions, is_odd};
use super::sentences::{Sentence, read_markdown, read_source};

fn texts(sentences: &[Sentence]) -> Vec<&str> {
    sentences.iter().map(|sentence| sentence.text.as_str()).collect()
}

#[test]
fn comments_are_cut_into_sentences() {
    let source = "\
//! Reads a file. It stops
//! at the end.
//!
//! ```
//! what_is_code();
//! ```
fn a() {} // not a line of its own
    /// Returns `what is` here, e.g. a name.
    fn b() {}
";
    let found = read_source(source);
    assert_eq!(texts(&found), ["Reads a file.", "It stops at the end.", "Returns CODE here, e.g. a name."]);
    assert_eq!(found.iter().map(|sentence| sentence.line).collect::<Vec<_>>(), [1, 1, 8]);
}

#[test]
fn headings_tables_and_code_are_not_sentences() {
    let page = "# What it is\n\nOne two.\n\n| what is | told |\n\n```\nnobody here\n```\n- First point.\n- Second point.\n";
    assert_eq!(texts(&read_markdown(page)), ["One two.", "First point.", "Second point."]);
}

#[test]
fn messages_are_read_from_literals_of_every_form() {
    let source = r##"
const A: &str = "the \"first\" of \
    two lines. It ends here now.";
fn a<'a>(c: char) -> &'a str { // "not a literal of the code"
    if c == '"' || c == '\'' || matches!(c, '\u{22}') { return "too short"; }
    writer("writer");
    r#"a raw "text" with `what is` code"#;
    r#"{"description":"How many lines to show.","minimum":1}"#
}
#[cfg(test)]
mod tests {
    const B: &str = "a text of the tests only";
}
"##;
    let found = read_literals(source);
    assert_eq!(
        texts(&found),
        [
            "the \"first\" of two lines.",
            "It ends here now.",
            "a raw \"text\" with CODE code",
            "How many lines to show."
        ]
    );
    assert_eq!(found.iter().map(|sentence| sentence.line).collect::<Vec<_>>(), [2, 2, 7, 8]);
}

#[test]
fn markers_are_found_and_plain_sentences_have_none() {
    let marked = [
        "What is told of servers as it happens.",
        "How long an answer may take.",
        "Dropping it is nobody being there any more.",
        "It is no UTF-8.",
        "It keeps what is needed.",
        "The same, with a limit.",
        "The run goes on.",
    ];
    for sentence in marked {
        assert!(first_in(sentence).is_some(), "{sentence}");
    }
    let plain = [
        "Returns the number of bytes that follow.",
        "Sends the request and waits for the first chunk.",
        "What should happen here?",
        "Why: providers reject empty results.",
        "KMP failure function of CODE.",
        "{what} is missing in the answer",
    ];
    for sentence in plain {
        assert_eq!(first_in(sentence), None, "{sentence}");
    }
}

#[test]
fn names_that_are_neither_verbs_nor_nouns_are_found() {
    for name in ["sent", "said", "without_secrets", "Told", "Judged", "still", "of_run", "outside"] {
        assert!(is_odd(name), "{name}");
    }
    for name in
        ["send", "with_limit", "is_sent", "Sender", "SharedBudget", "into_parts", "feed", "TakenPlaces"]
    {
        assert!(!is_odd(name), "{name}");
    }
    let defined = find_definitions(
        "pub(crate) async fn sent(x: u8) {}\n// fn no()\npub struct Told<'a>;\nlet f: fn (u8);\n",
    );
    assert_eq!(
        defined.iter().map(|name| (name.line, name.word)).collect::<Vec<_>>(),
        [(1, "sent"), (3, "Told")]
    );
}
