//! The order of notices and tasks.

use serde_json::json;

use super::Talk;
use crate::action::Changes;
use crate::input::{Input, Reply};

#[test]
fn notices_follow_the_task_that_caused_them() {
    let mut talk = Talk::new();
    let wait = |text: &str| {
        let (text, reason) = (Some(text.to_owned()), "status 429".to_owned());
        Input::Reply(Reply::Wait { text, reason, wait: std::time::Duration::from_secs(6) })
    };
    talk.send("hi");
    talk.apply(wait("status 429; retrying"));
    talk.apply(Input::Reply(Reply::Started { session: "s".to_owned() }));
    assert!(talk.view().contains("waits 6s"), "{}", talk.view());
    talk.feed(json!({"kind": "run_started", "task": "hi"}));
    talk.apply(Input::Reply(Reply::Notice("a later one".to_owned())));
    talk.end("done");
    talk.send("/compact");
    talk.feed(json!({"kind": "notice", "text": "the model is asked to summarize"}));
    talk.feed(json!({"kind": "run_started", "task": "Compact the conversation."}));
    talk.end("compacted");
    // A start that fails prints its notices, too.
    talk.send("again");
    talk.apply(Input::Reply(Reply::Notice("a warning".to_owned())));
    let (changes, fork) = (Changes::default(), None);
    talk.apply(Input::Reply(Reply::NotStarted {
        task: "again".to_owned(),
        message: "no key".to_owned(),
        changes,
        fork,
    }));
    let printed = talk.printed.join("\n");
    let words =
        ["> hi", "status 429", "a later one", "> Compact", "asked to summarize", "a warning", "no key"];
    let places: Vec<usize> = words
        .iter()
        .map(|words| printed.find(words).unwrap_or_else(|| panic!("{words}: {printed}")))
        .collect();
    assert!(places.is_sorted(), "{printed}");
}
