//! Measurements of the parsing path and of whole tool loops, compared with other crates on the same
//! workloads; one row per value in PERFORMANCE.
#![expect(
    clippy::disallowed_methods,
    reason = "this program measures time and starts itself under callgrind"
)]

mod heap;
mod measure;
#[cfg(feature = "loops")]
mod mock;
mod row;
mod targets;
mod work;

use std::process::ExitCode;

use measure::Session;
#[cfg(feature = "agents")]
pub use targets::AGENTS;
pub use targets::FLOOR;
#[cfg(feature = "loops")]
pub use targets::LOOPS;
#[cfg(feature = "parsers")]
pub use targets::PARSERS;
#[cfg(feature = "streams")]
pub use targets::STREAMS;
use targets::Target;
use work::Case;

/// Measures the named targets, or all of them, and prints each row as one line of JSON. `one PEER WORKLOAD
/// BYTES CUT RUNS` performs one piece of work without output, for callgrind.
pub fn run(targets: &[Target]) -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [command, peer, workload, bytes, cut, runs] = words.as_slice()
        && command == "one"
    {
        return one(peer, workload, bytes, cut, runs);
    }
    #[cfg(feature = "loops")]
    if words == ["serve"] {
        return mock::serve().map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    let mut session = Session::default();
    let is_wanted = |target: &&Target| words.is_empty() || words.iter().any(|word| word == target.id);
    for target in targets.iter().filter(is_wanted) {
        for row in (target.rows)(&mut session) {
            println!("{}", row.to_json());
        }
    }
    ExitCode::SUCCESS
}

fn one(peer: &str, workload: &str, bytes: &str, cut: &str, runs: &str) -> ExitCode {
    let (Ok(bytes), Ok(runs)) = (bytes.parse(), runs.parse::<usize>()) else {
        eprintln!("error: `{bytes}` and `{runs}` must be whole numbers");
        return ExitCode::FAILURE;
    };
    let Some(mut work) = work::find(peer, &Case::new(workload, bytes, cut)) else {
        eprintln!("error: there is no work of `{peer}` on `{workload} {bytes} {cut}`");
        return ExitCode::FAILURE;
    };
    for _ in 0..runs {
        work.run();
    }
    ExitCode::SUCCESS
}
