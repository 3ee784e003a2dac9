//! Export of a session as a document.

mod earlier;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::json;
use windlass_hitl::display_safe;

use self::earlier::describe_earlier;
use super::catalog::Sessions;
use super::record::SessionRecord;
use crate::error::Result;
use crate::feed::{
    AgentPath, CitedSource, FEED_VERSION, FeedEvent, FeedKind, MessageSource, Question, QuestionEnd,
    RunOutcome,
};

/// Format of an exported session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExportFormat {
    /// Markdown for people.
    #[default]
    Markdown,
    /// A JSON object with the session and all numbered events.
    Json,
}

/// Exports a session: its record and all its numbered events. The Markdown of a forked session begins with the conversation
/// that the fork received.
///
/// # Errors
///
/// Fails if a record cannot be read.
pub fn export(sessions: &Sessions, record: &SessionRecord, format: ExportFormat) -> Result<String> {
    let events = sessions.events(record, None)?;
    match format {
        ExportFormat::Markdown => {
            let earlier = describe_earlier(sessions, record)?;
            Ok(markdown(record, &earlier, &events))
        }
        ExportFormat::Json => {
            let document = json!({"feed": FEED_VERSION, "session": record, "events": events});
            Ok(format!("{document:#}\n"))
        }
    }
}

fn markdown(record: &SessionRecord, earlier: &str, events: &[FeedEvent]) -> String {
    let mut text = format!("# {}\n\n", record.name);
    let _ = writeln!(text, "- session: {}", record.id);
    let _ = writeln!(text, "- folder: {}", record.root.display());
    let _ = writeln!(text, "- model: {} ({})", record.model, record.provider);
    let _ = writeln!(text, "- state: {}", record.state.as_str());
    let _ = writeln!(text, "- tokens: {}", record.total().describe());
    text.push_str(earlier);
    let mut newest = NewestTexts::default();
    for event in events {
        let agent = match &event.agent {
            Some(agent) => format!("**{}**: ", agent.names.join(" > ")),
            None => String::new(),
        };
        if let Some(words) = describe(&event.kind, newest.get(event)) {
            let _ = write!(text, "\n{agent}{words}\n");
        }
        newest.follow(event);
    }
    text
}

/// The newest turn with a text, and its text, of the run and of each sub-agent.
#[derive(Debug, Default)]
struct NewestTexts(BTreeMap<Option<AgentPath>, (u32, String)>);

impl NewestTexts {
    fn get(&self, event: &FeedEvent) -> &str {
        self.0.get(&event.agent).map_or("", |(_, text)| text)
    }

    fn follow(&mut self, event: &FeedEvent) {
        match &event.kind {
            FeedKind::Text { turn, text, .. } => {
                let newest = self.0.entry(event.agent.clone()).or_default();
                if newest.0 != *turn {
                    *newest = (*turn, String::new());
                }
                newest.1.push_str(text);
            }
            FeedKind::RunStarted { .. } | FeedKind::RunEnded { .. } => drop(self.0.remove(&event.agent)),
            _ => {}
        }
    }
}

/// Returns the Markdown of an event; `None` for an event that the document leaves out. The outcome of a run does not
/// repeat `newest`, the text of its newest turn with one.
fn describe(kind: &FeedKind, newest: &str) -> Option<String> {
    Some(match kind {
        FeedKind::RunStarted { task, .. } => format!("## Task\n\n{task}"),
        FeedKind::Message { text, source, .. } => match source {
            MessageSource::Program => return None,
            _ => format!("## Message\n\n{text}"),
        },
        FeedKind::Text { text, sources, .. } => describe_text(text, sources),
        FeedKind::HostedCall { tool, .. } => format!("The provider runs `{}`", display_safe(tool)),
        FeedKind::HostedResult { tool, error, .. } => {
            let end = error.as_ref().map_or_else(|| "ok".to_owned(), |error| display_safe(error));
            format!("The provider ran `{}`: {end}", display_safe(tool))
        }
        FeedKind::Call { call, tool, arguments, .. } => {
            format!("Call `{call}` of `{tool}`:\n\n{}", fence("json", &format!("{arguments:#}")))
        }
        FeedKind::Decision { call, verdict, rule, reason, .. } => {
            format!("`{call}`: {verdict} by rule `{rule}` ({reason})")
        }
        FeedKind::QuestionOpened { card, .. } => match card {
            Question::Call { card } => format!("Question: may `{}` of `{}` run?", card.call, card.tool),
            Question::Guidance { text } | Question::Words { text, .. } => format!("Question: {text}"),
        },
        FeedKind::QuestionClosed { closing, by, .. } => {
            let by = by.as_ref().map(|by| format!(" (in {by})")).unwrap_or_default();
            let answer = format!("Answer: {}{by}", describe_closing(closing));
            match closing {
                QuestionEnd::Approved { arguments: Some(arguments), .. } => {
                    format!(
                        "{answer}. A person changed the arguments to:\n\n{}",
                        fence("json", &format!("{arguments:#}"))
                    )
                }
                _ => answer,
            }
        }
        FeedKind::Result { call, status, text, .. } => {
            format!("Result of `{call}`: {status}\n\n{}", fence("", text))
        }
        FeedKind::TurnDiff { turn, diff } => format!("Changes of turn {turn}:\n\n{}", fence("diff", diff)),
        FeedKind::Retry { reason, .. } => format!("The request was sent again: {reason}"),
        FeedKind::Notice { text } => format!("Note: {text}"),
        FeedKind::Error { message } => format!("Error: {message}"),
        FeedKind::RunEnded { outcome, .. } => match outcome {
            RunOutcome::Completed { text } if text.trim() == newest.trim() => "## Completed".to_owned(),
            RunOutcome::Completed { text } => format!("## Completed\n\n{text}"),
            RunOutcome::Stopped { cause } => format!("## Stopped\n\n{cause}"),
            RunOutcome::Suspended { questions, results } => {
                format!(
                    "## Suspended\n\nwaits for {}",
                    [questions.as_slice(), results.as_slice()].concat().join(", ")
                )
            }
            RunOutcome::Failed { message } => format!("## Failed\n\n{message}"),
        },
        _ => return None,
    })
}

/// Returns a text with its sources.
fn describe_text(text: &str, sources: &[CitedSource]) -> String {
    let mut words = text.to_owned();
    for cited in sources {
        let title =
            cited.title.as_ref().map(|title| format!(" ({})", display_safe(title))).unwrap_or_default();
        let _ = write!(words, "\n\nSource: {}{title}", display_safe(&cited.source));
    }
    words
}

fn describe_closing(closing: &QuestionEnd) -> String {
    let with = |word: &str, comment: &Option<String>| match comment {
        Some(comment) => format!("{word}: {comment}"),
        None => word.to_owned(),
    };
    match closing {
        QuestionEnd::Approved { arguments: Some(_), comment, .. } => {
            with("yes, with changed arguments", comment)
        }
        QuestionEnd::Approved { remembered: false, comment, .. } => with("yes", comment),
        QuestionEnd::Approved { remembered: true, comment, .. } => with("yes, for the session", comment),
        QuestionEnd::Denied { comment } => with("no", comment),
        QuestionEnd::Answered { words } => with("answered", words),
        QuestionEnd::TimedOut => "no answer arrived in time".to_owned(),
        QuestionEnd::NoApprover => "no person was there".to_owned(),
        QuestionEnd::Withdrawn => "withdrawn".to_owned(),
    }
}

/// Returns a fenced code block, whose fence is longer than every run of backticks in the text.
fn fence(language: &str, text: &str) -> String {
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.saturating_add(1).max(3));
    format!("{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n'))
}
