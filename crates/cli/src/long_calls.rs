//! Reports of calls that run for long, so that a person sees that the program works.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::time::Duration;

use tokio::time::Instant;
use windlass_agent::Event;
use windlass_hitl::display_safe;

/// Times of the first reports in seconds, counted from the start of the call. Later ones follow every minute.
const REPORTS: [u64; 4] = [5, 15, 30, 60];
/// Maximum number of characters of the newest output in a report.
const MAX_OUTPUT: usize = 60;

/// The calls that run, for reports on a terminal.
#[derive(Debug)]
pub(crate) struct LongCalls {
    is_reporting: bool,
    names: BTreeMap<String, String>,
    running: BTreeMap<String, RunningCall>,
}

#[derive(Debug)]
struct RunningCall {
    name: String,
    start: Instant,
    /// Number of reports of the call.
    reports: u64,
    /// The newest line of its output.
    newest: String,
}

impl RunningCall {
    /// Returns the time of the next report in seconds after the start.
    fn next_report(&self) -> u64 {
        time_of_report(&REPORTS, self.reports)
    }

    fn due(&self) -> Instant {
        self.start.checked_add(Duration::from_secs(self.next_report())).unwrap_or(self.start)
    }
}

/// Returns the time in seconds of the report with this number: one of the first times, of which the last is a minute, and
/// then every minute.
pub(crate) fn time_of_report(first: &[u64], number: u64) -> u64 {
    let index = usize::try_from(number).unwrap_or(usize::MAX);
    first.get(index).copied().unwrap_or_else(|| {
        let minutes = index.saturating_sub(first.len()).saturating_add(2);
        u64::try_from(minutes).unwrap_or(u64::MAX).saturating_mul(60)
    })
}

impl LongCalls {
    /// Reports calls if standard output is a terminal.
    pub(crate) fn new() -> Self {
        let is_reporting = std::io::stdout().is_terminal();
        Self { is_reporting, names: BTreeMap::new(), running: BTreeMap::new() }
    }

    /// Follows the calls of the run itself.
    pub(crate) fn observe(&mut self, event: &Event, now: Instant) {
        match event {
            Event::CallFinished { call } => {
                self.names.insert(call.id.to_string(), call.name.to_string());
            }
            Event::CallRunning { call, .. } => {
                let name = self.names.get(call.as_str()).cloned().unwrap_or_default();
                let running = RunningCall { name, start: now, reports: 0, newest: String::new() };
                self.running.insert(call.to_string(), running);
            }
            Event::CallProgress { call, text } | Event::CallNote { call, text } => {
                let newest = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
                if let (Some(running), Some(line)) = (self.running.get_mut(call.as_str()), newest) {
                    running.newest = line.chars().take(MAX_OUTPUT).collect();
                }
            }
            Event::CallEnded { result } => {
                self.running.remove(result.call.as_str());
                self.names.remove(result.call.as_str());
            }
            _ => {}
        }
    }

    /// Waits until a call is reported, and returns the report. Cancel-safe.
    pub(crate) async fn next_report(&mut self) -> String {
        let due = self.running.values().map(RunningCall::due).min().filter(|_| self.is_reporting);
        match due {
            Some(due) => tokio::time::sleep_until(due).await,
            None => std::future::pending().await,
        }
        self.report(Instant::now()).unwrap_or_default()
    }

    fn report(&mut self, now: Instant) -> Option<String> {
        let running = self.running.values_mut().find(|running| running.due() <= now)?;
        let seconds = running.next_report();
        running.reports = running.reports.saturating_add(1);
        let output = if running.newest.is_empty() { String::new() } else { format!(": {}", running.newest) };
        Some(display_safe(&format!("  {} has run for {seconds} s{output}", running.name)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(value: serde_json::Value) -> Event {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_call_is_reported_at_growing_distances_until_it_ends() {
        let start = Instant::now();
        let mut calls = LongCalls { is_reporting: true, names: BTreeMap::new(), running: BTreeMap::new() };
        calls.names.insert("c".to_owned(), "run_command".to_owned());
        calls.observe(&event(json!({"event": "call_running", "call": "c"})), start);
        calls.observe(
            &event(json!({"event": "call_progress", "call": "c", "text": "one\ntwo\u{1b}\n\n"})),
            start,
        );
        let mut at = |seconds| calls.report(start + Duration::from_secs(seconds));
        assert_eq!(at(4), None);
        assert_eq!(at(6).unwrap(), "  run_command has run for 5 s: two\\u{1b}");
        assert_eq!(at(6), None);
        let all: Vec<String> = std::iter::from_fn(|| at(200)).collect();
        let seconds: Vec<&str> = all.iter().filter_map(|text| text.split(' ').nth(6)).collect();
        assert_eq!(seconds, ["15", "30", "60", "120", "180"]);
        calls.observe(
            &event(json!({"event": "call_ended", "result": {"call": "c", "status": "ok", "content": []}})),
            start,
        );
        assert_eq!(calls.report(start + Duration::from_hours(1)), None);
    }
}
