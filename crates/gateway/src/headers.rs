//! Headers that cross the gateway.
//!
//! A key never crosses: the client's key is for the gateway, and the provider's key is the gateway's own.

/// The fate of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From the client to the provider.
    Up,
    /// From the provider to the client.
    Down,
}

/// A rule for headers: the direction, the format that it holds for (`""` for each), and the name. A name that
/// ends in `*` is a prefix.
pub(crate) type Rule = (Direction, &'static str, &'static str);

/// The headers that cross the gateway within one format.
pub(crate) const CARRIED: &[Rule] = &[
    (Direction::Up, "", "accept"),
    (Direction::Up, "", "content-type"),
    (Direction::Up, "", "user-agent"),
    (Direction::Up, "", "idempotency-key"),
    (Direction::Up, "", "traceparent"),
    (Direction::Up, "", "tracestate"),
    (Direction::Up, "", "x-stainless-*"),
    (Direction::Up, "anthropic", "anthropic-*"),
    (Direction::Up, "anthropic", "x-app"),
    (Direction::Up, "openai-chat", "openai-beta"),
    (Direction::Up, "openai-responses", "openai-beta"),
    (Direction::Up, "openai-chat", "x-client-request-id"),
    (Direction::Up, "openai-responses", "x-client-request-id"),
    (Direction::Up, "openai-responses", "originator"),
    (Direction::Up, "openai-responses", "session_id"),
    (Direction::Up, "openai-responses", "conversation_id"),
    (Direction::Up, "gemini", "x-goog-api-client"),
    (Direction::Up, "gemini", "x-goog-request-params"),
    (Direction::Down, "", "content-type"),
    (Direction::Down, "", "content-encoding"),
    (Direction::Down, "", "cache-control"),
    (Direction::Down, "", "request-id"),
    (Direction::Down, "", "x-request-id"),
    (Direction::Down, "", "retry-after"),
    (Direction::Down, "", "retry-after-ms"),
    (Direction::Down, "", "x-should-retry"),
    (Direction::Down, "", "x-ratelimit-*"),
    (Direction::Down, "", "ratelimit-*"),
    (Direction::Down, "", "cf-ray"),
    (Direction::Down, "", "server-timing"),
    (Direction::Down, "anthropic", "anthropic-*"),
    (Direction::Down, "openai-chat", "openai-*"),
    (Direction::Down, "openai-responses", "openai-*"),
    (Direction::Down, "gemini", "x-gemini-*"),
];

/// Returns the headers of one exchange that cross the gateway in this direction, within a format.
pub(crate) fn carried(
    direction: Direction,
    format: &str,
    headers: &[(String, String)],
) -> Vec<(String, String)> {
    let crosses = |name: &str| {
        CARRIED.iter().any(|(way, of, rule)| {
            let fits = match rule.strip_suffix('*') {
                Some(prefix) => name.starts_with(prefix),
                None => name == *rule,
            };
            *way == direction && (of.is_empty() || *of == format) && fits
        })
    };
    headers.iter().filter(|(name, _)| crosses(name)).cloned().collect()
}

/// Pairs of headers with one meaning: as OpenAI and as Anthropic name it.
pub(crate) const RATE_LIMITS: &[(&str, &str)] = &[
    ("x-ratelimit-limit-requests", "anthropic-ratelimit-requests-limit"),
    ("x-ratelimit-remaining-requests", "anthropic-ratelimit-requests-remaining"),
    ("x-ratelimit-limit-tokens", "anthropic-ratelimit-tokens-limit"),
    ("x-ratelimit-remaining-tokens", "anthropic-ratelimit-tokens-remaining"),
];

/// Returns the headers of an answer as a client of another format reads them: the request id, the limits and
/// the wait. Reset times are not translated, because the formats write them as durations and as dates.
pub(crate) fn translated(from: &str, to: &str, headers: &[(String, String)]) -> Vec<(String, String)> {
    let find = |wanted: &str| headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone());
    let mut out = Vec::new();
    let id = find("x-request-id").or_else(|| find("request-id"));
    out.extend(id.map(|id| (request_id_name(to).to_owned(), id)));
    for name in ["retry-after", "retry-after-ms"] {
        out.extend(find(name).map(|value| (name.to_owned(), value)));
    }
    for (openai, anthropic) in RATE_LIMITS {
        let own = if to == "anthropic" { anthropic } else { openai };
        let value = find(openai).or_else(|| find(anthropic));
        out.extend(value.map(|value| ((*own).to_owned(), value)));
    }
    if from.starts_with("openai-") && to.starts_with("openai-") {
        out.extend(headers.iter().filter(|(name, _)| name.starts_with("openai-")).cloned());
    }
    out
}

/// Returns the name of the header with the request id.
pub(crate) fn request_id_name(format: &str) -> &'static str {
    if format == "anthropic" { "request-id" } else { "x-request-id" }
}
