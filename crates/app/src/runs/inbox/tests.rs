//! Tests of the requests in an inbox.

use std::time::Duration;

use super::*;
use crate::{App, Folders};

/// Puts a request into an inbox before the run looks into it for the first time. Returns whether the run stops.
async fn stops_at_first_look(start: Option<&str>, wanted: Option<&str>) -> bool {
    let place = tempfile::tempdir().unwrap();
    let app = App::new(Folders::new(place.path().join("settings"), place.path().join("state")));
    let folder = RunFolder::create(&app).unwrap();
    leave_stop(&folder, StopRequest::Run, wanted.map(str::to_owned)).unwrap();
    let cancellation = CancellationToken::new();
    let inbox = Inbox::new(&folder, start, RunningCalls::default(), cancellation.clone());
    let _messages = inbox.messages();
    let removed = async {
        while !inbox.news().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), removed).await.expect("the request is removed");
    cancellation.is_cancelled()
}

#[tokio::test]
async fn a_stop_request_before_the_first_poll_stops_only_the_named_start() {
    assert!(stops_at_first_look(Some("second"), Some("second")).await);
    assert!(!stops_at_first_look(Some("second"), Some("first")).await);
    assert!(!stops_at_first_look(Some("second"), None).await, "a request of unknown age");
}
