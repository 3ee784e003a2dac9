//! Counters of a server, as Prometheus text.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use windlass_protocol::Usage;

use super::amounts::format_amount;
use super::cool_downs::FallbackReason;
use super::log::RequestLine;

/// Maximum number of counted combinations of client, format, model and status. Clients choose model names, so further
/// ones are counted together.
const MOST_SERIES: usize = 1_000;
/// The name of the model in the series of all further combinations.
const OTHER: &str = "other";

/// The upper bounds of the histogram of first bytes, in milliseconds.
const BOUNDS_MS: [u64; 9] = [10, 50, 100, 250, 500, 1_000, 2_500, 10_000, 60_000];

#[derive(Debug, Default)]
pub(super) struct Metrics(Mutex<Counters>);

#[derive(Debug, Default)]
struct Counters {
    active: u64,
    requests: BTreeMap<Series, u64>,
    /// Answers by the time of their first byte, one count for each bound and one for all others.
    first_bytes: [u64; 10],
    first_byte_sum_ms: u64,
    usage: BTreeMap<UsageSeries, UsageSum>,
    /// Failed attempts at gateways of chains, by the label of the upstream.
    failures: BTreeMap<(String, FallbackReason), u64>,
    total_sum_ms: u64,
    bytes: u64,
    truncated: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Series {
    client: String,
    format: String,
    model: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct UsageSeries {
    client: String,
    model: String,
    upstream: String,
}

/// The tokens that providers counted, and their cost in millionths.
#[derive(Debug, Default)]
struct UsageSum {
    usage: Usage,
    cost: u64,
}

impl Metrics {
    pub(super) fn begin(&self) {
        let mut counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counters.active = counters.active.saturating_add(1);
    }

    pub(super) fn end(&self, line: &RequestLine, usage: Option<&Usage>) {
        let mut counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut series = Series {
            client: line.client.clone(),
            format: line.format.clone(),
            model: line.model.clone(),
            status: line.status,
        };
        if counters.requests.len() >= MOST_SERIES && !counters.requests.contains_key(&series) {
            OTHER.clone_into(&mut series.model);
        }
        let count = counters.requests.entry(series).or_default();
        *count = count.saturating_add(1);
        if let Some(usage) = usage {
            counters.count(line, usage);
        }
        counters.active = counters.active.saturating_sub(1);
        counters.total_sum_ms = counters.total_sum_ms.saturating_add(line.total_ms);
        counters.bytes = counters.bytes.saturating_add(line.bytes);
        counters.truncated = counters.truncated.saturating_add(u64::from(!line.is_complete));
        if let Some(first) = line.first_byte_ms {
            counters.first_byte_sum_ms = counters.first_byte_sum_ms.saturating_add(first);
            let position = BOUNDS_MS.iter().position(|bound| first <= *bound).unwrap_or(BOUNDS_MS.len());
            if let Some(count) = counters.first_bytes.get_mut(position) {
                *count = count.saturating_add(1);
            }
        }
    }

    /// Counts a failed attempt at a gateway of a chain.
    pub(super) fn fall_back(&self, upstream: &str, reason: FallbackReason) {
        let mut counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counters.failures.entry((upstream.to_owned(), reason)).or_default();
        *count = count.saturating_add(1);
    }

    pub(super) fn to_text(&self, free_places: usize) -> String {
        let counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        // Writing to a text does not fail.
        let _ = counters.write_to(&mut text, free_places);
        text
    }
}

impl Counters {
    fn count(&mut self, line: &RequestLine, usage: &Usage) {
        let mut series = UsageSeries {
            client: line.client.clone(),
            model: line.model.clone(),
            upstream: line.upstream.clone(),
        };
        if self.usage.len() >= MOST_SERIES && !self.usage.contains_key(&series) {
            OTHER.clone_into(&mut series.model);
        }
        let sum = self.usage.entry(series).or_default();
        sum.usage.add(usage);
        sum.cost = sum.cost.saturating_add(line.cost_millionths.unwrap_or_default());
    }

    fn write_usage(&self, text: &mut String) -> std::fmt::Result {
        writeln!(text, "# HELP windlass_gateway_tokens_total Tokens that providers counted, by their kind.")?;
        writeln!(text, "# TYPE windlass_gateway_tokens_total counter")?;
        for (series, UsageSum { usage, .. }) in &self.usage {
            let kinds = [
                ("input", usage.input_tokens),
                ("output", usage.output_tokens),
                ("cache_read", usage.cache_read_tokens),
                ("cache_write", usage.cache_write_tokens),
            ];
            for (kind, tokens) in kinds {
                let labels = series.labels();
                writeln!(text, "windlass_gateway_tokens_total{{{labels},kind=\"{kind}\"}} {tokens}")?;
            }
        }
        writeln!(text, "# HELP windlass_gateway_cost_total Cost of counted tokens with known prices.")?;
        writeln!(text, "# TYPE windlass_gateway_cost_total counter")?;
        for (series, sum) in &self.usage {
            writeln!(text, "windlass_gateway_cost_total{{{}}} {}", series.labels(), format_amount(sum.cost))?;
        }
        Ok(())
    }

    fn write_to(&self, text: &mut String, free_places: usize) -> std::fmt::Result {
        writeln!(text, "# HELP windlass_gateway_requests_total Requests to models, by their status.")?;
        writeln!(text, "# TYPE windlass_gateway_requests_total counter")?;
        for (Series { client, format, model, status }, count) in &self.requests {
            let labels = join_labels([("client", client), ("format", format), ("model", model)]);
            writeln!(text, "windlass_gateway_requests_total{{{labels},status=\"{status}\"}} {count}")?;
        }
        self.write_usage(text)?;
        writeln!(
            text,
            "# HELP windlass_gateway_failed_attempts_total Failed attempts at upstreams of chains."
        )?;
        writeln!(text, "# TYPE windlass_gateway_failed_attempts_total counter")?;
        for ((upstream, reason), count) in &self.failures {
            let (upstream, reason) = (escape(upstream), reason.as_str());
            writeln!(
                text,
                "windlass_gateway_failed_attempts_total{{upstream=\"{upstream}\",reason=\"{reason}\"}} {count}"
            )?;
        }
        writeln!(text, "# HELP windlass_gateway_first_byte_seconds Time to the first byte of the answer.")?;
        writeln!(text, "# TYPE windlass_gateway_first_byte_seconds histogram")?;
        let mut below: u64 = 0;
        for (bound, count) in BOUNDS_MS.iter().zip(self.first_bytes) {
            below = below.saturating_add(count);
            writeln!(
                text,
                "windlass_gateway_first_byte_seconds_bucket{{le=\"{}\"}} {below}",
                seconds(*bound)
            )?;
        }
        let all = self.first_bytes.iter().fold(0_u64, |all, count| all.saturating_add(*count));
        writeln!(text, "windlass_gateway_first_byte_seconds_bucket{{le=\"+Inf\"}} {all}")?;
        writeln!(text, "windlass_gateway_first_byte_seconds_sum {}", seconds(self.first_byte_sum_ms))?;
        writeln!(text, "windlass_gateway_first_byte_seconds_count {all}")?;
        let values = [
            ("response_seconds_total", "counter", "Time of all answers.", seconds(self.total_sum_ms)),
            ("response_bytes_total", "counter", "Bytes of all answers.", self.bytes.to_string()),
            ("truncated_total", "counter", "Answers that were cut.", self.truncated.to_string()),
            ("active_requests", "gauge", "Requests that are answered now.", self.active.to_string()),
            ("free_places", "gauge", "Requests that can be accepted now.", free_places.to_string()),
        ];
        for (name, kind, help, value) in values {
            writeln!(text, "# HELP windlass_gateway_{name} {help}\n# TYPE windlass_gateway_{name} {kind}")?;
            writeln!(text, "windlass_gateway_{name} {value}")?;
        }
        Ok(())
    }
}

impl UsageSeries {
    fn labels(&self) -> String {
        join_labels([("client", &self.client), ("model", &self.model), ("upstream", &self.upstream)])
    }
}

fn join_labels(labels: [(&str, &String); 3]) -> String {
    labels.map(|(name, value)| format!("{name}=\"{}\"", escape(value))).join(",")
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1_000, ms % 1_000)
}

/// Escapes a label value. A control character would end the line.
fn escape(value: &str) -> String {
    let value: String = value.chars().filter(|letter| !letter.is_control()).take(200).collect();
    value.replace('\\', "\\\\").replace('"', "\\\"")
}
