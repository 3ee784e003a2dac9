//! Prints the cost of typed partial arguments compared with untyped ones: `typed_figures`. Under callgrind,
//! `typed_figures WORKLOAD WAY RUNS` performs one of them alone.
#![expect(clippy::print_stdout, reason = "this program prints a table")]
#![expect(clippy::disallowed_methods, reason = "it measures time")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use windlass_benches::push;
use windlass_benches::typed::{EditFile, WriteFile, content_length, edit_count, events, typed, view};
use windlass_testkit::split::{Cut, deltas};
use windlass_testkit::workload;

/// Runs of each measurement. The minimum counts, because noise only adds.
const RUNS: usize = 40;
const WAYS: [&str; 4] = ["push", "view", "events", "typed"];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [workload, way, runs] = arguments.as_slice() {
        let text = text(workload);
        let parts = deltas(&text, Cut::Sixteen, 1);
        for _ in 0..runs.parse().unwrap_or(1_usize) {
            run(workload, way, &parts);
        }
        return;
    }
    println!("typed partial arguments, d16, ns a delta (least of {RUNS} runs)");
    println!(
        "{:<8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>11} {:>13}",
        "", "deltas", "push", "view", "events", "typed", "typed/view", "typed/events"
    );
    for workload in ["W1", "W1-1MB", "W2"] {
        let text = text(workload);
        let parts = deltas(&text, Cut::Sixteen, 1);
        let [push, view, events, typed] = WAYS.map(|way| measure(&parts, || run(workload, way, &parts)));
        println!(
            "{workload:<8} {:>8} {push:>8.1} {view:>8.1} {events:>8.1} {typed:>8.1} {:>11.2} {:>13.2}",
            parts.len(),
            typed / view,
            typed / events
        );
    }
}

fn text(workload: &str) -> String {
    match workload {
        "W2" => workload::w2(),
        "W1-1MB" => workload::w1(1_000_000),
        _ => workload::w1(100_000),
    }
}

fn run(workload: &str, way: &str, parts: &[&str]) -> usize {
    match (way, workload) {
        ("view", "W2") => view(parts, "edits"),
        ("view", _) => view(parts, "content"),
        ("events", _) => events(parts),
        ("typed", "W2") => typed::<EditFile>(parts, edit_count),
        ("typed", _) => typed::<WriteFile>(parts, content_length),
        _ => usize::from(push(parts).check().is_ok()),
    }
}

/// Returns the minimum time over several runs, in nanoseconds per delta.
#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn measure(parts: &[&str], mut work: impl FnMut() -> usize) -> f64 {
    let mut least = Duration::MAX;
    for _ in 0..RUNS {
        let start = Instant::now();
        black_box(work());
        least = least.min(start.elapsed());
    }
    least.as_nanos() as f64 / parts.len().max(1) as f64
}
