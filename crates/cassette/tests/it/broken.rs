//! Requests and answers that the recorded run gave up: the replay meets a failure there, as the run did.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use serde_json::json;
use windlass_cassette::{Player, Recorder};
use windlass_client::{Transport, TransportErrorKind, TransportFuture, TransportRequest, TransportResponse};

/// Answers a request to a URL that ends with `head` by one chunk of an endless body, and never answers another
/// request.
struct Silent;

impl Transport for Silent {
    fn send(&self, request: TransportRequest) -> TransportFuture<'_> {
        Box::pin(async move {
            if !request.url.ends_with("head") {
                return pending().await;
            }
            let body = stream::iter([Ok(Bytes::from_static(b"one"))]).chain(stream::pending());
            Ok(TransportResponse::new(200, Vec::new(), Box::pin(body)))
        })
    }
}

// correctness-3 4
#[tokio::test]
async fn a_recorded_timeout_is_a_failure_in_the_replay() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.jsonl");
    let recorder = Recorder::create(&file, json!({}), []).unwrap();
    let transport = recorder.transport(Arc::new(Silent));
    let soon = Duration::from_millis(20);
    let (before, after) = (TransportRequest::get("http://h/none"), TransportRequest::get("http://h/head"));
    tokio::time::timeout(soon, transport.send(before.clone())).await.map(|_| ()).unwrap_err();
    let mut answer = transport.send(after.clone()).await.unwrap();
    assert_eq!(answer.body.next().await.unwrap().unwrap(), "one");
    tokio::time::timeout(soon, answer.body.next()).await.map(|_| ()).unwrap_err();
    drop(answer);
    recorder.finish().unwrap();

    let player = Player::open(&file).unwrap();
    let transport = player.transport(None);
    let Err(error) = transport.send(before).await else { panic!("it was answered") };
    assert_eq!(error.kind, TransportErrorKind::Broken, "{error}");
    let mut answer = transport.send(after).await.unwrap();
    assert_eq!(answer.body.next().await.unwrap().unwrap(), "one");
    assert_eq!(answer.body.next().await.unwrap().unwrap_err().kind, TransportErrorKind::Broken);
    assert_eq!(player.differences(), []);
}
