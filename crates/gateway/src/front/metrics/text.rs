//! The counters of a server as Prometheus text.

use std::fmt::{Display, Result, Write as _};

use windlass_protocol::Usage;

use super::counters::Counters;
use super::series::{BOUNDS_MS, FirstBytes, Series};
use crate::front::amounts::format_amount;

pub(super) fn write(counters: &Counters, free_places: usize, cache: Option<(usize, usize)>) -> String {
    let mut text = Text(String::new());
    // Writing to a text does not fail.
    let _ = text.write_series(counters);
    let _ = text.write_server(counters, free_places);
    if let Some((answers, bytes)) = cache {
        let _ = text.write_cache(counters, answers, bytes);
    }
    text.0
}

struct Text(String);

impl Text {
    fn head(&mut self, name: &str, kind: &str, help: &str) -> Result {
        writeln!(self.0, "# HELP windlass_gateway_{name} {help}\n# TYPE windlass_gateway_{name} {kind}")
    }

    fn value(&mut self, name: &str, labels: &str, value: impl Display) -> Result {
        writeln!(self.0, "windlass_gateway_{name}{{{labels}}} {value}")
    }

    fn write_series(&mut self, counters: &Counters) -> Result {
        let series = || counters.series.iter().map(|(series, counted)| (series.labels(), counted));
        self.head("requests_total", "counter", "Requests to models, by their status.")?;
        for (labels, counted) in series() {
            for ((format, status), count) in &counted.requests {
                let labels = format!("{labels},format=\"{}\",status=\"{status}\"", escape(format));
                self.value("requests_total", &labels, count)?;
            }
        }
        let counted_tokens =
            || series().filter_map(|(labels, counted)| Some((labels, counted, counted.usage?)));
        self.head("tokens_total", "counter", "Tokens that providers counted, by their kind.")?;
        for (labels, _, usage) in counted_tokens() {
            for (kind, tokens) in kinds(&usage) {
                self.value("tokens_total", &format!("{labels},kind=\"{kind}\""), tokens)?;
            }
        }
        self.head("cost_total", "counter", "Cost of counted tokens with known prices.")?;
        for (labels, counted, _) in counted_tokens() {
            self.value("cost_total", &labels, format_amount(counted.cost))?;
        }
        self.head("wait_seconds", "summary", "Time until a request was sent to the upstream that answered.")?;
        for (labels, counted) in series().filter(|(_, counted)| counted.waits.0 > 0) {
            let (count, sum) = counted.waits;
            self.value("wait_seconds_sum", &labels, seconds(sum))?;
            self.value("wait_seconds_count", &labels, count)?;
        }
        self.head("first_byte_seconds", "histogram", "Time to the first byte of the answer.")?;
        for (labels, counted) in series() {
            self.write_histogram("first_byte_seconds", &labels, &counted.first_bytes)?;
        }
        Ok(())
    }

    fn write_histogram(&mut self, name: &str, labels: &str, histogram: &FirstBytes) -> Result {
        let mut below: u64 = 0;
        let bounds = BOUNDS_MS.into_iter().map(seconds).chain(["+Inf".to_owned()]);
        for (bound, count) in bounds.zip(histogram.counts) {
            below = below.saturating_add(count);
            self.value(&format!("{name}_bucket"), &format!("{labels},le=\"{bound}\""), below)?;
        }
        self.value(&format!("{name}_sum"), labels, seconds(histogram.sum_ms))?;
        self.value(&format!("{name}_count"), labels, below)
    }

    fn write_server(&mut self, counters: &Counters, free_places: usize) -> Result {
        self.head("failed_attempts_total", "counter", "Failed attempts at upstreams of chains.")?;
        for ((upstream, reason), count) in &counters.failures {
            let labels = format!("upstream=\"{}\",reason=\"{}\"", escape(upstream), reason.as_str());
            self.value("failed_attempts_total", &labels, count)?;
        }
        let values = [
            ("response_seconds_total", "counter", "Time of all answers.", seconds(counters.total_sum_ms)),
            ("response_bytes_total", "counter", "Bytes of all answers.", counters.bytes.to_string()),
            ("truncated_total", "counter", "Answers that were cut.", counters.truncated.to_string()),
            ("active_requests", "gauge", "Requests that are answered now.", counters.active.to_string()),
            ("free_places", "gauge", "Requests that can be accepted now.", free_places.to_string()),
        ];
        for (name, kind, help, value) in values {
            self.write_single(name, kind, help, &value)?;
        }
        Ok(())
    }

    fn write_cache(&mut self, counters: &Counters, answers: usize, bytes: usize) -> Result {
        self.head("cache_requests_total", "counter", "Requests by the part of the cache.")?;
        for (result, count) in &counters.cache {
            self.value("cache_requests_total", &format!("result=\"{}\"", result.as_str()), count)?;
        }
        self.write_single("cache_answers", "gauge", "Stored answers.", &answers.to_string())?;
        self.write_single("cache_bytes", "gauge", "Bytes of stored answers.", &bytes.to_string())
    }

    fn write_single(&mut self, name: &str, kind: &str, help: &str, value: &str) -> Result {
        self.head(name, kind, help)?;
        writeln!(self.0, "windlass_gateway_{name} {value}")
    }
}

impl Series {
    fn labels(&self) -> String {
        let labels = [("client", &self.client), ("model", &self.model), ("upstream", &self.upstream)];
        labels.map(|(name, value)| format!("{name}=\"{}\"", escape(value))).join(",")
    }
}

fn kinds(usage: &Usage) -> [(&'static str, u64); 4] {
    [
        ("input", usage.input_tokens),
        ("output", usage.output_tokens),
        ("cache_read", usage.cache_read_tokens),
        ("cache_write", usage.cache_write_tokens),
    ]
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1_000, ms % 1_000)
}

/// Escapes a label value. `Series::new` removed its control characters.
fn escape(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"")
}
