//! Readers of a feed: every numbered event once and in order, every text whole, nothing waits.

use proptest::prelude::*;

use super::subscription::Subscription;
use super::{Feed, KEPT_EVENTS};
use crate::feed::card::Tokens;
use crate::feed::event::FeedEvent;
use crate::feed::kind::FeedKind;

fn event(seq: u64, kind: FeedKind) -> FeedEvent {
    FeedEvent { seq, session: "s".to_owned(), run: "r".to_owned(), at_ms: 0, agent: None, kind }
}

fn notice(seq: u64) -> FeedEvent {
    event(seq, FeedKind::Notice { text: seq.to_string() })
}

fn delta(seq: u64, offset: usize, text: &str) -> FeedEvent {
    let (offset, text) = (offset as u64, text.to_owned());
    event(seq, FeedKind::TextDelta { turn: 1, index: 0, offset, text, merged: 0 })
}

/// Reads the events that are available now.
async fn read(reader: &mut Subscription) -> Vec<FeedEvent> {
    let mut events = Vec::new();
    loop {
        tokio::select! {
            biased;
            event = reader.next() => match event.unwrap() {
                Some(event) => events.push(event),
                None => return events,
            },
            () = std::future::ready(()) => return events,
        }
    }
}

fn text_of(events: &[FeedEvent], text: &mut String, merged: &mut u64) {
    for event in events {
        if let FeedKind::TextDelta { offset, text: more, merged: pieces, .. } = &event.kind {
            assert_eq!(*offset, text.len() as u64, "a delta continues where the one before ended");
            text.push_str(more);
            *merged += u64::from(pieces.saturating_sub(1));
        }
    }
}

#[tokio::test]
async fn a_slow_reader_gets_the_missed_deltas_as_one_and_their_number() {
    let feed = Feed::new(1);
    feed.publish([notice(1), delta(1, 0, "one ")]);
    let (mut fast, _) = feed.subscribe(Some(0));
    let (mut slow, _) = feed.subscribe(Some(0));
    assert_eq!(read(&mut fast).await, [notice(1), delta(1, 0, "one ")]);
    feed.publish([delta(1, 4, "two ")]);
    assert_eq!(read(&mut fast).await, [delta(1, 4, "two ")]);
    feed.publish([delta(1, 8, "three")]);
    let events = read(&mut slow).await;
    let merged =
        FeedKind::TextDelta { turn: 1, index: 0, offset: 0, text: "one two three".to_owned(), merged: 3 };
    assert_eq!(events, [notice(1), event(1, merged)]);
    assert_eq!((slow.count_merged(), fast.count_merged()), (2, 0));
    // The whole text replaces the draft: a reader that joins now does not get the draft.
    let ended =
        FeedKind::TurnEnded { turn: 1, stop: None, usage: Tokens::default(), total: Tokens::default() };
    feed.publish([
        event(2, FeedKind::Text { turn: 1, text: "one two three".to_owned(), sources: Vec::new() }),
        event(3, ended),
    ]);
    let (mut late, first) = feed.subscribe(Some(1));
    assert_eq!(first, 2);
    let kinds: Vec<u64> = read(&mut late).await.iter().map(|event| event.seq).collect();
    assert_eq!(kinds, [2, 3]);
    feed.end();
    assert_eq!(late.next().await, Ok(None));
}

#[tokio::test]
async fn the_output_of_a_call_is_bounded_and_the_missing_bytes_are_counted() {
    let feed = Feed::new(1);
    let output = |text: &str| {
        let (call, text) = ("c".to_owned(), text.to_owned());
        event(0, FeedKind::CallOutput { call, text, merged: 0, left_out: 0 })
    };
    for _ in 0..40 {
        feed.publish([output(&"x".repeat(10_000))]);
    }
    let (mut late, _) = feed.subscribe(None);
    let events = read(&mut late).await;
    let [FeedEvent { kind: FeedKind::CallOutput { text, merged: 40, left_out, .. }, .. }] = events.as_slice()
    else {
        panic!("{} events", events.len())
    };
    assert_eq!(text.len() as u64 + left_out, 400_000);
    assert!(text.len() < 200_000, "{}", text.len());
}

#[tokio::test]
async fn a_reader_that_is_too_far_behind_is_sent_to_the_records() {
    let feed = Feed::new(1);
    let (mut behind, _) = feed.subscribe(Some(0));
    feed.publish((1..=KEPT_EVENTS as u64 + 10).map(notice));
    assert!(behind.next().await.is_err());
    let (_, first) = feed.subscribe(Some(0));
    assert_eq!(first, 11);
}

/// A step of a reader in the property test.
#[derive(Clone, Debug)]
enum Step {
    /// The run publishes numbered events.
    Numbered(u8),
    /// The run sends pieces of a text.
    Deltas(u8),
    /// The reader gets the available events.
    Read,
    /// The reader goes away and returns with the last number that it has.
    Again,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (1_u8..4).prop_map(Step::Numbered),
        (1_u8..4).prop_map(Step::Deltas),
        Just(Step::Read),
        Just(Step::Again),
    ];
    proptest::collection::vec(step, 1..60)
}

proptest! {
    // For any interleaving of reads, drops and returns with the last number, a reader has every numbered event once
    // and in order, and the text whole.
    #[test]
    fn a_reader_receives_what_the_record_contains(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async move {
            let feed = Feed::new(1);
            let (mut seq, mut sent) = (0_u64, String::new());
            let (mut reader, _) = feed.subscribe(Some(0));
            let (mut got, mut text, mut merged) = (Vec::new(), String::new(), 0);
            for step in steps.into_iter().chain([Step::Read]) {
                match step {
                    Step::Numbered(count) => for _ in 0..count {
                        seq += 1;
                        feed.publish([notice(seq)]);
                    },
                    Step::Deltas(count) => for number in 0..count {
                        let piece = format!("{number},");
                        feed.publish([delta(seq, sent.len(), &piece)]);
                        sent.push_str(&piece);
                    },
                    Step::Read => {
                        let events = read(&mut reader).await;
                        text_of(&events, &mut text, &mut merged);
                        prop_assert!(events.iter().all(|event| event.seq <= seq));
                        got.extend(events.into_iter().filter(|event| event.kind.is_numbered()));
                    }
                    Step::Again => {
                        let last = got.last().map_or(0, |event: &FeedEvent| event.seq);
                        let (next, first) = feed.subscribe(Some(last));
                        prop_assert_eq!(first, last + 1);
                        // A reader that returns gets the draft from its beginning.
                        (reader, text, merged) = (next, String::new(), 0);
                    }
                }
            }
            prop_assert_eq!(got, (1..=seq).map(notice).collect::<Vec<_>>());
            prop_assert_eq!(text, sent);
            prop_assert_eq!(merged, reader.count_merged());
            Ok(())
        })?;
    }
}
