//! The conversation from which a session was forked.

use std::fmt::Write as _;

use windlass_agent::Entry;
use windlass_protocol::{History, Message, Part, Role};

use super::fence;
use crate::error::Result;
use crate::sessions::catalog::Sessions;
use crate::sessions::record::SessionRecord;
use crate::sessions::transcript::read_entries;

/// Returns the Markdown of the conversation before a forked session, as its first run received it; an empty text for a
/// session that is not a fork.
pub(super) fn describe_earlier(sessions: &Sessions, record: &SessionRecord) -> Result<String> {
    let (Some(origin), Some(first)) = (&record.forked_from, record.runs.first()) else {
        return Ok(String::new());
    };
    let entries = read_entries(&sessions.folder(&first.id)?.records()?)?;
    let messages = entries.iter().find_map(|entry| match entry {
        Entry::Imported { messages } => Some(messages),
        _ => None,
    });
    Ok(messages.map(|messages| describe_messages(origin, messages)).unwrap_or_default())
}

fn describe_messages(origin: &str, messages: &History) -> String {
    let mut text = format!("\nThe conversation until the next task is that of session {origin}.\n");
    for words in messages.iter().flat_map(describe_message) {
        let _ = write!(text, "\n{words}\n");
    }
    text
}

fn describe_message(message: &Message) -> Vec<String> {
    let describe = |part: &Part| match (message.role, part) {
        (Role::User, Part::Text(text)) => Some(format!("## Message\n\n{}", text.text)),
        (_, Part::Text(text)) => Some(text.text.clone()),
        (_, Part::Call(call)) => {
            let arguments = call.arguments().map_or_else(
                || call.payload.text(),
                |arguments| {
                    serde_json::from_str(arguments.as_str()).map_or_else(
                        |_| arguments.as_str().to_owned(),
                        |value: serde_json::Value| format!("{value:#}"),
                    )
                },
            );
            Some(format!("Call `{}` of `{}`:\n\n{}", call.id, call.name, fence("json", &arguments)))
        }
        (_, Part::Result(result)) => {
            Some(format!("Result of `{}`:\n\n{}", result.call, fence("", &result.display_text())))
        }
        (_, Part::Image(_)) => Some("[a picture]".to_owned()),
        (_, Part::File(_)) => Some("[a file]".to_owned()),
        _ => None,
    };
    message.parts.iter().filter_map(describe).filter(|words| !words.trim().is_empty()).collect()
}
