//! Headers that cross the gateway.
//!
//! A key never crosses: the client's key is for the gateway, and the provider's key is the gateway's own.

/// The direction in which a header crosses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "to the provider or to the client")]
pub enum Direction {
    /// From the client to the provider.
    Up,
    /// From the provider to the client.
    Down,
}

/// A header that crosses the gateway within one format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeaderRule {
    /// The direction.
    pub direction: Direction,
    /// The wire format, or an empty text for each format.
    pub format: &'static str,
    /// The name in lower case. A name that ends in `*` is a prefix.
    pub name: &'static str,
}

const fn rule(direction: Direction, format: &'static str, name: &'static str) -> HeaderRule {
    HeaderRule { direction, format, name }
}

/// Returns the headers that cross the gateway within one format.
pub fn header_rules() -> &'static [HeaderRule] {
    CARRIED
}

/// The headers that cross the gateway within one format.
const CARRIED: &[HeaderRule] = &[
    rule(Direction::Up, "", "accept"),
    rule(Direction::Up, "", "content-type"),
    rule(Direction::Up, "", "user-agent"),
    rule(Direction::Up, "", "idempotency-key"),
    rule(Direction::Up, "", "traceparent"),
    rule(Direction::Up, "", "tracestate"),
    rule(Direction::Up, "", "x-stainless-*"),
    rule(Direction::Up, "anthropic", "anthropic-*"),
    rule(Direction::Up, "anthropic", "x-app"),
    rule(Direction::Up, "openai-chat", "openai-beta"),
    rule(Direction::Up, "openai-responses", "openai-beta"),
    rule(Direction::Up, "openai-chat", "x-client-request-id"),
    rule(Direction::Up, "openai-responses", "x-client-request-id"),
    rule(Direction::Up, "openai-responses", "originator"),
    rule(Direction::Up, "openai-responses", "session_id"),
    rule(Direction::Up, "openai-responses", "conversation_id"),
    rule(Direction::Up, "gemini", "x-goog-api-client"),
    rule(Direction::Up, "gemini", "x-goog-request-params"),
    rule(Direction::Down, "", "content-type"),
    rule(Direction::Down, "", "content-encoding"),
    rule(Direction::Down, "", "cache-control"),
    rule(Direction::Down, "", "request-id"),
    rule(Direction::Down, "", "x-request-id"),
    rule(Direction::Down, "", "retry-after"),
    rule(Direction::Down, "", "retry-after-ms"),
    rule(Direction::Down, "", "x-should-retry"),
    rule(Direction::Down, "", "x-ratelimit-*"),
    rule(Direction::Down, "", "ratelimit-*"),
    rule(Direction::Down, "", "cf-ray"),
    rule(Direction::Down, "", "server-timing"),
    rule(Direction::Down, "anthropic", "anthropic-*"),
    rule(Direction::Down, "openai-chat", "openai-*"),
    rule(Direction::Down, "openai-responses", "openai-*"),
    rule(Direction::Down, "gemini", "x-gemini-*"),
];

/// Returns the headers of one exchange that cross the gateway in this direction, within a format.
pub(crate) fn carried(
    direction: Direction,
    format: &str,
    headers: &[(String, String)],
) -> Vec<(String, String)> {
    let crosses = |name: &str| {
        CARRIED.iter().any(|rule| {
            let fits = match rule.name.strip_suffix('*') {
                Some(prefix) => name.starts_with(prefix),
                None => name == rule.name,
            };
            rule.direction == direction && (rule.format.is_empty() || rule.format == format) && fits
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
