//! Tests of the guard with random times of keys.

use std::time::Duration;

use proptest::prelude::*;

use super::{KeyGuard, QUIET, SETTLE};

const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// Plays keys against a question that is drawn at a time, with a tick every `step`. Returns the times of the keys that
/// answered.
fn play(keys: &[u64], drawn: u64, step: u64) -> Vec<u64> {
    let (mut guard, mut answers, mut is_drawn) = (KeyGuard::default(), Vec::new(), false);
    let mut pressed = None;
    let end = keys.last().copied().unwrap_or(0).max(drawn) + 2_000;
    for now in 0..end {
        for key in keys.iter().filter(|key| **key == now) {
            if guard.press('y', ms(now)) {
                pressed = Some(*key);
            }
        }
        if now >= drawn && !is_drawn {
            guard.observe_drawing(ms(now));
            is_drawn = true;
        }
        if now % step == 0 && guard.advance(ms(now), true).is_some() {
            answers.extend(pressed.take());
        }
    }
    answers
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn keys_before_the_question_and_bursts_never_answer(
        gaps in proptest::collection::vec(0_u64..700, 1..12),
        drawn in 0_u64..3_000,
        step in 1_u64..40,
    ) {
        let keys: Vec<u64> = gaps.iter().scan(0, |at, gap| { *at += gap; Some(*at) }).collect();
        for answer in play(&keys, drawn, step) {
            prop_assert!(ms(answer) >= ms(drawn) + QUIET, "a key at {answer} answered the question of {drawn}");
            let earlier = keys.iter().filter(|key| **key < answer).max();
            if let Some(earlier) = earlier.filter(|earlier| **earlier + 700 > answer && **earlier >= drawn) {
                // The previous key was an answer itself, or a quiet time separates both keys.
                prop_assert!(ms(answer - earlier) >= SETTLE, "the burst {earlier}, {answer} answered");
            }
            prop_assert!(keys.iter().filter(|key| **key == answer).count() == 1, "two keys at {answer}");
        }
    }
}

#[test]
fn a_key_after_the_quiet_time_answers() {
    assert_eq!(play(&[1_000], 500, 10), [1_000]);
    assert_eq!(play(&[600], 500, 10), [0_u64; 0]);
    // Keys every 10 ms around the appearance.
    let keys: Vec<u64> = (0..200).map(|at| at * 10).collect();
    assert_eq!(play(&keys, 1_000, 10), [0_u64; 0]);
}

#[test]
fn a_stalled_program_does_not_count_the_keys_of_the_stall() {
    let mut guard = KeyGuard::default();
    guard.observe_drawing(ms(0));
    // The program stalled for a second after the drawing, and keys wait: the tick is not idle.
    assert_eq!(guard.advance(ms(1_000), false), None);
    assert!(!guard.press('y', ms(1_000)));
    assert_eq!(guard.advance(ms(1_000), true), None);
    assert!(!guard.is_armed());
}
