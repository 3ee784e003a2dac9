//! W5: a provider's stream in network chunks, split into events.

use std::convert::Infallible;
use std::hint::black_box;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use futures_core::Stream;
use windlass_benches::{events, line_ends};
use windlass_testkit::workload;

use super::{Case, Work, keep};

/// The number of events, and the bytes of their data.
type Counts = (usize, usize);

pub(super) fn find(peer: &str, case: &Case) -> Option<Work> {
    let cut: fn(&'static [u8], usize) -> Counts = match peer {
        "sse" => |stream, chunk| events(stream, chunk),
        "memchr2" => |stream, chunk| (line_ends(stream, chunk), 0),
        "sse-stream" => sse_stream,
        "sse-core" => sse_core,
        "sseer" => sseer,
        "eventsource-stream" => eventsource_stream,
        _ => return None,
    };
    let chunk: usize = case.cut.parse().ok()?;
    let stream = stream_of(case)?;
    let wanted = count_expected(stream);
    let is_floor = peer == "memchr2";
    let check = move || {
        let told = cut(stream, chunk);
        if told == wanted || is_floor { Ok(()) } else { Err(format!("tells {told:?}, not {wanted:?}")) }
    };
    Some(Work::new(wanted.0, move || keep(&cut(black_box(stream), chunk)), check))
}

/// Returns the bytes of a provider's stream.
pub(super) fn stream_of(case: &Case) -> Option<&'static [u8]> {
    let stream = match case.workload.as_str() {
        "openai" => workload::w5_openai(case.bytes),
        "anthropic" => workload::w5_anthropic(case.bytes),
        _ => return None,
    };
    Some(Box::leak(stream.into_boxed_slice()))
}

/// Returns the data of each event by a simple search: W5 has one data line per event, and line feeds only.
pub(super) fn data_lines(stream: &'static [u8]) -> Vec<&'static str> {
    let text = std::str::from_utf8(stream).expect("the workload is UTF-8");
    text.lines().filter_map(|line| line.strip_prefix("data: ")).collect()
}

fn count_expected(stream: &'static [u8]) -> Counts {
    let lines = data_lines(stream);
    (lines.len(), lines.iter().map(|line| line.len()).sum())
}

/// Network chunks as an asynchronous stream that is always ready.
pub(super) struct Chunks<T> {
    rest: std::slice::Chunks<'static, u8>,
    wrap: fn(&'static [u8]) -> T,
}

impl<T> Chunks<T> {
    pub(super) fn new(stream: &'static [u8], chunk: usize, wrap: fn(&'static [u8]) -> T) -> Self {
        Self { rest: stream.chunks(chunk), wrap }
    }
}

impl<T> Stream for Chunks<T> {
    type Item = Result<T, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let wrap = self.wrap;
        Poll::Ready(self.rest.next().map(|chunk| Ok(wrap(black_box(chunk)))))
    }
}

/// Polls a stream of events to its end, without a runtime.
pub(super) fn drain<S: Stream>(stream: S, mut on_item: impl FnMut(S::Item)) {
    let mut stream = pin!(stream);
    let mut context = Context::from_waker(Waker::noop());
    while let Poll::Ready(Some(item)) = stream.as_mut().poll_next(&mut context) {
        on_item(item);
    }
}

fn sse_stream(stream: &'static [u8], chunk: usize) -> Counts {
    let mut told = (0, 0);
    drain(sse_stream::SseByteStream::new(Chunks::new(stream, chunk, |chunk| chunk)), |event| {
        let Ok(event) = event else { return };
        tell(&mut told, event.data.as_deref().unwrap_or_default());
    });
    told
}

fn sse_core(stream: &'static [u8], chunk: usize) -> Counts {
    let mut told = (0, 0);
    let mut decoder = sse_core::SseDecoder::new();
    for chunk in stream.chunks(chunk) {
        let mut rest = black_box(chunk);
        while let Some(event) = decoder.next(&mut rest) {
            if let Ok(sse_core::SseEvent::Message(message)) = event {
                tell(&mut told, &message.data);
            }
        }
    }
    told
}

fn sseer(stream: &'static [u8], chunk: usize) -> Counts {
    let mut told = (0, 0);
    let chunks = Chunks::new(stream, chunk, Bytes::from_static);
    drain(sseer::event_stream::EventStream::new(chunks), |event| {
        let Ok(event) = event else { return };
        tell(&mut told, &event.data);
    });
    told
}

fn eventsource_stream(stream: &'static [u8], chunk: usize) -> Counts {
    let mut told = (0, 0);
    let chunks = Chunks::new(stream, chunk, |chunk| chunk);
    drain(eventsource_stream::EventStream::new(chunks), |event| {
        let Ok(event) = event else { return };
        tell(&mut told, &event.data);
    });
    told
}

fn tell(told: &mut Counts, data: &str) {
    told.0 = told.0.wrapping_add(1);
    told.1 = told.1.wrapping_add(black_box(data).len());
}
