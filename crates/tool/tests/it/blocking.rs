//! Blocking work of a call.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
    let work = move || {
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
    let error = run_blocking(&context(), || panic!("on this input")).await.unwrap_err();
    assert!(error.to_string().contains("try another way"), "{error}");
    let output = run_blocking(&context(), || Ok(Output::text("done"))).await.unwrap();
    assert_eq!(output.words(), "done");
}
