//! The schema of the feed is a document of the repository: `UPDATE_EXPECT=1 cargo test -p windlass-app schema`.

use expect_test::expect_file;
use serde_json::json;
use windlass_app::feed::{FeedEvent, FeedHeader, feed_schema};
use windlass_protocol::{Arguments, RawJson};
use windlass_schema::Checker;

/// Checks events against the schema, as a reader would.
#[track_caller]
pub(crate) fn check_events(events: &[FeedEvent]) {
    let schema: RawJson = feed_schema().to_string().parse().unwrap();
    let checker = Checker::compile(&schema).unwrap();
    for event in events {
        let line = serde_json::to_string(event).unwrap();
        let outcome = checker.check(&Arguments::parse(line.as_str()).unwrap());
        assert!(outcome.is_ok(), "{line}: {outcome:?}");
        assert_eq!(serde_json::from_str::<FeedEvent>(&line).unwrap(), *event);
    }
}

#[test]
fn the_document_is_the_schema() {
    let text = format!("{:#}\n", feed_schema());
    expect_file!["../../../../docs/events.schema.json"].assert_eq(&text);
}

#[test]
fn the_schema_accepts_lines_of_the_feed_and_refuses_others() {
    let schema: RawJson = feed_schema().to_string().parse().unwrap();
    let checker = Checker::compile(&schema).unwrap();
    let is_valid = |line: &str| checker.check(&Arguments::parse(line).unwrap()).is_ok();
    assert!(is_valid(&serde_json::to_string(&FeedHeader::new("s", "r")).unwrap()));
    let event = json!({"seq": 1, "session": "s", "run": "r", "at_ms": 0, "kind": "notice", "text": "x"});
    assert!(is_valid(&event.to_string()));
    for (name, value) in [("kind", json!("no_such_kind")), ("seq", json!("1")), ("text", json!(1))] {
        let mut wrong = event.clone();
        wrong[name] = value;
        assert!(!is_valid(&wrong.to_string()), "{wrong}");
    }
}
