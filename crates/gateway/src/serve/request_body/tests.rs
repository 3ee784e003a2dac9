//! Bodies in one piece, in several, and bodies that are refused.

use std::convert::Infallible;
use std::io;

use futures_util::stream;
use http_body_util::{Full, StreamBody};
use hyper::body::Frame;

use super::*;

fn body(pieces: &[&'static str]) -> impl Body<Data = Bytes, Error = Infallible> + Unpin {
    let frames: Vec<_> =
        pieces.iter().map(|piece| Ok(Frame::data(Bytes::from_static(piece.as_bytes())))).collect();
    StreamBody::new(stream::iter(frames))
}

#[tokio::test]
async fn one_piece_is_not_copied() {
    let sent = Bytes::from_static(b"hello");
    let read = read_body(Full::new(sent.clone()), 5).await.unwrap();
    assert_eq!((read.as_ptr(), read.len()), (sent.as_ptr(), 5));
    assert_eq!(read_body(body(&[]), 5).await.unwrap(), "");
}

#[tokio::test]
async fn several_pieces_are_one_body() {
    assert_eq!(read_body(body(&["a", "bc", "", "d"]), 4).await.unwrap(), "abcd");
}

#[tokio::test]
async fn a_large_or_broken_body_is_refused() {
    assert_eq!(read_body(body(&["a", "bc", "d"]), 3).await, None);
    assert_eq!(read_body(body(&["abcd"]), 3).await, None);
    // The size is announced, so the body is refused without being read.
    assert_eq!(read_body(Full::new(Bytes::from_static(b"abcd")), 3).await, None);
    let broken = [Ok(Frame::data(Bytes::from_static(b"a"))), Err(io::ErrorKind::BrokenPipe)];
    assert_eq!(read_body(StreamBody::new(stream::iter(broken)), 9).await, None);
}
