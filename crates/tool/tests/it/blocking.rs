//! Blocking work of a call.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use windlass_protocol::CallId;
use windlass_tool::{CancellationToken, Context, Output, run_blocking};

fn context() -> Context {
    Context::new(CallId::new("call_1").unwrap())
}

#[tokio::test]
async fn work_of_a_cancelled_call_does_not_start() {
    let token = CancellationToken::new();
    token.cancel();
    let started = Arc::new(AtomicBool::new(false));
    let flag = started.clone();
    let work = move |_: &CancellationToken| {
        flag.store(true, Ordering::SeqCst);
        Ok(Output::text("done"))
    };
    let error = run_blocking(&context().with_cancellation(token), work).await.unwrap_err();
    assert!(error.to_string().contains("nothing was done"), "{error}");
    assert!(!started.load(Ordering::SeqCst));
}

// L8
#[tokio::test]
async fn work_that_panics_fails_its_call_only() {
    let error = run_blocking::<Output>(&context(), |_| panic!("on this input")).await.unwrap_err();
    assert!(error.to_string().contains("try another way"), "{error}");
    let output = run_blocking(&context(), |_| Ok(Output::text("done"))).await.unwrap();
    assert_eq!(output.words(), "done");
}

#[test]
fn dropping_the_future_cancels_running_and_queued_work() {
    let runtime = tokio::runtime::Builder::new_multi_thread().max_blocking_threads(1).build().unwrap();
    let (started, has_started) = mpsc::channel();
    let (dropped, is_dropped) = mpsc::channel::<()>();
    let (seen, was_seen) = mpsc::channel();
    let ctx = context();
    let running = move |stop: &CancellationToken| {
        started.send(()).unwrap();
        is_dropped.recv().unwrap();
        seen.send(stop.is_cancelled()).unwrap();
        Ok(())
    };
    let queued_ran = Arc::new(AtomicBool::new(false));
    let flag = queued_ran.clone();
    let queued = move |_: &CancellationToken| {
        flag.store(true, Ordering::SeqCst);
        Ok(())
    };
    runtime.block_on(async {
        let mut calls =
            Box::pin(async { tokio::join!(run_blocking(&ctx, running), run_blocking(&ctx, queued)) });
        assert!(poll_once(calls.as_mut()).await.is_none(), "the one thread is busy");
        has_started.recv().unwrap();
    });
    dropped.send(()).unwrap();
    assert!(was_seen.recv().unwrap(), "running work sees the drop");
    runtime.block_on(async { tokio::task::spawn_blocking(|| ()).await.unwrap() });
    assert!(!queued_ran.load(Ordering::SeqCst), "queued work does not start");
}

/// Polls a future once, and returns its output if it is ready.
async fn poll_once<F: Future>(mut future: std::pin::Pin<&mut F>) -> Option<F::Output> {
    std::future::poll_fn(|cx| {
        std::task::Poll::Ready(match future.as_mut().poll(cx) {
            std::task::Poll::Ready(output) => Some(output),
            std::task::Poll::Pending => None,
        })
    })
    .await
}
