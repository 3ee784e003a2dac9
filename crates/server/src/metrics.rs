//! Counters of a server, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of a server since its start.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// Answered requests by the first digit of their status.
    statuses: [AtomicU64; 6],
    pub(crate) wrong_tokens: AtomicU64,
    pub(crate) runs: AtomicU64,
    pub(crate) answers: AtomicU64,
    /// Announcements that push services accepted.
    pub(crate) pushes: AtomicU64,
    /// Announcements that push services refused or did not receive.
    pub(crate) failed_pushes: AtomicU64,
}

/// The state of the sessions and feeds at one moment.
#[derive(Debug, Default)]
pub(crate) struct Gauges {
    pub(crate) readers: usize,
    pub(crate) working: usize,
    pub(crate) questions: usize,
    pub(crate) sessions: BTreeMap<&'static str, usize>,
}

impl Metrics {
    pub(crate) fn count_status(&self, status: u16) {
        if let Some(counter) = self.statuses.get(usize::from(status / 100)) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns the counters and gauges as text.
    pub(crate) fn render(&self, gauges: &Gauges) -> String {
        let mut text = String::new();
        let mut head = |name: &str, kind: &str, help: &str| {
            let _ = writeln!(text, "# HELP windlass_{name} {help}\n# TYPE windlass_{name} {kind}");
            std::mem::take(&mut text)
        };
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut out = head("http_requests_total", "counter", "Answered requests by class of status.");
        for (class, counter) in (0_u8..).zip(&self.statuses).skip(1) {
            let _ = writeln!(out, "windlass_http_requests_total{{status=\"{class}xx\"}} {}", read(counter));
        }
        let counters = [
            ("wrong_tokens_total", "Requests with a wrong token.", &self.wrong_tokens),
            ("runs_started_total", "Runs that clients started, continued or resumed.", &self.runs),
            ("answers_total", "Answers to questions that clients gave.", &self.answers),
            ("pushes_total", "Announcements that push services accepted.", &self.pushes),
            ("pushes_failed_total", "Announcements that push services did not accept.", &self.failed_pushes),
        ];
        for (name, help, counter) in counters {
            out += &head(name, "counter", help);
            let _ = writeln!(out, "windlass_{name} {}", read(counter));
        }
        let values = [
            ("feed_readers", "Open feeds.", gauges.readers),
            ("runs_working", "Runs that work in this process.", gauges.working),
            ("questions_open", "Open questions of all sessions.", gauges.questions),
        ];
        for (name, help, value) in values {
            out += &head(name, "gauge", help);
            let _ = writeln!(out, "windlass_{name} {value}");
        }
        out += &head("sessions", "gauge", "Sessions by state.");
        for (state, count) in &gauges.sessions {
            let _ = writeln!(out, "windlass_sessions{{state=\"{state}\"}} {count}");
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_metric_has_a_help_and_a_type_line() {
        let metrics = Metrics::default();
        metrics.count_status(204);
        metrics.count_status(999);
        let gauges = Gauges { readers: 2, sessions: BTreeMap::from([("ended", 3)]), ..Gauges::default() };
        let text = metrics.render(&gauges);
        assert!(text.contains("windlass_http_requests_total{status=\"2xx\"} 1\n"), "{text}");
        assert!(text.contains("windlass_feed_readers 2\n") && text.contains("{state=\"ended\"} 3\n"));
        let names: Vec<&str> = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split(['{', ' ']).next())
            .collect();
        for name in names {
            assert!(text.contains(&format!("# TYPE {name} ")) && text.contains(&format!("# HELP {name} ")));
        }
    }
}
