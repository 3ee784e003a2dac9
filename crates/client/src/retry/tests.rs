//! Tests of the failures that are retried, and of the length of the waits.

use super::*;

fn attempt(kind: ModelErrorKind, status: Option<u16>) -> Attempt {
    Attempt { status, ..ModelError::new(kind, "failed").into() }
}

#[track_caller]
fn check(kind: ModelErrorKind, statuses: &[u16], expected: bool) {
    for status in statuses {
        assert_eq!(attempt(kind, Some(*status)).is_worth_another(), expected, "{kind:?} {status}");
    }
}

// L9
#[test]
fn only_transient_failures_are_retried() {
    check(ModelErrorKind::Server, &[408, 409, 500, 502, 503, 529], true);
    check(ModelErrorKind::RateLimit, &[429, 503], true);
    check(ModelErrorKind::Refused, &[429, 402, 400, 500], false);
    check(ModelErrorKind::Configuration, &[401, 403, 404, 500], false);
    check(ModelErrorKind::RateLimit, &[400, 413], false);
}

#[test]
fn without_an_answer_only_an_unreached_server_is_tried_again() {
    assert!(attempt(ModelErrorKind::Unreachable, None).is_worth_another());
    for kind in [ModelErrorKind::Idle, ModelErrorKind::Dropped, ModelErrorKind::Malformed] {
        assert!(!attempt(kind, None).is_worth_another(), "{kind:?}");
    }
}

#[test]
fn the_longer_of_both_waits_counts() {
    let far = add_wait(Instant::now(), Duration::from_hours(1));
    let asked = |wait| {
        let error = ModelError::new(ModelErrorKind::RateLimit, "slow").with_retry_after(Some(wait));
        Attempt { status: Some(429), ..error.into() }
    };
    let seconds = Duration::from_secs;
    assert_eq!(asked(seconds(40)).wait(seconds(30), far), Some(seconds(40)));
    assert!(asked(seconds(0)).wait(seconds(30), far).is_some_and(|wait| wait <= seconds(30)));
    // A request whose wait would exceed the total timer is not repeated.
    assert_eq!(asked(seconds(86_400)).wait(seconds(1), far), None);
}

#[test]
fn waits_double_up_to_the_longest_and_end() {
    let options = Options { retries: 9, ..Options::default() };
    let waits: Vec<u128> = waits(&options).map(|wait| wait.as_millis()).collect();
    assert_eq!(waits, [200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000]);
    assert_eq!(super::waits(&Options { retries: 0, ..options }).count(), 0);
}

#[test]
fn an_endless_wait_is_far_away() {
    let now = Instant::now();
    assert!(add_wait(now, Duration::MAX) > now);
}
