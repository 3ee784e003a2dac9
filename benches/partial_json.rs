//! W1 in deltas of 8 to 24 bytes: the cost of a delta, which must not depend on what came before.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use windlass_benches::{SIZES, floor, push, push_and_view};
use windlass_testkit::split::{Cut, deltas};
use windlass_testkit::workload;

fn written_file(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("partial_json/w1_d16");
    for (size, bytes) in SIZES {
        let text = workload::w1(bytes);
        let parts = deltas(&text, Cut::Sixteen, 1);
        // An element is a delta, so the reported rate is flat where the cost of a delta is.
        group.throughput(Throughput::Elements(parts.len() as u64));
        group.bench_with_input(BenchmarkId::new("floor", size), &parts, |bencher, parts| {
            bencher.iter(|| floor(parts));
        });
        group.bench_with_input(BenchmarkId::new("push", size), &parts, |bencher, parts| {
            bencher.iter(|| push(parts));
        });
        group.bench_with_input(BenchmarkId::new("push_and_view", size), &parts, |bencher, parts| {
            bencher.iter(|| push_and_view(parts));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = written_file
}
criterion_main!(benches);
