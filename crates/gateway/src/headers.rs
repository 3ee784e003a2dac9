//! Headers that cross the gateway.
//!
//! A key never crosses: the client's key is for the gateway, and the provider's key is the gateway's own.

use windlass_wire::{HeaderDirection, HeaderRule, Server};

/// The headers of W3C's trace context.
pub(crate) const TRACE_HEADERS: [&str; 2] = ["traceparent", "tracestate"];

/// The headers that cross within each format, beside those of [`Server::header_rules`].
const COMMON: &[HeaderRule] = &[
    HeaderRule::to_provider("accept"),
    HeaderRule::to_provider("content-type"),
    HeaderRule::to_provider("user-agent"),
    HeaderRule::to_provider("idempotency-key"),
    HeaderRule::to_provider("traceparent"),
    HeaderRule::to_provider("tracestate"),
    HeaderRule::to_provider("x-stainless-*"),
    HeaderRule::to_client("content-type"),
    HeaderRule::to_client("content-encoding"),
    HeaderRule::to_client("cache-control"),
    HeaderRule::to_client("request-id"),
    HeaderRule::to_client("x-request-id"),
    HeaderRule::to_client("retry-after"),
    HeaderRule::to_client("retry-after-ms"),
    HeaderRule::to_client("x-should-retry"),
    HeaderRule::to_client("x-ratelimit-*"),
    HeaderRule::to_client("ratelimit-*"),
    HeaderRule::to_client("cf-ray"),
    HeaderRule::to_client("server-timing"),
];

/// Returns the headers that cross the gateway within every format.
pub fn common_header_rules() -> &'static [HeaderRule] {
    COMMON
}

/// Returns the headers of one exchange that cross the gateway in this direction, within a format.
pub(crate) fn select_headers(
    direction: HeaderDirection,
    format: &dyn Server,
    headers: &[(String, String)],
) -> Vec<(String, String)> {
    headers.iter().filter(|(name, _)| crosses(direction, format, name)).cloned().collect()
}

/// Removes the headers that do not cross the gateway to the client, within a format.
pub(crate) fn retain_headers(format: &dyn Server, headers: &mut Vec<(String, String)>) {
    headers.retain(|(name, _)| crosses(HeaderDirection::Down, format, name));
}

fn crosses(direction: HeaderDirection, format: &dyn Server, name: &str) -> bool {
    let first = name.as_bytes().first();
    COMMON.iter().chain(format.header_rules()).any(|rule| {
        // The first letter rules out most names without a comparison of texts.
        rule.name.as_bytes().first() == first
            && rule.direction == direction
            && match rule.name.strip_suffix('*') {
                Some(prefix) => name.starts_with(prefix),
                None => name == rule.name,
            }
    })
}

/// Returns the headers of an answer as a client of another format reads them: the request id, the limits and
/// the wait. Reset times are not translated, because the formats write them as durations and as dates.
pub(crate) fn translate_headers(
    formats: &[std::sync::Arc<dyn Server>],
    to: &dyn Server,
    headers: &[(String, String)],
) -> Vec<(String, String)> {
    let find = |wanted: &str| headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone());
    let mut out = Vec::new();
    let id = formats.iter().find_map(|format| find(format.request_id_header()));
    out.extend(id.map(|id| (to.request_id_header().to_owned(), id)));
    for name in ["retry-after", "retry-after-ms"] {
        out.extend(find(name).map(|value| (name.to_owned(), value)));
    }
    for (position, own) in to.rate_limit_headers().names().into_iter().enumerate() {
        let value =
            formats.iter().find_map(|format| find(format.rate_limit_headers().names().get(position)?));
        out.extend(value.map(|value| (own.to_owned(), value)));
    }
    out
}
