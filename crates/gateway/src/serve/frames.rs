//! The body of a response, as frames for the HTTP server.

use std::io;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame};

use crate::answer::ResponseBody;

/// Bytes from which a frame takes no further piece. Larger pieces are never copied.
const FRAME_BYTES: usize = 4 << 10;

/// A body whose small pieces are joined if they are ready together, so that the server frames and writes them at once. It
/// waits for no piece.
pub(crate) struct ResponseFrames {
    body: ResponseBody,
    end: BodyEnd,
    /// True if the server has had no time to write the last frame.
    is_unwritten: bool,
}

/// The end of a body, after the pieces of its last frame.
enum BodyEnd {
    Open,
    Complete,
    Broken(io::Error),
}

impl ResponseFrames {
    pub(crate) fn new(body: ResponseBody) -> Self {
        Self { body, end: BodyEnd::Open, is_unwritten: false }
    }
}

impl Body for ResponseFrames {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let this = &mut *self;
        let mut pieces = Pieces::Empty;
        while matches!(this.end, BodyEnd::Open) && pieces.len() < FRAME_BYTES {
            match this.body.as_mut().poll_next(context) {
                Poll::Ready(Some(Ok(piece))) => pieces.push(piece),
                Poll::Ready(Some(Err(error))) => this.end = BodyEnd::Broken(error),
                Poll::Ready(None) => this.end = BodyEnd::Complete,
                Poll::Pending => {
                    let Some(bytes) = pieces.join() else {
                        this.is_unwritten = false;
                        return Poll::Pending;
                    };
                    this.is_unwritten = true;
                    return Poll::Ready(Some(Ok(Frame::data(bytes))));
                }
            }
        }
        if let Some(bytes) = pieces.join() {
            this.is_unwritten = true;
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
        if matches!(this.end, BodyEnd::Broken(_)) && mem::take(&mut this.is_unwritten) {
            // At an error the server drops the frames that it has not written. It writes them while the body waits.
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        match mem::replace(&mut this.end, BodyEnd::Complete) {
            BodyEnd::Broken(error) => Poll::Ready(Some(Err(error))),
            BodyEnd::Open | BodyEnd::Complete => Poll::Ready(None),
        }
    }
}

/// Pieces that become one frame. A single piece is not copied.
enum Pieces {
    Empty,
    One(Bytes),
    Joined(Vec<u8>),
}

impl Pieces {
    fn len(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::One(piece) => piece.len(),
            Self::Joined(bytes) => bytes.len(),
        }
    }

    fn push(&mut self, piece: Bytes) {
        *self = match mem::replace(self, Self::Empty) {
            Self::Empty => Self::One(piece),
            Self::One(first) => {
                let room = first.len().saturating_add(piece.len()).max(FRAME_BYTES);
                let mut bytes = Vec::with_capacity(room);
                bytes.extend_from_slice(&first);
                bytes.extend_from_slice(&piece);
                Self::Joined(bytes)
            }
            Self::Joined(mut bytes) => {
                bytes.extend_from_slice(&piece);
                Self::Joined(bytes)
            }
        };
    }

    /// Returns the bytes of the pieces; `None` if they have no bytes.
    fn join(self) -> Option<Bytes> {
        let bytes = match self {
            Self::Empty => return None,
            Self::One(piece) => piece,
            Self::Joined(bytes) => bytes.into(),
        };
        (!bytes.is_empty()).then_some(bytes)
    }
}

#[cfg(test)]
mod tests;
