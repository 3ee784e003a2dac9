//! Calls whose future is dropped while their blocking work waits for a thread.

use std::sync::mpsc;
use std::task::{Context as TaskContext, Poll, Waker};

use windlass_protocol::{CallId, Payload};
use windlass_tool::{Context, Tool};

/// Starts a call of a tool, drops its future while its blocking work waits for the only thread, and returns when
/// that thread has taken the work. The engine does the same to a call that does not stop: it reports the call as
/// cancelled, so the call must change nothing after that.
///
/// # Panics
/// Panics if the call ends without a thread, because then the test proves nothing.
pub fn drop_before_work(tool: &dyn Tool, payload: &Payload) {
    let name = tool.spec().name();
    let ctx = Context::new(CallId::new("call_1").expect("a legal id"));
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.max_blocking_threads(1).build().expect("a runtime can be built");
    let (release, is_released) = mpsc::channel::<()>();
    runtime.block_on(async {
        let busy = tokio::task::spawn_blocking(move || is_released.recv());
        let mut call = tool.call(&ctx, payload);
        let polled = call.as_mut().poll(&mut TaskContext::from_waker(Waker::noop()));
        assert!(matches!(polled, Poll::Pending), "{name} does not wait for the thread");
        drop(call);
        release.send(()).expect("the thread waits");
        busy.await.expect("the thread runs").expect("the thread is released");
        // The thread takes its work in order, so it has taken the work of the call before this.
        tokio::task::spawn_blocking(|| ()).await.expect("the thread runs");
    });
}
