//! The forms in which providers report the remaining quota and the time of its renewal.

use super::*;

#[track_caller]
fn check(text: &str, expected: Option<u64>) {
    // The first of May 2026, noon.
    let now = UNIX_EPOCH + Duration::from_hours(493_788);
    assert_eq!(wait(text, now).map(|wait| wait.as_millis()), expected.map(u128::from), "{text}");
}

#[test]
fn a_reset_is_read_in_any_form() {
    check("1s", Some(1_000));
    check("6m0s", Some(360_000));
    check("2m59.56s", Some(179_560));
    check("17ms", Some(17));
    check("1h2m3s", Some(3_723_000));
    check("0", Some(0));
    check("7.66", Some(7_660));
    check("1777636810", Some(10_000));
    check("1777636810000", Some(10_000));
    check("2026-05-01T12:00:10Z", Some(10_000));
    check("2026-05-01T12:00:10.5Z", Some(10_000));
    check("2026-05-01T14:00:10+02:00", Some(10_000));
    check("2024-02-29T00:00:00Z", Some(0));
    check("2026-06-01T12:00:00Z", Some(31 * 86_400_000));
}

#[test]
fn an_invalid_duration_parses_to_none() {
    for text in [
        "",
        "soon",
        "s",
        "5x",
        "-5",
        "NaN",
        "inf",
        "1e400",
        "2026-05-01",
        "2026-13-01T12:00:00Z",
        "2026-05-01T12:00:10",
    ] {
        check(text, None);
    }
    for junk in
        ["2026-05-01T12:00:00é", "é", "99999999999999999999999s", "2026-05-01Té", "2026-05-01T12:00:00+é9:00"]
    {
        let _ = wait(junk, SystemTime::now());
    }
}

fn read(headers: &[(&str, &str)]) -> Option<RateLimits> {
    let owned: Vec<(String, String)> =
        headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    RateLimits::read(&owned)
}

#[tokio::test(start_paused = true)]
async fn rate_limit_windows_are_parsed_separately() {
    let groq = read(&[
        ("x-ratelimit-limit-requests", "14400"),
        ("x-ratelimit-remaining-requests", "14370"),
        ("x-ratelimit-reset-requests", "2m59.56s"),
        ("x-ratelimit-limit-tokens", "18000"),
        ("x-ratelimit-remaining-tokens", "0"),
        ("x-ratelimit-reset-tokens", "7.66s"),
    ])
    .unwrap();
    assert_eq!(groq.requests.map(|window| (window.limit, window.remaining)), Some((Some(14_400), 14_370)));
    assert_eq!(groq.empty_until(), Some(Instant::now() + Duration::from_millis(7_660)));
    let claude = read(&[
        ("anthropic-ratelimit-input-tokens-remaining", "5"),
        ("anthropic-ratelimit-output-tokens-remaining", "0"),
        ("anthropic-ratelimit-output-tokens-reset", "2020-01-01T00:00:00Z"),
    ])
    .unwrap();
    assert_eq!((claude.input_tokens.unwrap().remaining, claude.tokens), (5, None));
    // The quota was exhausted, and is available again.
    assert_eq!(claude.empty_until(), None);
    let silent = read(&[("x-ratelimit-remaining", "0")]).unwrap();
    assert_eq!(silent.empty_until(), None);
    assert_eq!(read(&[("x-request-id", "1"), ("x-ratelimit-remaining-tokens", "many")]), None);
}

#[test]
fn names_of_models_are_remembered_up_to_a_number() {
    let paces = Paces::default();
    for name in 0..MODELS.saturating_mul(2) {
        paces.note(&name.to_string(), RateLimits::default());
    }
    assert!(paces.0.lock().unwrap().len() <= MODELS);
}
