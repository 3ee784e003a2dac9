//! The measured functions of the benchmarks, on the workloads of the test kit.

pub mod decisions;
pub mod typed;

use std::hint::black_box;

use serde_json::Value;
use windlass_partial_json::Parser;

/// Sizes of W1. An equal cost per delta at all sizes shows that the cost does not depend on the history.
pub const SIZES: [(&str, usize); 3] = [("10 KB", 10_000), ("100 KB", 100_000), ("1 MB", 1_000_000)];

/// Lengths of network chunks for W5.
pub const CHUNKS: [usize; 3] = [16_384, 1_400, 100];

/// The floor: appends all deltas and parses once at the end, without any value while streaming.
///
/// # Panics
/// The deltas are not JSON.
pub fn floor(deltas: &[&str]) -> Value {
    let mut text = String::new();
    for delta in deltas {
        text.push_str(black_box(delta));
    }
    serde_json::from_str(&text).expect("the workload is JSON")
}

/// Pushes all deltas and keeps the document.
///
/// # Panics
/// The deltas are not JSON.
pub fn push(deltas: &[&str]) -> Parser {
    let mut parser = Parser::new();
    for delta in deltas {
        parser.push(black_box(delta)).expect("the workload is JSON");
    }
    parser
}

/// Pushes all deltas, and after each reads the number of keys and the length of the growing field.
///
/// # Panics
/// The deltas are not JSON.
pub fn push_and_view(deltas: &[&str]) -> usize {
    let mut parser = Parser::new();
    let mut seen = 0usize;
    for delta in deltas {
        parser.push(black_box(delta)).expect("the workload is JSON");
        let Some(root) = parser.snapshot().root() else { continue };
        let content = root.get("content").and_then(windlass_partial_json::Node::as_str);
        seen = seen.wrapping_add(root.len()).wrapping_add(content.map_or(0, str::len));
        black_box(seen);
    }
    seen
}

/// Splits a stream in chunks of this length into events. Returns their number and the bytes of their data.
///
/// # Panics
/// The stream exceeds the limits.
pub fn events(stream: &[u8], chunk: usize) -> (usize, usize) {
    let mut parser = windlass_sse::Parser::new();
    let (mut count, mut bytes) = (0usize, 0usize);
    for chunk in stream.chunks(chunk) {
        let pushed = parser.push(black_box(chunk), |event| {
            count = count.wrapping_add(1);
            bytes = bytes.wrapping_add(black_box(event).data.len());
        });
        pushed.expect("the workload is within the limits");
    }
    (count, bytes)
}

/// The floor of a stream: counts line ends.
pub fn line_ends(stream: &[u8], chunk: usize) -> usize {
    stream.chunks(chunk).map(|chunk| memchr::memchr2_iter(b'\n', b'\r', black_box(chunk)).count()).sum()
}
