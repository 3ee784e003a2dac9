//! A response body that is sent in the script's pieces, with its pauses and its ending.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame};
use tokio::time::{Sleep, sleep};

use crate::provider::Ending;

/// Time between the last piece and a broken connection, in which the piece is sent.
const BEFORE_CUT: Duration = Duration::from_millis(20);

/// A response body that is sent piece by piece.
#[derive(Debug)]
pub(super) struct PacedBody {
    frames: std::vec::IntoIter<Vec<u8>>,
    ending: Ending,
    delay: Duration,
    wait: Wait,
}

#[derive(Debug)]
enum Wait {
    /// No wait.
    No,
    /// One iteration of the runtime, in which the previous piece is flushed.
    Flush,
    /// The script's pause.
    Pause(Pin<Box<Sleep>>),
    /// The time before the connection breaks.
    Cut(Pin<Box<Sleep>>),
}

impl PacedBody {
    pub(super) fn new(frames: Vec<Vec<u8>>, ending: Ending, delay_ms: u64) -> Self {
        let delay = Duration::from_millis(delay_ms);
        Self { frames: frames.into_iter(), ending, delay, wait: Wait::No }
    }
}

impl Body for PacedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        match &mut self.wait {
            Wait::No => {}
            Wait::Flush => {
                self.wait = Wait::No;
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            Wait::Pause(pause) => {
                ready!(pause.as_mut().poll(context));
                self.wait = Wait::No;
            }
            Wait::Cut(time) => {
                ready!(time.as_mut().poll(context));
                return Poll::Ready(Some(Err(io::Error::other("the script cuts the connection"))));
            }
        }
        let Some(frame) = self.frames.next() else {
            return match self.ending {
                Ending::Proper => Poll::Ready(None),
                Ending::Silence => Poll::Pending,
                Ending::Cut => {
                    let mut time = Box::pin(sleep(BEFORE_CUT));
                    let first = time.as_mut().poll(context);
                    self.wait = Wait::Cut(time);
                    if first.is_ready() {
                        context.waker().wake_by_ref();
                    }
                    Poll::Pending
                }
            };
        };
        self.wait = if self.delay.is_zero() { Wait::Flush } else { Wait::Pause(Box::pin(sleep(self.delay))) };
        Poll::Ready(Some(Ok(Frame::data(Bytes::from(frame)))))
    }
}
