//! Properties of any secrets and any bytes.

use proptest::collection::vec;
use proptest::prelude::*;
use windlass_redact::Redactor;
use windlass_testkit::oracle;

/// Redacts every byte of every occurrence by comparing at every position.
fn plain_redact(text: &[u8], secrets: &[String]) -> Vec<u8> {
    let mut is_covered = vec![false; text.len()];
    // Returns true if a secret continues from the byte before, so that one mark replaces both.
    let mut is_joined = vec![false; text.len()];
    for secret in secrets {
        for (at, window) in text.windows(secret.len()).enumerate() {
            if window == secret.as_bytes() {
                is_covered[at..at + secret.len()].fill(true);
                is_joined[at + 1..at + secret.len()].fill(true);
            }
        }
    }
    let mut clean = Vec::new();
    for (at, byte) in text.iter().enumerate() {
        match (is_covered[at], is_joined[at]) {
            (false, _) => clean.push(*byte),
            (true, false) => clean.extend_from_slice(Redactor::MARK.as_bytes()),
            (true, true) => {}
        }
    }
    clean
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn every_occurrence_is_covered_and_nothing_else(
        secrets in vec("[ab]{6,9}", 1..4),
        text in "[abc]{0,80}",
    ) {
        // These letters have no encoded forms, except for the values themselves.
        let redactor = Redactor::new(secrets.iter().map(|secret| secret.as_str().into()));
        let expected = plain_redact(text.as_bytes(), &secrets);
        prop_assert_eq!(redactor.redact_bytes(text.as_bytes()).into_owned(), expected);
    }

    #[test]
    fn the_oracle_holds_of_texts_with_their_own_pieces_as_secrets(bytes in vec(any::<u8>(), 0..400)) {
        oracle::redact(&bytes);
    }

    #[test]
    fn the_oracle_holds_of_few_letters(text in "[abc\"\\\\\n/=é]{0,200}") {
        oracle::redact(text.as_bytes());
    }
}

/// 1.6 MB that begin a secret at every other byte: were any byte read again for each, this would take hours.
#[test]
fn a_text_of_beginnings_takes_no_longer_than_another() {
    let secret = format!("{}b", "a".repeat(900));
    let text = "a".repeat(1_600_000);
    let redactor = Redactor::new([secret.as_str().into()]);
    assert!(!redactor.contains_secret(&text));
    let mut stream = redactor.stream();
    let given: usize = text.as_bytes().chunks(7).map(|piece| stream.push(piece).len()).sum();
    assert_eq!(given + stream.finish().len(), text.len());
}
