//! The entries of an inbox, and their form in a file.

use serde::{Deserialize, Serialize};
use windlass_agent::DeliverAt;
use windlass_protocol::Part;

use crate::config::Task;
use crate::runs::MessageTime;
use crate::runs::stop_request::StopRequest;

/// Entry of a run's inbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "StoredItem", into = "StoredItem")]
pub(super) enum InboxItem {
    Message(InboxMessage),
    /// The run compacts its conversation before its next request to the model.
    Compaction,
    Stop {
        request: StopRequest,
        /// The start of the run that the request is for: the process that worked on the run when the window made the
        /// request. Requests of earlier versions do not name it.
        start: Option<String>,
    },
}

/// A person's message.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct InboxMessage {
    /// Unique id, by which a resumed run recognizes a message that its journal already contains. File names
    /// are not unique, because numbers start again in an empty inbox. Messages of earlier versions have no
    /// id.
    pub(super) id: Option<String>,
    pub(super) content: Task,
    pub(super) time: MessageTime,
}

/// The form of an entry in a file. Processes of earlier versions read it, so a request has the fields of a message.
#[derive(Serialize, Deserialize)]
struct StoredItem {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Part>,
    when: DeliverAt,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    compacts: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    stops_calls: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stop: Option<StopRequest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start: Option<String>,
}

impl From<StoredItem> for InboxItem {
    fn from(stored: StoredItem) -> Self {
        let StoredItem { id, text, parts, when, compacts, stops_calls, stop, start } = stored;
        if let Some(request) = stop {
            return Self::Stop { request, start };
        }
        if compacts {
            return Self::Compaction;
        }
        let time = if stops_calls { MessageTime::Now } else { when.into() };
        Self::Message(InboxMessage { id, content: Task { text, parts }, time })
    }
}

impl From<InboxItem> for StoredItem {
    fn from(item: InboxItem) -> Self {
        let request = Self {
            id: None,
            text: String::new(),
            parts: Vec::new(),
            when: DeliverAt::NextTurn,
            compacts: false,
            stops_calls: false,
            stop: None,
            start: None,
        };
        match item {
            InboxItem::Compaction => Self { compacts: true, ..request },
            InboxItem::Stop { request: stop, start } => Self { stop: Some(stop), start, ..request },
            InboxItem::Message(InboxMessage { id, content: Task { text, parts }, time }) => {
                let stops_calls = time == MessageTime::Now;
                Self { id, text, parts, when: time.deliver_at(), stops_calls, ..request }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_earlier_versions_are_read() {
        let read = |text: &str| serde_json::from_str::<InboxItem>(text).unwrap();
        assert_eq!(
            read(r#"{"text":"","when":"next_turn","stop":{"stop":"run"}}"#),
            InboxItem::Stop { request: StopRequest::Run, start: None }
        );
        assert_eq!(
            read(r#"{"id":"say-1","text":"","when":"next_turn","compacts":true}"#),
            InboxItem::Compaction
        );
        let message = read(r#"{"text":"faster","when":"next_turn","stops_calls":true}"#);
        let content = Task { text: "faster".to_owned(), parts: Vec::new() };
        assert_eq!(message, InboxItem::Message(InboxMessage { id: None, content, time: MessageTime::Now }));
    }

    #[test]
    fn inbox_items_round_trip() {
        let content = Task { text: "words".to_owned(), parts: Vec::new() };
        let message = |time| {
            InboxItem::Message(InboxMessage { id: Some("say-1".to_owned()), content: content.clone(), time })
        };
        let stop = InboxItem::Stop { request: StopRequest::Run, start: Some("s".to_owned()) };
        let times = [MessageTime::Now, MessageTime::AfterTurn, MessageTime::AfterTask];
        for item in times.map(message).into_iter().chain([InboxItem::Compaction, stop]) {
            let text = serde_json::to_string(&item).unwrap();
            assert_eq!(serde_json::from_str::<InboxItem>(&text).unwrap(), item, "{text}");
        }
    }
}
