//! Prints a table of costs per delta and per event: `figures [partial_json | sse]`.
#![expect(clippy::print_stdout, reason = "this program prints a table")]
#![expect(clippy::disallowed_methods, reason = "it measures time")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use windlass_benches::{CHUNKS, SIZES, events, floor, line_ends, push, push_and_view};
use windlass_testkit::split::{Cut, deltas};
use windlass_testkit::workload;

/// Runs of each measurement. The minimum counts, because noise only adds.
const RUNS: usize = 15;
const STREAM_BYTES: usize = 4_000_000;

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    if "partial_json".contains(&filter) {
        partial_json();
    }
    if "sse".contains(&filter) {
        sse();
    }
}

/// Returns the minimum time over several runs, in nanoseconds per item.
#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn measure<T>(count: usize, mut work: impl FnMut() -> T) -> f64 {
    let mut least = Duration::MAX;
    for _ in 0..RUNS {
        let start = Instant::now();
        black_box(work());
        least = least.min(start.elapsed());
    }
    least.as_nanos() as f64 / count.max(1) as f64
}

fn partial_json() {
    println!("partial_json, ns a delta (least of {RUNS} runs)");
    println!(
        "{:<4} {:>7} {:>4} {:>8} {:>8} {:>8} {:>10} {:>8} {:>10}",
        "", "size", "cut", "deltas", "floor", "push", "push+view", "view", "push/floor"
    );
    let cuts = [("d4", Cut::Four), ("d16", Cut::Sixteen), ("dR", Cut::Ragged)];
    for name in ["W1", "W1u", "W1p"] {
        for (size, bytes) in SIZES {
            let text = match name {
                "W1u" => workload::w1u(bytes),
                "W1p" => workload::w1p(bytes),
                _ => workload::w1(bytes),
            };
            for (cut_name, cut) in cuts {
                row(name, size, cut_name, &deltas(&text, cut, 1));
            }
            row(name, size, "W4", &[&text]);
        }
    }
    for (name, text) in [("W2", workload::w2()), ("W3", workload::w3())] {
        row(name, "", "d16", &deltas(&text, Cut::Sixteen, 1));
        row(name, "", "W4", &[&text]);
    }
}

fn row(name: &str, size: &str, cut: &str, parts: &[&str]) {
    let count = parts.len();
    let floor = measure(count, || floor(parts));
    let pushed = measure(count, || push(parts));
    let viewed = measure(count, || push_and_view(parts));
    println!(
        "{name:<4} {size:>7} {cut:>4} {count:>8} {floor:>8.1} {pushed:>8.1} {viewed:>10.1} {:>8.1} {:>10.2}",
        viewed - pushed,
        pushed / floor
    );
}

fn sse() {
    println!("sse, ns an event (least of {RUNS} runs)");
    println!("{:<10} {:>7} {:>8} {:>8} {:>8} {:>8}", "", "chunk", "events", "scan", "events", "ratio");
    let streams =
        [("openai", workload::w5_openai(STREAM_BYTES)), ("anthropic", workload::w5_anthropic(STREAM_BYTES))];
    for (name, stream) in streams {
        for chunk in CHUNKS {
            let (count, _) = events(&stream, chunk);
            let scan = measure(count, || line_ends(&stream, chunk));
            let cut = measure(count, || events(&stream, chunk));
            println!("{name:<10} {chunk:>7} {count:>8} {scan:>8.1} {cut:>8.1} {:>8.2}", cut / scan);
        }
    }
}
