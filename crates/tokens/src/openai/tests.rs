//! Counts beside those of a second implementation, and stacks.

use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(text: &str) {
    let beginning: String = text.chars().take(80).collect();
    assert_eq!(
        count(Encoding::O200k, text),
        Some(bpe_openai::o200k_base().count(text) as u64),
        "{beginning:?}"
    );
    assert_eq!(
        count(Encoding::Cl100k, text),
        Some(bpe_openai::cl100k_base().count(text) as u64),
        "{beginning:?}"
    );
}

#[test]
fn repeated_texts_have_the_counts_of_another_implementation() {
    let units =
        ["a", " ", "\n", "\t", "1", "=", "\u{e9}", "\u{6f22}", "\u{1f600}", "ab", " \n", "\r\n", "aA", "'s"];
    for unit in units.into_iter().chain(["\u{300}", "\u{3000}", "/", ".\n/", "\u{85}", "\u{130}", "\u{17f}"])
    {
        for count in [1, 2, 3, 7, 31, 100, 1_000] {
            check(&unit.repeat(count));
            check(&format!("x{}y", unit.repeat(count)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_text_has_the_count_of_another_implementation(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn code_and_spaces_have_the_count_of_another_implementation(
        text in "[a-dA-D0-3 \\t\\r\\n'’.,/_(){}=\u{300}\u{e9}\u{df}\u{6f22}\u{30ab}\u{3000}\u{a0}sStTreVEllmdD]{0,60}",
    ) {
        check(&text);
    }
}

// The cache of `tiktoken` does not fit into this stack.
#[test]
fn a_thread_with_a_small_stack_can_count() {
    let thread = thread::Builder::new().stack_size(128 * 1024);
    let counted = thread.spawn(|| count(Encoding::O200k, " zzqqkkjxq")).unwrap().join().unwrap();
    assert!(counted > Some(1), "{counted:?}");
}

#[test]
fn many_threads_get_their_own_counts() {
    thread::scope(|scope| {
        for number in 1..20_usize {
            scope.spawn(move || {
                for _ in 0..20 {
                    assert_eq!(count(Encoding::O200k, &" word".repeat(number)), Some(number as u64));
                }
            });
        }
    });
}

// The time grows as n log n: a piece without spaces or letters is merged with a heap.
#[test]
fn a_mebibyte_of_one_letter_is_counted() {
    for unit in ["a", " ", "=", "\n"] {
        let text = unit.repeat(MOST_COUNTED);
        assert_eq!(
            count(Encoding::O200k, &text),
            Some(bpe_openai::o200k_base().count(text.as_str()) as u64),
            "{unit:?}"
        );
    }
}
