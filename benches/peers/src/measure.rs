//! Measurement of time, instructions and allocations.

use std::collections::HashMap;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

use crate::heap::{self, Heap};
use crate::work::{self, Case, Work};

/// A measurement ends after this number of runs …
const RUNS: usize = 25;
/// … or after this time. Slow peers get one run.
const BUDGET: Duration = Duration::from_millis(1_500);

/// Callgrind counts `rep movsb`, with which glibc copies large blocks, as one instruction per byte. That is
/// many times its cost and would penalise peers that copy, so this setting makes glibc copy with vector
/// instructions.
const VECTOR_COPIES: &str = "glibc.cpu.x86_rep_movsb_threshold=1099511627776";

/// A measured value, or the reason why it is missing.
pub type Figure = Result<f64, String>;

/// The cached results of one run of the program: instruction counts and checks are not repeated.
#[derive(Default)]
pub struct Session {
    instructions: HashMap<(String, Case), Figure>,
    checked: HashMap<(String, Case), Result<(), String>>,
}

impl Session {
    /// Measures nanoseconds per unit as the minimum over several runs, because noise only adds. Uses CPU
    /// time: on a shared machine a long run is always interrupted, and wall time would make slow peers look
    /// slower than they are.
    pub fn time(&mut self, peer: &str, case: &Case) -> Figure {
        self.times(&[peer], case).map(|times| times[0])
    }

    /// Formats the times of other peers. A peer with a wrong result is left out, with the reason.
    pub fn times_of(&mut self, peers: &[&str], case: &Case) -> String {
        let said = |peer: &&str| match self.time(peer, case) {
            Ok(time) if time < 10.0 => format!("{peer} {time:.2}"),
            Ok(time) => format!("{peer} {time:.0}"),
            Err(reason) => format!("left out: {reason}"),
        };
        peers.iter().map(said).collect::<Vec<_>>().join(", ")
    }

    /// Measures several peers on one case, with alternating runs, so that all have the same noise.
    ///
    /// # Errors
    /// A peer is unknown or has a wrong result.
    pub fn times(&mut self, peers: &[&str], case: &Case) -> Result<Vec<f64>, String> {
        let mut works = Vec::new();
        for peer in peers {
            works.push((self.checked_work(peer, case)?, Duration::MAX));
        }
        eprintln!("timing {} on {case}", peers.join(", "));
        let start = Instant::now();
        for _ in 0..RUNS {
            for (work, least) in &mut works {
                let start = ThreadTime::now();
                work.run();
                *least = start.elapsed().min(*least);
            }
            if start.elapsed() > BUDGET {
                break;
            }
        }
        Ok(works.iter().map(|(work, least)| nanoseconds(*least) / count(work.units)).collect())
    }

    /// Counts the instructions of one run: a process with two runs under callgrind, minus a process with one
    /// run.
    pub fn instructions(&mut self, peer: &str, case: &Case) -> Figure {
        let key = (peer.to_owned(), case.clone());
        if let Some(known) = self.instructions.get(&key) {
            return known.clone();
        }
        let figure = self.checked_work(peer, case).and_then(|_| {
            eprintln!("counting instructions of {peer} on {case}");
            callgrind(peer, case)
        });
        self.instructions.insert(key, figure.clone());
        figure
    }

    /// Counts the instructions that a run of the second case takes in addition to a run of the first.
    #[cfg(feature = "loops")]
    pub fn difference(&mut self, peer: &str, [first, second]: &[Case; 2]) -> Figure {
        self.checked_work(peer, first)?;
        eprintln!("counting instructions of {peer} on {second} beyond {first}");
        collect(peer, [(first, 1), (second, 1)])
    }

    /// Returns the instructions of one peer divided by those of another, on the same case.
    pub fn instructions_ratio(&mut self, peer: &str, other: &str, case: &Case) -> Figure {
        Ok(self.instructions(peer, case)? / self.instructions(other, case)?)
    }

    /// Measures the heap usage of one run. With `runs_before`, earlier runs have already grown reusable
    /// buffers.
    pub fn heap(&mut self, peer: &str, case: &Case, runs_before: usize) -> Result<Heap, String> {
        let mut work = self.checked_work(peer, case)?;
        for _ in 0..runs_before {
            work.run();
        }
        Ok(heap::count(|| work.run()).1)
    }

    /// Checks a peer's result, once per case.
    ///
    /// # Errors
    /// The description of the difference.
    pub fn check(&mut self, peer: &str, case: &Case) -> Result<(), String> {
        self.checked_work(peer, case).map(drop)
    }

    /// Returns a peer's work after checking its result.
    fn checked_work(&mut self, peer: &str, case: &Case) -> Result<Work, String> {
        let work = work::find(peer, case)
            .ok_or_else(|| format!("not measured: {peer} has no work on {case} in this program"))?;
        let outcome = self.checked.entry((peer.to_owned(), case.clone())).or_insert_with(|| {
            eprintln!("checking {peer} on {case}");
            work.check()
        });
        outcome.clone().map_err(|reason| format!("{peer} on {case}: {reason}"))?;
        Ok(work)
    }
}

/// Converts a count to a float, at least 1, for rates.
#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
pub fn count(things: usize) -> f64 {
    things.max(1) as f64
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn nanoseconds(time: Duration) -> f64 {
    time.as_nanos() as f64
}

fn callgrind(peer: &str, case: &Case) -> Figure {
    collect(peer, [(case, 1), (case, 2)])
}

/// Counts the instructions of the second case minus those of the first, each in its own process.
fn collect(peer: &str, pair: [(&Case, usize); 2]) -> Figure {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut children = Vec::new();
    // Run both at the same time: instruction counts, unlike times, do not depend on other processes.
    for (case, runs) in pair {
        let mut command = Command::new("valgrind");
        command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(&own);
        command.args(["one", peer, &case.workload, &case.bytes.to_string(), &case.cut, &runs.to_string()]);
        command.env("GLIBC_TUNABLES", VECTOR_COPIES);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        children.push(command.spawn().map_err(|_| "not counted here: there is no valgrind".to_owned())?);
    }
    let mut collected = Vec::new();
    for child in children {
        let output = child.wait_with_output().map_err(|error| error.to_string())?;
        collected.push(parse_collected(&String::from_utf8_lossy(&output.stderr)));
    }
    match collected.as_slice() {
        [Some(once), Some(twice)] if twice > once => Ok(twice - once),
        _ => Err("not counted here: callgrind gave no figure".to_owned()),
    }
}

/// Parses the number after `Collected :` in callgrind's output.
fn parse_collected(printed: &str) -> Option<f64> {
    let (_, figure) = printed.lines().find_map(|line| line.split_once("Collected :"))?;
    figure.trim().parse().ok()
}
