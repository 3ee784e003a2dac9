//! The test of an attribute `cassette`: opens the cassette, runs the test, and ends both.
#![expect(clippy::panic, reason = "a failed test is a panic")]

use std::error::Error;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::path::{Path, PathBuf};

use futures_util::FutureExt;

use crate::{Cassette, CassetteError};

/// The value that a test returns.
pub trait TestResult {
    /// Returns whether the test succeeded.
    fn is_success(&self) -> bool;
}

impl TestResult for () {
    fn is_success(&self) -> bool {
        true
    }
}

impl<E> TestResult for Result<(), E> {
    fn is_success(&self) -> bool {
        self.is_ok()
    }
}

/// Returns the path of a cassette that the attribute does not name: a file for the test, in folders for its modules.
pub fn default_path(module: &str, test: &str) -> PathBuf {
    let mut path = PathBuf::from("tests/cassettes");
    path.extend(module.split("::"));
    path.push(format!("{test}.jsonl"));
    path
}

/// Runs a test on the cassette at `path`, which is relative to the folder of the package.
///
/// # Panics
/// Panics if the cassette cannot be opened or finished, and if the replay differs from it.
pub async fn run_test<R, F>(package: &str, path: impl AsRef<Path>, test: impl FnOnce(Cassette) -> F) -> R
where
    R: TestResult,
    F: Future<Output = R>,
{
    let path = Path::new(package).join(path);
    let cassette = Cassette::open(&path).unwrap_or_else(|error| panic!("{}", describe(&error)));
    let outcome = AssertUnwindSafe(test(cassette.clone())).catch_unwind().await;
    let is_success = outcome.as_ref().is_ok_and(TestResult::is_success);
    // A deviation from the recording is reported first, because it caused the failure. Without a deviation, the
    // unreplayed rest is a consequence of the failure and is not reported.
    let ended = if is_success { cassette.finish() } else { cassette.check(cassette.deviations()) };
    if let Err(error) = ended {
        panic!("{}", describe(&error));
    }
    if let Some(failure) = cassette.take_failure().filter(|_| !is_success) {
        panic!("{failure}");
    }
    outcome.unwrap_or_else(|panic| resume_unwind(panic))
}

/// Returns the message of an error with those of its sources.
fn describe(error: &CassetteError) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}
