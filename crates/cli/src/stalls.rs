//! Reports of a model that sends nothing for long, so that a person sees that the program waits.

use std::io::IsTerminal as _;
use std::time::Duration;

use tokio::time::Instant;
use windlass_agent::Event;
use windlass_screen::format_duration;

use crate::long_calls::time_of_report;

/// Times of the first reports in seconds, counted from the last event of the answer. Later ones follow every minute.
const REPORTS: [u64; 3] = [10, 30, 60];

/// The silence of the model, for reports on a terminal.
#[derive(Debug)]
pub(crate) struct Stalls {
    is_reporting: bool,
    /// Time of the newest event of the present request; `None` between two requests.
    newest: Option<Instant>,
    /// Number of reports since then.
    reports: u64,
}

impl Stalls {
    /// Reports stalls if standard output is a terminal.
    pub(crate) fn new() -> Self {
        Self { is_reporting: std::io::stdout().is_terminal(), newest: None, reports: 0 }
    }

    /// Follows the requests of the run itself.
    pub(crate) fn observe(&mut self, event: &Event, now: Instant) {
        let is_pending = match event {
            Event::TurnStarted { .. } | Event::ContextCondensing => true,
            Event::AnswerEnded { .. } | Event::ContextCompacted { .. } | Event::Finished { .. } => false,
            _ => self.newest.is_some(),
        };
        self.newest = is_pending.then_some(now);
        self.reports = 0;
    }

    /// Notes that the next request is sent at this time, which was reported.
    pub(crate) fn defer(&mut self, request: Instant) {
        self.newest = self.newest.map(|newest| newest.max(request));
        self.reports = 0;
    }

    /// Waits until the silence is reported, and returns the report. Cancel-safe.
    pub(crate) async fn next_report(&mut self) -> String {
        match self.due().filter(|_| self.is_reporting) {
            Some(due) => tokio::time::sleep_until(due).await,
            None => std::future::pending().await,
        }
        self.report(Instant::now()).unwrap_or_default()
    }

    fn due(&self) -> Option<Instant> {
        self.newest?.checked_add(Duration::from_secs(time_of_report(&REPORTS, self.reports)))
    }

    fn report(&mut self, now: Instant) -> Option<String> {
        if self.due()? > now {
            return None;
        }
        let silence = Duration::from_secs(time_of_report(&REPORTS, self.reports));
        self.reports = self.reports.saturating_add(1);
        Some(format!("· nothing from the model for {}", format_duration(silence)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(value: serde_json::Value) -> Event {
        serde_json::from_value(value).unwrap()
    }

    // Regression test for the finding "command-line A6": a stall of the model was silent.
    #[test]
    fn a_stall_is_reported_at_growing_distances_until_the_model_sends() {
        let start = Instant::now();
        let mut stalls = Stalls { is_reporting: true, newest: None, reports: 0 };
        let text = event(json!({"event": "text", "text": "a"}));
        stalls.observe(&text, start);
        assert_eq!(stalls.report(start + Duration::from_hours(1)), None, "no request waits");
        stalls.observe(&event(json!({"event": "turn_started", "turn": 1, "protocol": "native"})), start);
        let at = |stalls: &mut Stalls, seconds| stalls.report(start + Duration::from_secs(seconds));
        assert_eq!(at(&mut stalls, 9), None);
        assert_eq!(at(&mut stalls, 13).unwrap(), "· nothing from the model for 10s");
        assert_eq!(at(&mut stalls, 13), None);
        let all: Vec<String> = std::iter::from_fn(|| at(&mut stalls, 190)).collect();
        let times: Vec<&str> = all.iter().filter_map(|text| text.split(" for ").nth(1)).collect();
        assert_eq!(times, ["30s", "1m 0s", "2m 0s", "3m 0s"]);
        stalls.observe(&text, start + Duration::from_secs(190));
        assert_eq!(at(&mut stalls, 199), None);
        // The wait before a retry was reported with its time.
        stalls.defer(start + Duration::from_mins(5));
        assert_eq!(at(&mut stalls, 309), None);
        assert!(at(&mut stalls, 310).is_some());
    }
}
