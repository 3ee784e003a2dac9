//! Order, waiting and the bound of progress text.

use futures_util::{FutureExt, future};
use windlass_loop::Event;
use windlass_protocol::CallId;

use super::{Outbox, UNREAD_EVENTS, UNREAD_TEXT, Unread};

fn event(reason: &str) -> Event {
    Event::AnswerRefused { reason: reason.to_owned() }
}

fn call() -> CallId {
    CallId::new("c").unwrap()
}

async fn read(unread: &mut Unread) -> Option<String> {
    match future::poll_fn(|cx| unread.poll_next(cx)).await? {
        Event::AnswerRefused { reason } => Some(reason),
        Event::CallProgress { text, .. } => Some(text),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_sender_waits_for_the_reader() {
    let (outbox, mut unread) = Outbox::new();
    for _ in 0..UNREAD_EVENTS {
        assert!(outbox.send(event("a")).now_or_never().is_some());
    }
    assert!(outbox.send(event("b")).now_or_never().is_none());
    assert!(outbox.room().now_or_never().is_none());
    // `push_event` does not wait, and keeps the event above the bound.
    outbox.push_event(event("c"));
    read(&mut unread).await;
    assert!(outbox.room().now_or_never().is_some());
    let mut rest = Vec::new();
    while let Some(Some(text)) = read(&mut unread).now_or_never() {
        rest.push(text);
    }
    assert_eq!(rest.len(), UNREAD_EVENTS);
    assert_eq!(rest.last().unwrap(), "c");
}

#[tokio::test]
async fn text_above_the_bound_is_left_out_and_counted_at_its_place() {
    let (outbox, mut unread) = Outbox::new();
    let text = outbox.text_of(call());
    let piece = "x".repeat(UNREAD_TEXT / 2);
    for _ in 0..5 {
        text.push_output(piece.clone());
    }
    outbox.push_event(event("after"));
    assert_eq!(read(&mut unread).await.unwrap().len(), piece.len());
    // The queue has room again. The gap before this text must be reported first.
    text.push_output("y".to_owned());
    let gap = read(&mut unread).await.unwrap();
    assert!(gap.contains(&format!("[{} bytes", 4 * piece.len() + 1)), "{gap}");
    text.push_output("z".to_owned());
    assert_eq!(read(&mut unread).await.unwrap(), "after");
    assert_eq!(read(&mut unread).await.unwrap(), "z");
}

#[tokio::test]
async fn a_writer_does_not_wait_for_a_dropped_reader() {
    let (outbox, unread) = Outbox::new();
    for _ in 0..=UNREAD_EVENTS {
        outbox.push_event(event("a"));
    }
    drop(unread);
    assert!(outbox.send(event("b")).now_or_never().is_some());
    assert!(outbox.room().now_or_never().is_some());
}

#[tokio::test]
async fn queued_events_are_read_after_a_close() {
    let (outbox, mut unread) = Outbox::new();
    outbox.push_event(event("a"));
    unread.close();
    outbox.push_event(event("b"));
    assert_eq!(read(&mut unread).await.unwrap(), "a");
    assert_eq!(read(&mut unread).await, None);
}
