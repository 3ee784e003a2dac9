//! Rate limits from response headers.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

use crate::transport::header;

/// Rate limits of a model, from the headers of its last answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RateLimits {
    /// Number of requests.
    pub requests: Option<Window>,
    /// Tokens of requests and answers together.
    pub tokens: Option<Window>,
    /// Tokens of requests.
    pub input_tokens: Option<Window>,
    /// Tokens of answers.
    pub output_tokens: Option<Window>,
}

/// Rate limit of one time window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Window {
    /// Limit of the window; `None` if the provider does not send it.
    pub limit: Option<u64>,
    /// Remaining amount.
    pub remaining: u64,
    /// Time of the reset; `None` if the provider does not send it.
    pub resets_at: Option<Instant>,
}

/// Maximum number of models whose limits are remembered.
const MODELS: usize = 1024;

/// Rate limits by model, because providers count each model separately.
#[derive(Debug, Default)]
pub(crate) struct Paces(Mutex<HashMap<String, RateLimits>>);

/// Names of the headers (limit, remaining, reset): the OpenAI family (Groq, xAI, Cerebras, Azure), Anthropic,
/// and the plain form of Together and GitHub.
const HEADERS: [(Kind, [&str; 3]); 7] = [
    (
        Kind::Requests,
        ["x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"],
    ),
    (Kind::Tokens, ["x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"]),
    (
        Kind::Requests,
        [
            "anthropic-ratelimit-requests-limit",
            "anthropic-ratelimit-requests-remaining",
            "anthropic-ratelimit-requests-reset",
        ],
    ),
    (
        Kind::Tokens,
        [
            "anthropic-ratelimit-tokens-limit",
            "anthropic-ratelimit-tokens-remaining",
            "anthropic-ratelimit-tokens-reset",
        ],
    ),
    (
        Kind::Input,
        [
            "anthropic-ratelimit-input-tokens-limit",
            "anthropic-ratelimit-input-tokens-remaining",
            "anthropic-ratelimit-input-tokens-reset",
        ],
    ),
    (
        Kind::Output,
        [
            "anthropic-ratelimit-output-tokens-limit",
            "anthropic-ratelimit-output-tokens-remaining",
            "anthropic-ratelimit-output-tokens-reset",
        ],
    ),
    (Kind::Requests, ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"]),
];

#[derive(Clone, Copy)]
enum Kind {
    Requests,
    Tokens,
    Input,
    Output,
}

impl RateLimits {
    /// Parses the rate limits in the headers of an answer. Returns `None` if there are not any.
    pub(crate) fn read(headers: &[(String, String)]) -> Option<Self> {
        let (now, wall) = (Instant::now(), SystemTime::now());
        let mut limits = Self::default();
        for (kind, [limit, remaining, reset]) in HEADERS {
            let window = match kind {
                Kind::Requests => &mut limits.requests,
                Kind::Tokens => &mut limits.tokens,
                Kind::Input => &mut limits.input_tokens,
                Kind::Output => &mut limits.output_tokens,
            };
            let number = |name| header(headers, name).and_then(|text| text.trim().parse::<u64>().ok());
            if let (None, Some(remaining)) = (&window, number(remaining)) {
                let wait = header(headers, reset).and_then(|text| wait(text, wall));
                let resets_at = wait.and_then(|wait| now.checked_add(wait));
                *window = Some(Window { limit: number(limit), remaining, resets_at });
            }
        }
        (limits != Self::default()).then_some(limits)
    }

    /// Replaces the reset time of every empty window: the provider has asked for exactly this wait.
    pub(crate) fn empty_for(mut self, wait: Duration) -> Self {
        let at = Instant::now().checked_add(wait);
        let windows = [&mut self.requests, &mut self.tokens, &mut self.input_tokens, &mut self.output_tokens];
        for window in windows.into_iter().flatten().filter(|window| window.remaining == 0) {
            window.resets_at = at;
        }
        self
    }

    /// Returns the latest reset time of the empty windows. Returns `None` if no window is empty, or if no empty
    /// window has a reset time in the future.
    pub fn empty_until(&self) -> Option<Instant> {
        let windows = [self.requests, self.tokens, self.input_tokens, self.output_tokens];
        let now = Instant::now();
        let empty = windows.into_iter().flatten().filter(|window| window.remaining == 0);
        empty.filter_map(|window| window.resets_at).filter(|at| *at > now).max()
    }
}

impl Paces {
    pub(crate) fn for_model(&self, model: &str) -> Option<RateLimits> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(model).cloned()
    }

    pub(crate) fn note(&self, model: &str, limits: RateLimits) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Behind a gateway clients choose the model names, so their number is unbounded.
        if held.len() >= MODELS && !held.contains_key(model) {
            held.retain(|_, limits| limits.empty_until().is_some());
            if held.len() >= MODELS {
                held.clear();
            }
        }
        held.insert(model.to_owned(), limits);
    }
}

/// Parses the time until a window resets, in any of the known forms: `6m0s`, `20ms`, a number of seconds,
/// seconds or milliseconds since 1970, or a date.
fn wait(text: &str, now: SystemTime) -> Option<Duration> {
    let text = text.trim();
    let since_epoch = |at: Duration| at.saturating_sub(now.duration_since(UNIX_EPOCH).unwrap_or_default());
    if let Ok(number) = text.parse::<f64>() {
        // No window lasts 30 years, so a larger number is a timestamp.
        return match number {
            number if number >= 1e12 => Duration::try_from_secs_f64(number / 1e3).ok().map(since_epoch),
            number if number >= 1e9 => Duration::try_from_secs_f64(number).ok().map(since_epoch),
            number => Duration::try_from_secs_f64(number).ok(),
        };
    }
    span(text).or_else(|| date(text).map(since_epoch))
}

/// Parses a duration in Go's format: `1h2m3.5s`, `17ms`.
fn span(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at_checked(end)?;
        let length = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at_checked(length)?;
        let seconds = match unit {
            "d" => 86_400.0,
            "h" => 3_600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            "us" | "µs" => 1e-6,
            "ns" => 1e-9,
            _ => return None,
        };
        total =
            total.checked_add(Duration::try_from_secs_f64(number.parse::<f64>().ok()? * seconds).ok()?)?;
        rest = tail;
    }
    (!text.is_empty()).then_some(total)
}

/// Parses an RFC 3339 date into the time since 1970: `2026-05-01T12:00:00Z`, with or without an offset.
fn date(text: &str) -> Option<Duration> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let at = |index: usize| text.as_bytes().get(index).copied();
    if !(at(4) == Some(b'-') && at(7) == Some(b'-') && matches!(at(10), Some(b'T' | b't' | b' '))) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if !((1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second <= 60) {
        return None;
    }
    let zone = text.get(19..)?.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    let offset = match zone {
        "Z" | "z" => 0,
        _ => {
            let sign = if zone.starts_with('-') { -1 } else { 1 };
            let part = |from: usize, to: usize| zone.get(from..to)?.parse::<i64>().ok();
            sign * (part(1, 3)? * 3_600 + part(4, 6)? * 60)
        }
    };
    // Days since 1970 in the proleptic Gregorian calendar, with years that start in March.
    let years = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (years.div_euclid(400), years.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days =
        era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468;
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset;
    u64::try_from(seconds).ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests;
