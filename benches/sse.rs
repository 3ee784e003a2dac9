//! W5 in network chunks: throughput of a stream in bytes per second, compared with a bare scan for line ends.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use windlass_benches::{CHUNKS, events, line_ends};
use windlass_testkit::workload;

const STREAM_BYTES: usize = 1_000_000;

fn provider_streams(criterion: &mut Criterion) {
    let streams =
        [("openai", workload::w5_openai(STREAM_BYTES)), ("anthropic", workload::w5_anthropic(STREAM_BYTES))];
    for (name, stream) in streams {
        let mut group = criterion.benchmark_group(format!("sse/{name}"));
        for chunk in CHUNKS {
            group.throughput(Throughput::Bytes(stream.len() as u64));
            group.bench_with_input(BenchmarkId::new("scan", chunk), &stream, |bencher, stream| {
                bencher.iter(|| line_ends(stream, chunk));
            });
            group.bench_with_input(BenchmarkId::new("events", chunk), &stream, |bencher, stream| {
                bencher.iter(|| events(stream, chunk));
            });
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = provider_streams
}
criterion_main!(benches);
