//! The report of a run that has ended.

use std::fmt;

use futures_util::StreamExt;
use windlass_loop::{BudgetUsage, Event, Outcome, Transcript};
use windlass_protocol::{Citation, Part, Role, Usage};

use crate::{AgentError, EventStream};

/// The result of a run that has ended: the outcome, the tokens and the cost, and the conversation.
///
/// A run that stopped, failed or waits has a report, too: [`text`](Self::text) returns `None` then, and
/// [`outcome`](Self::outcome) has the reason. Its `Display` is the model's final text, or the reason for its absence.
///
/// ```
/// use windlass_agent::{Agent, AgentError};
///
/// async fn summarize(agent: &Agent) -> Result<(), AgentError> {
///     let report = agent.run("Summarize README.md.").await?;
///     match report.text() {
///         Some(text) => println!("{text}"),
///         None => println!("unfinished after {} requests: {}", report.used.requests, report.outcome),
///     }
///     Ok(())
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The way in which the run ended.
    pub outcome: Outcome,
    /// The tokens that the run used, in all attempts.
    pub usage: Usage,
    /// The requests and the cost of the run. The cost needs prices, which come from the model or from
    /// [`AgentBuilder::budget`](crate::AgentBuilder::budget); without them it is zero.
    pub used: BudgetUsage,
    /// The conversation, with what came before the task.
    pub transcript: Transcript,
}

impl Report {
    /// Returns the model's final text if the task is completed.
    pub fn text(&self) -> Option<&str> {
        match &self.outcome {
            Outcome::Completed { text } => Some(text),
            _ => None,
        }
    }

    /// Returns the cost of the run in whole units of the prices' currency, which is US dollars for the prices that are
    /// built in. Returns `None` if the run used tokens whose prices are unknown or zero.
    #[expect(clippy::cast_precision_loss, reason = "a cost of more than 9 billion units is not exact")]
    pub fn cost(&self) -> Option<f64> {
        let is_known = self.used.cost > 0 || self.usage.is_unreported();
        is_known.then(|| self.used.cost as f64 / 1_000_000.0)
    }

    /// Returns the model's final text.
    ///
    /// # Errors
    /// Returns [`AgentError::Failed`] if the run failed, and [`AgentError::NotCompleted`] if it stopped or waits.
    pub fn into_text(self) -> Result<String, AgentError> {
        match self.check()?.outcome {
            Outcome::Completed { text } => Ok(text),
            outcome => Err(AgentError::NotCompleted { outcome: Box::new(outcome) }),
        }
    }

    /// Returns the sources of the model's last message, as the provider names them, with the passage that each supports.
    pub fn citations(&self) -> impl Iterator<Item = (&str, &Citation)> {
        let last = self.transcript.messages().iter().rfind(|message| message.role == Role::Assistant);
        let parts = last.map(|message| message.parts.as_slice()).unwrap_or_default();
        let texts = parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text),
            _ => None,
        });
        texts.flat_map(|text| text.citations.iter().map(|citation| (text.passage(citation), citation)))
    }

    /// Returns the report unless the run failed.
    ///
    /// # Errors
    /// Returns [`AgentError::Failed`] if the run failed.
    pub fn check(self) -> Result<Self, AgentError> {
        match self.outcome {
            Outcome::Failed { message } => Err(AgentError::Failed { message }),
            _ => Ok(self),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.outcome.fmt(f)
    }
}

impl EventStream {
    /// Reads all events and returns the report. A run that failed is a report too; [`Report::check`] makes it an error.
    ///
    /// # Errors
    /// Returns the error that ended the stream, or [`AgentError::Unfinished`] if the last event was read
    /// before this call.
    pub async fn report(mut self) -> Result<Report, AgentError> {
        let mut report = None;
        while let Some(event) = self.next().await {
            if let Event::Finished { outcome, total } = event? {
                report = self.take_report(outcome, total);
            }
        }
        report.ok_or(AgentError::Unfinished)
    }

    /// Returns the report of a run whose last event has been read, once.
    pub(crate) fn take_report(&self, outcome: Outcome, usage: Usage) -> Option<Report> {
        let (transcript, used) = self.take_end()?;
        Some(Report { outcome, usage, used, transcript })
    }
}
