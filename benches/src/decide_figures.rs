//! Prints the latency distribution of policy decisions: each call many times, timing every decision.
#![expect(clippy::print_stdout, reason = "this program prints a table")]
#![expect(clippy::disallowed_methods, reason = "it measures time")]

use std::hint::black_box;
use std::time::Instant;

use windlass_benches::decisions;
use windlass_hitl::{ApprovalHistory, Grants, decide};

const ROUNDS: usize = 2_000;

fn main() {
    let (grants, learned) = (Grants::default(), ApprovalHistory::default());
    println!("decide(), ns a decision over {} calls, {ROUNDS} rounds", decisions::calls().len());
    println!("{:>7} {:>8} {:>8} {:>8} {:>9} {:>9}", "rules", "p50", "p90", "p99", "p99.9", "slowest call");
    for rules in [0, 20, 200] {
        let (policy, calls) = (decisions::policy(rules), decisions::calls());
        let mut times = Vec::with_capacity(ROUNDS.saturating_mul(calls.len()));
        let mut least = vec![u128::MAX; calls.len()];
        for _ in 0..ROUNDS {
            for (facts, least) in calls.iter().zip(&mut least) {
                let start = Instant::now();
                black_box(decide(&policy, &grants, &learned, black_box(facts)));
                let time = start.elapsed().as_nanos();
                times.push(time);
                *least = time.min(*least);
            }
        }
        times.sort_unstable();
        let at = |per_mille: usize| {
            times.get(times.len().saturating_mul(per_mille) / 1000).copied().unwrap_or_default()
        };
        let slowest = least.iter().zip(&calls).max_by_key(|(time, _)| **time);
        let (time, about) =
            slowest.map_or((0, String::new()), |(time, facts)| (*time, format!("{:?}", facts.effects)));
        let about: String = about.chars().take(60).collect();
        println!("{rules:>7} {:>8} {:>8} {:>8} {:>9} {time:>9} {about}", at(500), at(900), at(990), at(999));
    }
}
