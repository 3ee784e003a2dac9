//! Counts that are known from elsewhere, and names.

use super::Tokenizer;

#[test]
fn an_estimate_is_a_token_for_four_bytes() {
    for (text, tokens) in [("", 0), ("a", 1), ("four", 1), ("fives", 2), ("äöü", 2)] {
        assert_eq!(Tokenizer::Unknown.count(text), tokens, "{text:?}");
    }
}

#[test]
fn a_tokenizer_serializes_as_its_name() {
    assert_eq!(serde_json::to_string(&Tokenizer::O200k).unwrap(), r#""o200k""#);
}

/// The counts of OpenAI's own examples (cookbook, "How to count tokens with tiktoken").
#[cfg(feature = "openai")]
#[test]
fn counts_are_those_of_the_published_examples() {
    let examples = [
        ("antidisestablishmentarianism", 6, 6),
        ("2 + 2 = 4", 7, 7),
        ("お誕生日おめでとう", 9, 8),
        ("tiktoken is great!", 6, 6),
    ];
    for (text, cl100k, o200k) in examples {
        assert_eq!(Tokenizer::Cl100k.count(text), cl100k, "{text}");
        assert_eq!(Tokenizer::O200k.count(text), o200k, "{text}");
    }
    assert!(Tokenizer::for_model("gpt-4o").is_exact());
}

#[cfg(feature = "openai")]
#[test]
fn a_very_long_text_is_counted_by_its_beginning() {
    let text = "all the same words ".repeat(100_000);
    let (whole, part) = (Tokenizer::O200k.count(&text), Tokenizer::O200k.count(&text[..1 << 20]));
    let like_the_whole = part * text.len() as u64 / (1 << 20);
    assert!(whole.abs_diff(like_the_whole) <= 1, "{whole} of {part}");
}
