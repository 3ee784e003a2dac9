//! The registration of signals.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Wake;

use super::*;

/// Counts its wake-ups.
#[derive(Default)]
struct Counter(AtomicUsize);

impl Wake for Counter {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_signal_wakes_the_task_that_polled_it_last() {
    let (phase, stop) = Stop::channel();
    let mut signal = stop.into_signal(Phase::Ending);
    let (first, second) = (Arc::<Counter>::default(), Arc::<Counter>::default());
    let (a, b) = (Waker::from(Arc::clone(&first)), Waker::from(Arc::clone(&second)));
    for waker in [&a, &a, &b, &b] {
        assert!(signal.poll_begin(&mut Context::from_waker(waker)).is_pending());
    }
    phase.send_replace(Phase::Draining);
    assert_eq!((first.0.load(Ordering::Relaxed), second.0.load(Ordering::Relaxed)), (0, 1));
    // The earlier phase is not the end, and the signal is registered again.
    assert!(signal.poll_begin(&mut Context::from_waker(&b)).is_pending());
    phase.send_replace(Phase::Ending);
    assert_eq!(second.0.load(Ordering::Relaxed), 2);
    assert!(signal.poll_begin(&mut Context::from_waker(&b)).is_ready());
    assert!(signal.poll_begin(&mut Context::from_waker(&b)).is_pending());
}

#[test]
fn a_reached_phase_is_signalled_immediately() {
    let (phase, stop) = Stop::channel();
    phase.send_replace(Phase::Ending);
    let mut signal = stop.into_signal(Phase::Draining);
    assert!(signal.poll_begin(&mut Context::from_waker(Waker::noop())).is_ready());
}
