//! The events of a stored session, and the part of them that is printed when the session is opened.

use tokio::sync::mpsc;
use windlass_app::feed::{FeedEvent, FeedKind};
use windlass_text::count_noun;

use super::listing::describe_session;
use super::parts::{Parts, describe};
use crate::input::{Input, Reply};

/// Bytes of the newest events that are printed: some hundred lines. The state of the conversation follows from all
/// events.
const PRINTED_BYTES: usize = 128 * 1024;

/// Sends the events of a stored session, then its state. Blocks while the conversation has not read them.
pub(super) fn send_session(parts: &Parts, feed: &mpsc::Sender<Input>, name: &str) {
    let opened = parts.host.sessions().find(name).and_then(|record| {
        let events = parts.host.sessions().events(&record, None)?;
        Ok((record, events))
    });
    let (record, events) = match opened {
        Ok(opened) => opened,
        Err(error) => return parts.reply(Reply::Error(describe(&error))),
    };
    let last_seq = events.last().map_or(0, |event| event.seq);
    let earlier = events.len().saturating_sub(count_printed(&events));
    if let Ok(settings) = parts.host.sessions().newest_folder(&record).and_then(|folder| folder.settings()) {
        let window = parts.host.context_tokens(&settings);
        drop(feed.blocking_send(Input::Reply(Reply::ContextWindow(window))));
    }
    let left_out = describe_left_out(events.get(..earlier).unwrap_or_default());
    for (at, event) in events.into_iter().enumerate() {
        let event = Box::new(event);
        let input = if at < earlier { Input::Earlier(event) } else { Input::Feed(event) };
        if let (true, Some(words)) = (at == earlier, &left_out) {
            drop(feed.blocking_send(Input::Reply(Reply::Notice(words.clone()))));
        }
        // Without a reader the conversation has ended.
        if feed.blocking_send(input).is_err() {
            return;
        }
    }
    drop(feed.blocking_send(Input::Reply(Reply::Opened(describe_session(&record, last_seq)))));
}

/// Returns the number of the newest events that are printed. The first of them begins a turn, if one does.
pub(super) fn count_printed(events: &[FeedEvent]) -> usize {
    let (mut room, mut count, mut begins) = (PRINTED_BYTES, 0_usize, 0);
    for event in events.iter().rev() {
        let size = serde_json::to_string(event).map_or(0, |text| text.len());
        match room.checked_sub(size) {
            Some(left) => room = left,
            None => return if begins == 0 { count.max(1) } else { begins },
        }
        count = count.saturating_add(1);
        if matches!(
            event.kind,
            FeedKind::RunStarted { .. } | FeedKind::Reasoning { .. } | FeedKind::Text { .. }
        ) {
            begins = count;
        }
    }
    events.len()
}

/// Returns a notice about events that are not printed.
pub(super) fn describe_left_out(events: &[FeedEvent]) -> Option<String> {
    let turns = events
        .iter()
        .filter(|event| event.agent.is_none() && matches!(event.kind, FeedKind::TurnEnded { .. }));
    let turns = count_noun(turns.count(), "earlier turn");
    (!events.is_empty()).then(|| format!("not printed: {turns}; /export writes the whole session"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(seq: usize, kind: &str, text: &str) -> FeedEvent {
        let event = json!({
            "seq": seq, "session": "s", "run": "r", "at_ms": 0, "kind": kind, "turn": seq, "text": text,
            "tool": "t", "call": "c", "status": "ok", "usage": {}, "total": {},
        });
        serde_json::from_value(event).unwrap()
    }

    #[test]
    fn a_short_session_is_printed_whole() {
        let events: Vec<FeedEvent> = (0..10).map(|seq| event(seq, "text", "short")).collect();
        assert_eq!(count_printed(&events), 10);
        assert_eq!((count_printed(&[]), describe_left_out(&[])), (0, None));
    }

    #[test]
    fn the_newest_turns_of_a_long_session_are_printed() {
        let long = "x".repeat(10_000);
        let mut events = Vec::new();
        for seq in 0..40 {
            events.push(event(seq, "text", "words"));
            events.push(event(seq, "notice", &long));
        }
        let count = count_printed(&events);
        assert!((20..=26).contains(&count), "{count}");
        assert!(matches!(events[events.len() - count].kind, FeedKind::Text { .. }));
        // An event that is too large alone is still printed.
        let huge = event(1, "text", &"x".repeat(1_000_000));
        assert_eq!(count_printed(&[event(0, "text", "a"), huge]), 1);
    }
}
