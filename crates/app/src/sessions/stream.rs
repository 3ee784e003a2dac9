//! A reader of a session's feed: its records, then the live events, here or in another process.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::Stream;

use crate::error::{AppError, Result};
use crate::feed::{Feed, FeedEvent, Subscription};

/// Interval at which a reader looks for events of another process.
const INTERVAL: Duration = Duration::from_millis(250);

/// Source of the feeds of sessions: the host.
pub(super) trait FeedSource: Send + Sync {
    /// Returns the live feed of a session whose run works in this process.
    fn feed_of(&self, session: &str) -> Option<Feed>;

    /// Returns the recorded events of a session after a number.
    ///
    /// # Errors
    ///
    /// Fails if the session does not exist or cannot be read.
    fn read(&self, session: &str, after: Option<u64>) -> Result<Vec<FeedEvent>>;
}

/// Feed of a session from a number on. It does not end: a session can get another run. Dropping it has no effect on
/// the session.
///
/// A reader never delays a run. If it is slow, it gets the deltas that it missed as one, and every numbered event.
pub struct FeedStream {
    host: Arc<dyn FeedSource>,
    session: String,
    /// The number of the newest numbered event that was returned or is in `backlog`.
    last: u64,
    backlog: VecDeque<FeedEvent>,
    live: Option<Subscription>,
    merged: u64,
}

impl FeedStream {
    pub(super) fn new(host: Arc<dyn FeedSource>, session: String, last: u64) -> Self {
        Self { host, session, last, backlog: VecDeque::new(), live: None, merged: 0 }
    }

    /// Returns the number of deltas that arrived as a part of another one, because this reader was slow or joined
    /// late.
    pub fn count_merged(&self) -> u64 {
        self.merged.saturating_add(self.live.as_ref().map_or(0, Subscription::count_merged))
    }

    /// Returns the next event. Cancel-safe.
    ///
    /// # Errors
    ///
    /// Fails if the records of the session cannot be read. The next call reads them again.
    pub async fn next(&mut self) -> Result<FeedEvent> {
        loop {
            if let Some(event) = self.backlog.pop_front() {
                return Ok(event);
            }
            if let Some(live) = &mut self.live {
                if let Ok(Some(event)) = live.next().await {
                    self.last = self.last.max(event.seq);
                    return Ok(event);
                }
                // The run ended, or this reader is too far behind: the records have the rest.
                self.merged = self.count_merged();
                self.live = None;
            }
            let found = self.refill().await?;
            if !found && self.live.is_none() {
                tokio::time::sleep(INTERVAL).await;
            }
        }
    }

    /// Reads the recorded events, and joins the live feed if the session's run works in this process. Returns true
    /// if there are events.
    async fn refill(&mut self) -> Result<bool> {
        let joined = self.host.feed_of(&self.session).map(|feed| feed.subscribe(Some(self.last)));
        let first = joined.as_ref().map(|(_, first)| *first);
        if first.is_none_or(|first| first > self.last.saturating_add(1)) {
            let (host, session, last) = (Arc::clone(&self.host), self.session.clone(), self.last);
            let read = tokio::task::spawn_blocking(move || host.read(&session, Some(last))).await;
            let events = read.map_err(|_| AppError::task_failure())??;
            self.backlog
                .extend(events.into_iter().filter(|event| first.is_none_or(|first| event.seq < first)));
        }
        if let Some(event) = self.backlog.back() {
            self.last = event.seq;
        }
        self.live = joined.map(|(live, _)| live);
        Ok(!self.backlog.is_empty())
    }

    /// Returns the events as a stream. An error does not end it.
    pub fn into_stream(self) -> impl Stream<Item = Result<FeedEvent>> + Send + 'static {
        futures_util::stream::unfold(self, |mut feed| async {
            let event = feed.next().await;
            Some((event, feed))
        })
    }
}

impl fmt::Debug for FeedStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FeedStream")
            .field("session", &self.session)
            .field("last", &self.last)
            .finish_non_exhaustive()
    }
}
