//! Tests of the order of requests and their cancellations.

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::Asks;
use crate::peer::Peer;

fn ask(asks: &mut Asks, peer: &Peer, question: &str) {
    let (peer, params) = (peer.clone(), json!({ "question": question }));
    asks.ask(question.to_owned(), async move {
        peer.request("ask", params).await.wait().await;
        None
    });
}

async fn next(lines: &mut mpsc::Receiver<String>) -> (String, u64) {
    let message: Value = lines.recv().await.map(|line| line.parse().unwrap_or_default()).unwrap_or_default();
    let id = message.get("id").or_else(|| message.pointer("/params/requestId")).and_then(Value::as_u64);
    let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
    (method.to_owned(), id.unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_withdrawn_request_is_cancelled_before_the_next_request() {
    // On a task, because the runtime's queues order tasks that a worker starts.
    let rounds = tokio::spawn(async {
        let (peer, mut lines) = Peer::new();
        let mut asks = Asks::default();
        for round in 0..200 {
            let (first, second) = (2 * round + 1, 2 * round + 2);
            ask(&mut asks, &peer, "first");
            assert_eq!(next(&mut lines).await, ("ask".to_owned(), first));
            asks.withdraw("first").await;
            ask(&mut asks, &peer, "second");
            assert_eq!(next(&mut lines).await, ("$/cancel_request".to_owned(), first), "round {round}");
            assert_eq!(next(&mut lines).await, ("ask".to_owned(), second));
            asks.withdraw("second").await;
            assert_eq!(next(&mut lines).await, ("$/cancel_request".to_owned(), second));
        }
    });
    assert!(rounds.await.is_ok(), "the order was wrong");
}

#[tokio::test]
async fn a_full_queue_delays_a_cancellation_and_does_not_lose_it() {
    let (peer, mut lines) = Peer::new();
    let mut asks = Asks::default();
    ask(&mut asks, &peer, "first");
    assert_eq!(next(&mut lines).await.0, "ask");
    let mut queued = 0;
    while peer.try_fill() {
        queued += 1;
    }
    asks.withdraw("first").await;
    for _ in 0..queued {
        assert_eq!(next(&mut lines).await.0, "full");
    }
    ask(&mut asks, &peer, "second");
    assert_eq!(next(&mut lines).await, ("$/cancel_request".to_owned(), 1));
    assert_eq!(next(&mut lines).await, ("ask".to_owned(), 2));
}
