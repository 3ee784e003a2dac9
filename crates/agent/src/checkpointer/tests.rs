//! Tests of the gate: a call that is stopped there begins no checkpoint.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt;
use windlass_hitl::PolicyInput;
use windlass_protocol::{Arguments, CallId, Effect, Hints, ToolCall, ToolName};
use windlass_tool::CancellationToken;

use super::{CheckpointFuture, Checkpointer, Gate, NotPassed, WithoutCheckpoint};

/// Counts the checkpoints that are begun, and finishes none.
#[derive(Default)]
struct Hanging(AtomicUsize);

impl Checkpointer for Arc<Hanging> {
    fn save_before_change(&self, _: u32) -> CheckpointFuture<'_> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::pending())
    }

    fn diff_of_turn(&self, _: u32) -> CheckpointFuture<'_> {
        Box::pin(std::future::pending())
    }

    fn diff_of_run(&self) -> CheckpointFuture<'_> {
        Box::pin(std::future::pending())
    }
}

// The race of `a_call_at_the_gate_is_stopped`: the first of two stopped calls releases the gate before the second one
// sees that it is stopped.
#[tokio::test]
async fn a_stopped_call_starts_no_checkpoint_after_the_previous_one_ends() {
    let hanging = Arc::new(Hanging::default());
    let keeper: Arc<dyn Checkpointer> = Arc::new(Arc::clone(&hanging));
    let gate = Gate::new(Some((keeper, WithoutCheckpoint::Run)), 1);
    let name = ToolName::new("change").unwrap();
    let call = ToolCall::function(CallId::new("c").unwrap(), name.clone(), Arguments::default());
    let write = Effect::Write { path: "a".into(), bytes: None };
    let facts = PolicyInput::new(name, Hints::default(), &call, vec![write]);
    let stop = CancellationToken::new();
    let mut first = Box::pin(gate.pass(&facts, None, &stop));
    let mut second = Box::pin(gate.pass(&facts, None, &stop));
    assert!(first.as_mut().now_or_never().is_none() && second.as_mut().now_or_never().is_none());
    stop.cancel();
    assert_eq!(first.as_mut().now_or_never(), Some(Err(NotPassed::Stopped)));
    drop(first);
    assert_eq!(second.as_mut().now_or_never(), Some(Err(NotPassed::Stopped)));
    assert_eq!(hanging.0.load(Ordering::SeqCst), 1);
}
