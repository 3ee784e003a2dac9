//! A timer for the silence between the pieces of a stream.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use crate::retry::add_wait;

/// A timer that is restarted by each piece of a stream. A restart stores nothing in tokio's timer wheel, unlike a
/// timeout around each read: the wheel is asked again only when the end of an earlier wait has come.
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use std::time::Duration;
/// use windlass_client::SilenceTimer;
///
/// let mut timer = SilenceTimer::new(Duration::from_secs(5));
/// timer.wait().await;
/// # }
/// ```
#[derive(Debug)]
pub struct SilenceTimer {
    limit: Duration,
    /// The first poll after the last restart.
    since: Option<Instant>,
    timer: LazyTimer,
}

/// A timer whose end moves with each wait.
#[derive(Debug, Default)]
pub(crate) struct LazyTimer {
    /// Ends at or before the end of the current wait.
    sleep: Option<Pin<Box<Sleep>>>,
}

impl SilenceTimer {
    /// Creates a timer that waits for this time.
    pub fn new(limit: Duration) -> Self {
        Self { limit, since: None, timer: LazyTimer::default() }
    }

    /// Restarts the timer. The time counts from the next poll, so that the pauses of a slow reader do not count.
    pub fn restart(&mut self) {
        self.since = None;
    }

    /// Waits until the time has passed since the first poll after the last restart, and restarts the timer then.
    ///
    /// Cancel-safe: a later call continues the wait.
    pub async fn wait(&mut self) {
        poll_fn(|context| self.poll_wait(context)).await;
    }

    /// Polls like [`wait`](Self::wait).
    pub fn poll_wait(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let end = add_wait(*self.since.get_or_insert_with(Instant::now), self.limit);
        ready!(self.timer.poll_until(end, context));
        self.restart();
        Poll::Ready(())
    }
}

impl LazyTimer {
    /// Waits until this time. A later call can wait for another time.
    pub(crate) fn poll_until(&mut self, end: Instant, context: &mut Context<'_>) -> Poll<()> {
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(end)));
        if sleep.deadline() > end {
            sleep.as_mut().reset(end);
        }
        loop {
            ready!(sleep.as_mut().poll(context));
            if sleep.deadline() >= end {
                break;
            }
            sleep.as_mut().reset(end);
        }
        self.sleep = None;
        Poll::Ready(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn pieces_restart_the_timer() {
        let start = Instant::now();
        let mut timer = SilenceTimer::new(Duration::from_secs(5));
        for _ in 0..10 {
            let piece = tokio::time::sleep(Duration::from_secs(4));
            tokio::select! {
                () = piece => timer.restart(),
                () = timer.wait() => panic!("a piece came in time"),
            }
        }
        timer.wait().await;
        assert_eq!(start.elapsed(), Duration::from_secs(45));
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_of_the_reader_does_not_count() {
        let mut timer = SilenceTimer::new(Duration::from_secs(5));
        let wait = tokio::time::timeout(Duration::from_secs(1), timer.wait()).await;
        assert!(wait.is_err());
        timer.restart();
        tokio::time::sleep(Duration::from_mins(1)).await;
        let start = Instant::now();
        timer.wait().await;
        assert_eq!(start.elapsed(), Duration::from_secs(5));
    }

    #[tokio::test(start_paused = true)]
    async fn restarts_do_not_change_the_timer_wheel() {
        let mut timer = SilenceTimer::new(Duration::from_secs(5));
        let mut ends = Vec::new();
        for _ in 0..4 {
            let wait = tokio::time::timeout(Duration::from_secs(1), timer.wait()).await;
            assert!(wait.is_err());
            timer.restart();
            ends.extend(timer.timer.sleep.as_ref().map(|sleep| sleep.deadline()));
        }
        ends.dedup();
        assert_eq!(ends.len(), 1);
    }
}
