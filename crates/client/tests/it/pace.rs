//! Waits between attempts, for the next window of a rate limit, and for new data. The time is paused, so that no test
//! waits.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use windlass_client::{ClientEvent, Options, Pace};
use windlass_stream::ModelErrorKind;

use crate::canned::{Answer, Canned};
use crate::server::{END, HELLO, ask, request, text};

const SLOW: &str = r#"{"error":{"message":"slow down","type":"rate_limit_error"}}"#;

fn hello() -> Answer {
    Answer::new(200, format!("{HELLO}{END}")).header("content-type", "text/event-stream")
}

fn seconds(count: f64) -> Duration {
    Duration::from_secs_f64(count)
}

// SECURITY, provider side: 200 ms base, 30 s cap, full jitter, four retries.
#[tokio::test(start_paused = true)]
async fn retries_wait_no_longer_than_doubling_waits() {
    let mut spread = std::collections::BTreeSet::new();
    for _ in 0..20 {
        let canned = Canned::new(vec![Answer::new(500, "{}")]);
        let error = ask(&canned.client("together").build().unwrap(), &request()).await.1.unwrap();
        assert_eq!(error.kind, ModelErrorKind::Server);
        let times = canned.times();
        assert_eq!(times.len(), 5);
        for (retry, pair) in times.windows(2).enumerate() {
            assert!(
                pair[1].saturating_sub(pair[0]) <= seconds(0.2 * f64::from(1 << retry)) + seconds(0.002),
                "{times:?}"
            );
        }
        spread.insert(times[4]);
    }
    // Clients that were refused at the same time do not retry at the same time.
    assert!(spread.len() > 10, "{spread:?}");
}

#[track_caller]
fn check_wait(refusal: Answer, at_least: f64, at_most: f64) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let canned = Canned::new(vec![refusal, hello()]);
        let (chunks, error) = ask(&canned.client("groq").build().unwrap(), &request()).await;
        assert!(error.is_none(), "{error:?}");
        assert_eq!(text(&chunks), "Hello");
        let waited = canned.times()[1];
        assert!(waited >= seconds(at_least) && waited <= seconds(at_most), "{waited:?}");
    });
}

// L9
#[test]
fn rate_limit_headers_set_the_wait() {
    let refused = || Answer::new(429, SLOW);
    check_wait(refused().header("retry-after", "7"), 7.0, 7.3);
    check_wait(refused().header("retry-after-ms", "1500").header("retry-after", "2"), 1.5, 1.8);
    check_wait(refused(), 0.0, 0.3);
    // Groq and OpenAI do not always use these words.
    let empty =
        refused().header("x-ratelimit-remaining-tokens", "0").header("x-ratelimit-reset-tokens", "12.5s");
    check_wait(empty, 12.5, 12.8);
    let some =
        refused().header("x-ratelimit-remaining-tokens", "5").header("x-ratelimit-reset-tokens", "12.5s");
    check_wait(some, 0.0, 0.3);
}

#[tokio::test(start_paused = true)]
async fn a_window_that_is_empty_is_waited_for_before_the_next_request() {
    let last = hello()
        .header("x-ratelimit-limit-requests", "30")
        .header("x-ratelimit-remaining-requests", "0")
        .header("x-ratelimit-reset-requests", "1m10s");
    let canned = Canned::new(vec![last, hello()]);
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = events.clone();
    let client = canned
        .client("groq")
        .on_event(move |event| seen.lock().unwrap().push(event.clone()))
        .build()
        .unwrap();
    assert_eq!(client.rate_limits("scripted-1"), None);
    assert_eq!(text(&ask(&client, &request()).await.0), "Hello");
    let window = client.rate_limits("scripted-1").unwrap().requests.unwrap();
    assert_eq!((window.limit, window.remaining), (Some(30), 0));
    // Another model has its own window.
    let mut other = request();
    other.model = "scripted-2".to_owned();
    assert_eq!(text(&ask(&client, &other).await.0), "Hello");
    assert_eq!(text(&ask(&client, &request()).await.0), "Hello");
    assert_eq!(canned.times(), [seconds(0.0), seconds(0.0), canned.times()[2]]);
    assert!(canned.times()[2] >= seconds(70.0) && canned.times()[2] < seconds(71.0), "{:?}", canned.times());
    let events = events.lock().unwrap().clone();
    assert!(matches!(&events[0], ClientEvent::Answer(info) if info.rate_limits.is_some()), "{events:?}");
    assert!(
        events.iter().any(|event| matches!(event, ClientEvent::Wait { wait } if *wait > seconds(69.0))),
        "{events:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_window_that_opens_after_the_deadline_is_not_waited_for() {
    let empty =
        hello().header("x-ratelimit-remaining-requests", "0").header("x-ratelimit-reset-requests", "2h");
    let canned = Canned::new(vec![empty, hello()]);
    let client = canned.client("groq").build().unwrap();
    for _ in 0..2 {
        assert_eq!(text(&ask(&client, &request()).await.0), "Hello");
    }
    assert_eq!(canned.times(), [seconds(0.0), seconds(0.0)]);
}

#[tokio::test(start_paused = true)]
async fn a_recording_is_not_waited_for() {
    let empty =
        hello().header("x-ratelimit-remaining-requests", "0").header("x-ratelimit-reset-requests", "1m");
    let refused = Answer::new(429, SLOW).header("retry-after", "20");
    let canned = Canned::new(vec![empty, refused, hello()]);
    let options = Options { pace: Pace::Ignored, ..Options::default() };
    let client = canned.client("groq").options(options).build().unwrap();
    for _ in 0..2 {
        assert_eq!(text(&ask(&client, &request()).await.0), "Hello");
    }
    assert_eq!(canned.times().last(), Some(&Duration::ZERO));
}

fn usage_only() -> &'static str {
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":0}}\n\n"
}

// SECURITY, provider side: pings are not content, nor is any other event without data.
#[tokio::test(start_paused = true)]
async fn only_data_resets_the_idle_timeout() {
    let options = Options { idle_timeout: seconds(10.0), ..Options::default() };
    for noise in [": ping\n\n", usage_only(), "data: "] {
        let mut answer = Answer::new(200, HELLO).header("content-type", "text/event-stream");
        for _ in 0..20 {
            answer = answer.then(seconds(4.0), noise);
        }
        let canned = Canned::new(vec![answer]);
        let begin = tokio::time::Instant::now();
        let (chunks, error) =
            ask(&canned.client("together").options(options).build().unwrap(), &request()).await;
        let error = error.unwrap();
        assert_eq!((text(&chunks).as_str(), error.kind), ("Hello", ModelErrorKind::Idle), "{noise:?}");
        assert!(error.message.contains("10s (the idle timeout)"), "{error}");
        assert_eq!(begin.elapsed().as_secs(), 10, "{noise:?}");
    }
    let mut answer = Answer::new(200, HELLO).header("content-type", "text/event-stream");
    for _ in 0..20 {
        answer = answer.then(seconds(9.0), HELLO);
    }
    let canned = Canned::new(vec![answer.then(seconds(9.0), END)]);
    let (chunks, error) = ask(&canned.client("together").options(options).build().unwrap(), &request()).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(text(&chunks), "Hello".repeat(21));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_never_ends_is_ended_by_the_total_timer() {
    let options = Options { total_timeout: seconds(60.0), ..Options::default() };
    let mut answer = Answer::new(200, HELLO).header("content-type", "text/event-stream");
    for _ in 0..20 {
        answer = answer.then(seconds(9.0), HELLO);
    }
    let canned = Canned::new(vec![answer]);
    let begin = tokio::time::Instant::now();
    let error =
        ask(&canned.client("together").options(options).build().unwrap(), &request()).await.1.unwrap();
    assert!(error.message.contains("60s (the total timeout)"), "{error}");
    assert_eq!(begin.elapsed().as_secs(), 60);
}

fn stream_error(code: u16) -> String {
    format!("data: {{\"error\":{{\"message\":\"upstream trouble\",\"code\":{code}}}}}\n\n")
}

// S12: an error before the first text is retried even if the status is 200.
#[tokio::test(start_paused = true)]
async fn an_error_that_is_the_first_event_is_tried_again() {
    for code in [429, 502] {
        let failed = Answer::new(200, format!("{}{}", usage_only(), stream_error(code)));
        let canned = Canned::new(vec![failed.clone(), failed.clone(), hello()]);
        let (chunks, error) = ask(&canned.client("openrouter").build().unwrap(), &request()).await;
        assert!(error.is_none(), "{error:?}");
        assert_eq!((text(&chunks).as_str(), canned.times().len()), ("Hello", 3));

        let canned = Canned::new(vec![failed]);
        let error = ask(&canned.client("openrouter").build().unwrap(), &request()).await.1.unwrap();
        for part in ["openrouter.ai", "upstream trouble", "after 5 attempts"] {
            assert!(error.message.contains(part), "{part} is not in {error}");
        }
    }
    // After the first text was returned, the request is not repeated.
    let canned = Canned::new(vec![Answer::new(200, format!("{HELLO}{}", stream_error(502))), hello()]);
    let (chunks, _) = ask(&canned.client("openrouter").build().unwrap(), &request()).await;
    assert_eq!((text(&chunks).as_str(), canned.times().len()), ("Hello", 1));
    // An invalid request is not repeated.
    let canned = Canned::new(vec![Answer::new(200, stream_error(400)), hello()]);
    ask(&canned.client("openrouter").build().unwrap(), &request()).await;
    assert_eq!(canned.times().len(), 1);
}

// A clock of minutes beside `Retry-After: 1` kept aimock's clients silent for as long as anybody waited.
#[test]
fn a_requested_wait_overrides_the_window_of_a_limit() {
    let refusal = |status: u16| {
        Answer::new(status, SLOW)
            .header("retry-after", "1")
            .header("x-ratelimit-remaining-tokens", "0")
            .header("x-ratelimit-reset-tokens", "6m0s")
    };
    check_wait(refusal(429), 1.0, 1.3);
    check_wait(refusal(503), 1.0, 1.3);
}

/// Number of requests that an overloaded provider gets within ten minutes, and their duration.
async fn overloaded(answer: Answer) -> (usize, Duration, windlass_stream::ModelError) {
    let canned = Canned::new(vec![answer]);
    let options = Options { retry_for: Duration::from_mins(10), ..Options::default() };
    let client = canned.client("together").options(options).build().unwrap();
    let error = ask(&client, &request()).await.1.unwrap();
    let times = canned.times();
    (times.len(), times.last().copied().unwrap_or_default(), error)
}

// L9
#[tokio::test(start_paused = true)]
async fn an_overloaded_provider_is_retried_for_the_configured_time() {
    for status in [429, 500, 503, 529] {
        let (requests, last, error) = overloaded(Answer::new(status, "{}")).await;
        assert!(requests > 10, "{status}: {requests}");
        // The last wait is shortened, so that the last request is sent when the time is over.
        let over = Duration::from_mins(10);
        assert!(last >= over && last < over + Duration::from_millis(100), "{status}: {last:?}");
        assert!(error.message.contains("given up after"), "{error}");
    }
    let (requests, _, _) = overloaded(Answer::new(400, "{}")).await;
    assert_eq!(requests, 1);
}

#[tokio::test(start_paused = true)]
async fn a_wait_over_the_limit_is_reported_with_its_time() {
    let (requests, _, error) = overloaded(Answer::new(429, SLOW).header("retry-after", "3600")).await;
    assert_eq!(requests, 1);
    assert!(error.message.contains("requests to wait 3600s, until "), "{error}");
    assert!(error.message.contains("GMT"), "{error}");
}
