//! The token that cancels a call.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use windlass_tool::CancellationToken;

#[test]
fn a_parent_cancels_its_children_and_no_child_its_parent() {
    let parent = CancellationToken::new();
    let (left, right) = (parent.child_token(), parent.child_token());
    left.cancel();
    assert!(left.is_cancelled() && !parent.is_cancelled() && !right.is_cancelled());
    parent.cancel();
    assert!(right.is_cancelled() && parent.child_token().is_cancelled());
}

#[test]
fn a_cancellation_passes_tokens_that_were_dropped() {
    let parent = CancellationToken::new();
    let grandchild = parent.child_token().child_token();
    parent.cancel();
    assert!(grandchild.is_cancelled());
}

#[test]
fn dropping_a_parent_token_does_not_cancel_its_child() {
    let child = CancellationToken::new().child_token();
    assert!(!child.is_cancelled());
}

#[test]
fn dropped_children_are_removed_and_living_ones_are_kept() {
    let parent = CancellationToken::new();
    let living: Vec<_> = (0..1_000).map(|_| (parent.child_token(), drop(parent.child_token())).0).collect();
    parent.cancel();
    assert!(living.iter().all(CancellationToken::is_cancelled));
}

#[test]
fn a_guard_cancels_when_it_is_dropped_unless_it_is_disarmed() {
    let token = CancellationToken::new();
    let disarmed = token.clone().drop_guard().disarm();
    assert!(!disarmed.is_cancelled());
    drop(token.clone().drop_guard());
    assert!(token.is_cancelled() && disarmed.is_cancelled());
}

#[tokio::test]
async fn work_ends_with_its_token_or_before_it() {
    let token = CancellationToken::new();
    assert_eq!(token.run_until_cancelled(async { 1 }).await, Some(1));
    let stop = token.clone();
    let stopping = tokio::spawn(async move { stop.cancel() });
    assert_eq!(token.run_until_cancelled(pending::<()>()).await, None);
    stopping.await.unwrap();
    assert_eq!(token.run_until_cancelled(async { 1 }).await, None);
}

#[tokio::test]
async fn a_wait_that_is_dropped_leaves_the_others() {
    let token = CancellationToken::new();
    let waiting = tokio::spawn({
        let token = token.clone();
        async move { token.cancelled().await }
    });
    let given_up = tokio::time::timeout(Duration::from_millis(1), token.cancelled()).await;
    assert!(given_up.is_err());
    token.cancel();
    waiting.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn cancel_wakes_every_waiting_task() {
    for _ in 0..200 {
        let (token, woken) = (CancellationToken::new(), Arc::new(AtomicUsize::new(0)));
        let tasks: Vec<_> = (0..8)
            .map(|number| {
                let (parent, woken) = (token.clone(), Arc::clone(&woken));
                tokio::spawn(async move {
                    let token = if number % 2 == 0 { parent } else { parent.child_token() };
                    token.cancelled().await;
                    woken.fetch_add(1, Ordering::Relaxed);
                })
            })
            .collect();
        tokio::task::yield_now().await;
        token.cancel();
        for task in tasks {
            tokio::time::timeout(Duration::from_secs(10), task).await.unwrap().unwrap();
        }
        assert_eq!(woken.load(Ordering::Relaxed), 8);
    }
}
