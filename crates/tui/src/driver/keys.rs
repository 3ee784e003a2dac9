//! The keys of the terminal, without its reports.

use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::time::Duration;

use crossterm::event::{Event, EventStream};
use futures_util::StreamExt as _;
use tokio::time::{Instant, timeout_at};
use windlass_screen::Background;

use crate::input::Input;
use crate::terminal::{QUERY, ReportFilter, report_waiting_keys, to_input};

/// Time that the first frame waits for the terminal's report. A later report changes the lines that follow.
const REPORT_WAIT: Duration = Duration::from_millis(50);

/// The events of the terminal.
#[derive(Default)]
pub(super) struct Keys {
    /// The reader; `None` while another program has the terminal.
    stream: Option<EventStream>,
    filter: ReportFilter,
    /// Events that are not part of a report.
    passed: VecDeque<Event>,
}

impl Keys {
    /// Asks the terminal for its background, and waits a short time for the report.
    pub(super) async fn ask_background(&mut self) -> io::Result<Option<Background>> {
        self.filter = ReportFilter::waiting();
        let mut out = io::stdout();
        out.write_all(QUERY.as_bytes())?;
        out.flush()?;
        let end = Instant::now().checked_add(REPORT_WAIT).unwrap_or_else(Instant::now);
        while let Ok(event) = timeout_at(end, self.next_event()).await {
            let background = self.filter.push(event?, &mut self.passed);
            if background.is_some() {
                return Ok(background);
            }
        }
        Ok(None)
    }

    /// Waits for the next input. Cancel-safe.
    pub(super) async fn next_input(&mut self) -> io::Result<Input> {
        loop {
            while let Some(event) = self.passed.pop_front() {
                if let Some(input) = to_input(event) {
                    return Ok(input);
                }
            }
            let event = self.next_event().await?;
            if let Some(background) = self.filter.push(event, &mut self.passed) {
                return Ok(Input::Background(background));
            }
        }
    }

    async fn next_event(&mut self) -> io::Result<Event> {
        let stream = self.stream.get_or_insert_with(EventStream::new);
        let event = stream.next().await.unwrap_or_else(|| Err(io::ErrorKind::UnexpectedEof.into()))?;
        if matches!(event, Event::Resize(..)) {
            report_waiting_keys();
        }
        Ok(event)
    }

    /// Stops reading, so that another program can read the terminal.
    pub(super) fn stop(&mut self) {
        self.stream = None;
    }
}
