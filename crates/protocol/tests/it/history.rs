//! Conversations that share their messages.

use std::sync::Arc;

use proptest::prelude::*;
use windlass_protocol::{History, Message, Request};

fn said(count: usize) -> Vec<Message> {
    (0..count).map(|at| Message::user(format!("word {at}"))).collect()
}

fn texts(history: &History) -> Vec<String> {
    history.iter().map(Message::text).collect()
}

/// Checks that all methods of a history of `count` messages agree with the list of these messages.
#[track_caller]
fn check(count: usize) {
    let list = said(count);
    let history = History::from(list.clone());
    assert_eq!((history.len(), history.is_empty()), (count, count == 0));
    assert!(history.iter().eq(&list));
    assert!(history.iter().rev().eq(list.iter().rev()));
    assert_eq!(history.iter().len(), count);
    assert_eq!((history.first(), history.last()), (list.first(), list.last()));
    assert_eq!(history.get(count), None);
    assert!((0..count).all(|at| history.get(at) == list.get(at) && history[at] == list[at]));
    assert!(history.iter().skip(3).eq(list.iter().skip(3)));
    let text = serde_json::to_string(&history).unwrap();
    assert_eq!(text, serde_json::to_string(&list).unwrap(), "written as a plain list");
    assert_eq!(serde_json::from_str::<History>(&text).unwrap(), history);
}

#[test]
fn a_history_is_a_list() {
    for count in [0, 1, 2, 63, 64, 65, 127, 128, 129, 1_000] {
        check(count);
    }
}

#[test]
fn a_clone_shares_every_message_and_changes_alone() {
    for count in [1, 63, 64, 65, 200] {
        let history = History::from(said(count));
        let mut other = history.clone();
        assert_eq!(history.shared_prefix(&other), count);
        other.push(Message::user("more"));
        assert_eq!((history.shared_prefix(&other), other.shared_prefix(&history)), (count, count));
        assert!(other.starts_with(&history) && !history.starts_with(&other));
        other[count / 2] = Message::user("changed");
        assert_eq!(history.shared_prefix(&other), count / 2);
        assert_eq!(texts(&history), texts(&History::from(said(count))));
        assert!(!other.starts_with(&history));
        for message in other.iter_mut() {
            message.parts.clear();
        }
        assert_eq!(history.shared_prefix(&other), 0);
        assert!(other.iter().all(|message| message.parts.is_empty()));
        assert_eq!(history, History::from(said(count)));
    }
}

#[test]
fn equal_histories_need_not_be_shared() {
    let (one, other) = (History::from(said(70)), History::from(said(70)));
    assert_eq!(one.shared_prefix(&other), 0);
    assert!(one == other && one.starts_with(&other));
    assert_ne!(one, History::from(said(69)));
}

#[test]
fn a_shared_message_goes_in_without_a_copy() {
    let message = Arc::new(Message::user("once"));
    let history: History = [Arc::clone(&message), Arc::clone(&message)].into_iter().collect();
    assert!(history.get_shared(1).is_some_and(|held| Arc::ptr_eq(held, &message)));
    let request = Request::new("m", history.clone());
    assert_eq!(request.clone().messages.shared_prefix(&history), 2);
}

proptest! {
    /// After any operations on a history and its clones, each equals a list with the same operations.
    #[test]
    fn edits_are_those_of_a_list(start in 0..200_usize, edits in prop::collection::vec((0..7_u8, 0..220_usize), 0..40)) {
        let mut pairs = vec![(History::from(said(start)), said(start))];
        for (kind, at) in edits {
            let which = at % pairs.len();
            if kind == 0 {
                let copy = pairs[which].clone();
                pairs.push(copy);
            }
            let (history, list) = &mut pairs[which];
            match kind {
                1 | 2 => {
                    history.push(Message::user(format!("new {at}")));
                    list.push(Message::user(format!("new {at}")));
                }
                3 => {
                    history.truncate(at);
                    list.truncate(at);
                }
                4 => {
                    let keep = |message: &Message| message.text().len() % 5 != at % 5;
                    history.retain(keep);
                    list.retain(keep);
                }
                5 if at < list.len() => {
                    history[at].parts.clear();
                    list[at].parts.clear();
                }
                6 => {
                    history.clear();
                    list.clear();
                }
                _ => {}
            }
        }
        for (history, list) in &pairs {
            prop_assert!(history.len() == list.len() && history.iter().eq(list));
        }
    }
}
