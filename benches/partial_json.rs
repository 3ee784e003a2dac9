//! W1 to W4: JSON throughput in bytes per second, compared with a floor that exposes nothing while streaming.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use windlass_benches::{SIZES, floor, push, push_and_view};
use windlass_testkit::split::{Cut, deltas};
use windlass_testkit::workload;

const CUTS: [(&str, Cut); 5] =
    [("d1", Cut::One), ("d4", Cut::Four), ("d16", Cut::Sixteen), ("dR", Cut::Ragged), ("W4", Cut::Whole)];

/// Size of W1, in bytes, in the comparison of its cuts.
const CUT_BYTES: usize = 100_000;

fn compare(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, text: &str, cut: Cut) {
    let parts = deltas(text, cut, 1);
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_with_input(BenchmarkId::new("floor", name), &parts, |bencher, parts| {
        bencher.iter(|| floor(parts));
    });
    group.bench_with_input(BenchmarkId::new("push", name), &parts, |bencher, parts| {
        bencher.iter(|| push(parts));
    });
    group.bench_with_input(BenchmarkId::new("push_and_view", name), &parts, |bencher, parts| {
        bencher.iter(|| push_and_view(parts));
    });
}

/// The cost of a delta must not depend on the text before it, so the throughput must be the same at every
/// size.
fn written_file(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("partial_json/w1_d16");
    for (size, bytes) in SIZES {
        compare(&mut group, size, &workload::w1(bytes), Cut::Sixteen);
    }
    group.finish();
    let mut group = criterion.benchmark_group("partial_json/w1_cuts");
    for (name, cut) in CUTS {
        compare(&mut group, name, &workload::w1(CUT_BYTES), cut);
    }
    group.finish();
}

fn other_texts(criterion: &mut Criterion) {
    let texts = [
        ("w1u", workload::w1u(CUT_BYTES)),
        ("w1p", workload::w1p(CUT_BYTES)),
        ("w2", workload::w2()),
        ("w3", workload::w3()),
    ];
    for (name, text) in texts {
        let mut group = criterion.benchmark_group(format!("partial_json/{name}"));
        for (cut_name, cut) in [("d16", Cut::Sixteen), ("W4", Cut::Whole)] {
            compare(&mut group, cut_name, &text, cut);
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = written_file, other_texts
}
criterion_main!(benches);
