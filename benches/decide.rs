//! Benchmark of policy decisions about calls.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use windlass_benches::decisions;
use windlass_hitl::{ApprovalHistory, Grants, decide};

fn decisions_of_all_calls(criterion: &mut Criterion) {
    let (grants, learned, calls) = (Grants::default(), ApprovalHistory::default(), decisions::calls());
    for rules in [0, 20, 200] {
        let policy = decisions::policy(rules);
        criterion.bench_function(&format!("decide/{rules}_rules"), |bencher| {
            bencher.iter(|| {
                for facts in &calls {
                    black_box(decide(&policy, &grants, &learned, facts));
                }
            });
        });
    }
}

criterion_group!(benches, decisions_of_all_calls);
criterion_main!(benches);
