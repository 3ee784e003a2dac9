//! Tests against a real Temporal server with worker processes that are killed. The program has its own
//! `main`, because it also is the worker: `durable worker ...`.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "it reports as libtest does, and starts processes and reads their files"
)]

mod fleet;
mod harness;
mod parts;
mod point;
mod runs;
mod scale;
mod scene;
mod upgrade;

use std::process::ExitCode;
use std::time::Instant;

use windlass_testkit::Need;
use windlass_testkit::temporal::TemporalServer;

/// A test: a name and a function that returns the description of a failure.
type Test = (&'static str, fn(&scene::Scene) -> Result<String, String>);

const TESTS: [Test; 13] = [
    ("a_run_ends_with_the_answer_of_the_model", runs::a_run_ends_with_the_answer_of_the_model),
    ("a_killed_worker_does_not_change_the_transcript", runs::a_killed_worker_does_not_change_the_transcript),
    ("a_killed_server_does_not_change_the_transcript", runs::a_killed_server_does_not_change_the_transcript),
    (
        "a_run_continues_as_new_with_the_same_transcript",
        runs::a_run_continues_as_new_with_the_same_transcript,
    ),
    ("a_stop_ends_a_waiting_run", runs::a_stop_ends_a_waiting_run),
    (
        "the_server_holds_no_readable_text_with_a_cipher",
        runs::the_server_holds_no_readable_text_with_a_cipher,
    ),
    (
        "runs_in_flight_get_the_tools_of_a_later_worker_at_their_next_turn",
        upgrade::runs_in_flight_get_the_tools_of_a_later_worker_at_their_next_turn,
    ),
    (
        "pinned_runs_end_on_the_worker_with_their_tools",
        upgrade::pinned_runs_end_on_the_worker_with_their_tools,
    ),
    (
        "runs_end_as_undisturbed_ones_while_the_server_is_killed",
        scale::runs_end_as_undisturbed_ones_while_the_server_is_killed,
    ),
    (
        "runs_end_as_undisturbed_ones_while_workers_are_killed",
        scale::runs_end_as_undisturbed_ones_while_workers_are_killed,
    ),
    ("two_workers_share_runs_and_one_is_killed", scale::two_workers_share_runs_and_one_is_killed),
    ("suspended_runs_take_little_memory_of_a_worker", scale::suspended_runs_take_little_memory_of_a_worker),
    ("the_conformance_kit_holds", harness::the_conformance_kit_holds),
];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some("worker") {
        return match parts::work(arguments) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        };
    }
    let filters = Filters::parse(std::env::args().skip(1));
    let (mut passed, mut failed) = (0, 0);
    if let Some(program) = Need::Temporal.check(TemporalServer::find_program()) {
        for (name, test) in TESTS.into_iter().filter(|(name, _)| filters.choose(name)) {
            let began = Instant::now();
            match scene::Scene::new(&program).and_then(|scene| test(&scene)) {
                Ok(note) => {
                    passed += 1;
                    println!("test {name} ... ok ({note}, {:.1} s)", began.elapsed().as_secs_f64());
                }
                Err(problem) => {
                    failed += 1;
                    println!("test {name} ... FAILED\n{problem}");
                }
            }
        }
    }
    let result = if failed == 0 { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {result}. {passed} passed; {failed} failed; 0 ignored; 0 measured; 0 filtered out"
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The filters of the command line, as libtest has them.
#[derive(Default)]
struct Filters {
    chosen: Vec<String>,
    skipped: Vec<String>,
}

impl Filters {
    fn parse(mut words: impl Iterator<Item = String>) -> Self {
        let mut filters = Self::default();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--skip" => filters.skipped.extend(words.next()),
                option if option.starts_with('-') => {}
                _ => filters.chosen.push(word),
            }
        }
        filters
    }

    /// Returns whether a test is chosen and not skipped.
    fn choose(&self, name: &str) -> bool {
        let has = |parts: &[String]| parts.iter().any(|part| name.contains(part.as_str()));
        (self.chosen.is_empty() || has(&self.chosen)) && !has(&self.skipped)
    }
}
