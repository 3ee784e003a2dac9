//! Answers that a run requests again, and the events for the user.

use serde_json::json;
use windlass_agent::{Event, Outcome};

use crate::scene::{Scene, events, ways};

// L9: an HTML page, invalid JSON or an empty body instead of an answer shows the user no text, so the request can be
// repeated.
#[tokio::test]
async fn a_response_that_is_not_json_is_retried_and_reported() {
    for (switch, words) in [("html", "HTML page"), ("not_json", "not JSON"), ("empty", "empty")] {
        for way in ways() {
            let hostile = json!({ "switch": switch, "times": 1 });
            let script = json!({ "turns": [{ "steps": [{ "text": "first" }], "hostile": hostile }] });
            let scene = Scene::new(&script.to_string(), way).without_completion();
            let told = events(scene.builder().build().unwrap().stream("task")).await;
            let reasons: Vec<&str> = told
                .iter()
                .filter_map(|event| match event {
                    Event::AttemptDiscarded { reason, .. } => Some(reason.as_str()),
                    _ => None,
                })
                .collect();
            assert!(matches!(reasons[..], [reason] if reason.contains(words)), "{switch}: {reasons:?}");
            let Some(Event::Finished { outcome, .. }) = told.last() else { panic!("{told:?}") };
            assert!(matches!(outcome, Outcome::Completed { .. }), "{switch}: {outcome:?}");
        }
    }
}
