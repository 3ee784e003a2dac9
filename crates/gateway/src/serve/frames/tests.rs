//! The frames of bodies whose pieces arrive together or alone, and their errors.

use std::collections::VecDeque;
use std::task::Waker;

use futures_util::stream;

use super::*;

/// The steps of a body.
enum Step {
    Piece(usize),
    Wait,
    Break,
}

fn frames(steps: impl IntoIterator<Item = Step>) -> ResponseFrames {
    let mut steps: VecDeque<Step> = steps.into_iter().collect();
    ResponseFrames::new(Box::pin(stream::poll_fn(move |_| match steps.pop_front() {
        Some(Step::Piece(bytes)) => Poll::Ready(Some(Ok(vec![b'a'; bytes].into()))),
        Some(Step::Wait) => Poll::Pending,
        Some(Step::Break) => Poll::Ready(Some(Err(io::Error::other("broken")))),
        None => Poll::Ready(None),
    })))
}

/// Polls a body until its end. Returns the sizes of its frames; 0 for a wait.
fn sizes(mut body: ResponseFrames) -> Result<Vec<usize>, (Vec<usize>, String)> {
    let mut context = Context::from_waker(Waker::noop());
    let mut sizes = Vec::new();
    loop {
        match Pin::new(&mut body).poll_frame(&mut context) {
            Poll::Ready(Some(Ok(frame))) => sizes.push(frame.into_data().map_or(0, |bytes| bytes.len())),
            Poll::Ready(Some(Err(error))) => return Err((sizes, error.to_string())),
            Poll::Ready(None) => return Ok(sizes),
            Poll::Pending => sizes.push(0),
        }
    }
}

#[test]
fn pieces_that_are_ready_together_are_one_frame() {
    let pieces = (0..10).map(|_| Step::Piece(100));
    assert_eq!(sizes(frames(pieces)), Ok(vec![1_000]));
    let pieces = (0..100).map(|_| Step::Piece(100));
    assert_eq!(sizes(frames(pieces)), Ok(vec![4_100, 4_100, 1_800]));
}

#[test]
fn a_piece_does_not_wait_for_the_next_one() {
    let steps = [Step::Wait, Step::Piece(1), Step::Wait, Step::Wait, Step::Piece(2)];
    // A piece is sent as soon as the body has no next piece ready.
    assert_eq!(sizes(frames(steps)), Ok(vec![0, 1, 0, 2]));
}

#[test]
fn large_pieces_are_not_copied() {
    let large = Bytes::from(vec![b'a'; 1 << 20]);
    let (piece, start) = (large.clone(), large.as_ptr());
    let mut body = ResponseFrames::new(Box::pin(stream::iter([Ok(piece), Ok(large)])));
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..2 {
        let Poll::Ready(Some(Ok(frame))) = Pin::new(&mut body).poll_frame(&mut context) else {
            panic!("the piece is ready");
        };
        assert!(frame.into_data().is_ok_and(|bytes| bytes.as_ptr() == start));
    }
}

#[test]
fn the_server_can_write_the_pieces_before_an_error() {
    let steps = [Step::Piece(10), Step::Piece(10), Step::Break];
    assert_eq!(sizes(frames(steps)), Err((vec![20, 0], "broken".to_owned())));
    let steps = [Step::Piece(10), Step::Wait, Step::Break];
    assert_eq!(sizes(frames(steps)), Err((vec![10, 0], "broken".to_owned())));
    assert_eq!(sizes(frames([Step::Break])), Err((vec![], "broken".to_owned())));
}

#[test]
fn empty_pieces_do_not_end_a_body() {
    assert_eq!(sizes(frames([Step::Piece(0), Step::Piece(3), Step::Piece(0)])), Ok(vec![3]));
    assert_eq!(sizes(frames([Step::Piece(0), Step::Wait, Step::Piece(3)])), Ok(vec![0, 3]));
}
