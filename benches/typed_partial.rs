//! T7: typed partial arguments in deltas of 8 to 24 bytes, compared with the untyped view and the bare
//! events.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use windlass_benches::typed::{EditFile, WriteFile, content_length, edit_count, events, typed, view};
use windlass_testkit::split::{Cut, deltas};
use windlass_testkit::workload;

fn typed_partial(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("typed_partial/d16");
    let (w1, w2) = (workload::w1(100_000), workload::w2());
    for (name, text) in [("W1", &w1), ("W2", &w2)] {
        let parts = deltas(text, Cut::Sixteen, 1);
        let member = if name == "W1" { "content" } else { "edits" };
        group.throughput(Throughput::Elements(parts.len() as u64));
        group.bench_with_input(BenchmarkId::new("view", name), &parts, |bencher, parts| {
            bencher.iter(|| view(parts, member));
        });
        group.bench_with_input(BenchmarkId::new("events", name), &parts, |bencher, parts| {
            bencher.iter(|| events(parts));
        });
        group.bench_with_input(BenchmarkId::new("typed", name), &parts, |bencher, parts| {
            bencher.iter(|| match name {
                "W1" => typed::<WriteFile>(parts, content_length),
                _ => typed::<EditFile>(parts, edit_count),
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = typed_partial
}
criterion_main!(benches);
