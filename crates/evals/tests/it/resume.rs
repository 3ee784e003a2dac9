//! The file of results, and a suite that continues.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use windlass_evals::{Case, EvalError, Suite, contains, exact};
use windlass_mock::{Fault, MockModel};

use crate::scene::{agent, answers};

/// Returns a suite that counts its trials.
fn suite(file: &Path, count: &Arc<AtomicUsize>, cases: &[&str]) -> Suite {
    let count = Arc::clone(count);
    let cases = cases.iter().map(|id| Case::new(*id, format!("task {id}")).expect(exact("yes")));
    Suite::new("s").cases(cases).repetitions(2).concurrency(1).results(file).agent_with("mock", move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        Ok(agent(MockModel::new().text("yes").usage(10, 5)))
    })
}

#[tokio::test]
async fn a_suite_that_was_killed_continues_after_any_byte_of_its_results() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("below/results.jsonl");
    let count = Arc::new(AtomicUsize::new(0));
    let complete = suite(&file, &count, &["a", "b"]).run().await.unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 4);
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches('\n').count(), 5, "a header and four results");

    for cut in (0..=text.len()).step_by(7).chain([text.len()]) {
        std::fs::write(&file, &text[..cut]).unwrap();
        let whole = text[..cut].matches('\n').count().saturating_sub(1);
        count.store(0, Ordering::SeqCst);
        let summary = suite(&file, &count, &["a", "b"]).run().await.unwrap();
        assert_eq!(count.load(Ordering::SeqCst), 4 - whole, "cut at {cut}");
        let ends = |trials: &[windlass_evals::TrialRecord]| -> Vec<(String, u32, u64)> {
            trials.iter().map(|trial| (trial.case.clone(), trial.repetition, trial.cost)).collect()
        };
        assert_eq!(ends(&summary.trials), ends(&complete.trials));
        assert!(summary.is_passed());
        let again = std::fs::read_to_string(&file).unwrap();
        assert_eq!(again.lines().count(), 5);
    }
}

#[tokio::test]
async fn a_changed_case_and_an_error_are_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("results.jsonl");
    let count = Arc::new(AtomicUsize::new(0));
    suite(&file, &count, &["a", "b"]).run().await.unwrap();
    count.store(0, Ordering::SeqCst);
    // A case that is left out stays in the file, a new one runs, and a larger suite keeps its results.
    let summary = suite(&file, &count, &["b", "c"]).repetitions(3).run().await.unwrap();
    assert_eq!((count.load(Ordering::SeqCst), summary.trials.len()), (1 + 3, 6));
    count.store(0, Ordering::SeqCst);
    suite(&file, &count, &["a", "b"]).run().await.unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 0);
    // Another expectation or another seed is another trial.
    let changed = Case::new("a", "task a").expect(contains("yes"));
    suite(&file, &count, &[]).case(changed).run().await.unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 2);
    suite(&file, &count, &["b"]).seed(1).run().await.unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 4);

    let file = folder.path().join("errors.jsonl");
    let run = async |model: fn() -> MockModel| {
        let suite = Suite::new("s").case(Case::new("a", "task")).results(&file);
        suite.agent_with("mock", move |_| Ok(agent(model()))).run().await.unwrap()
    };
    assert_eq!(run(|| MockModel::new().fault(Fault::refuse(401))).await.model("mock").unwrap().errors, 1);
    assert!(run(|| MockModel::new().text("yes")).await.is_passed());
    assert!(run(|| MockModel::new().fault(Fault::refuse(401))).await.is_passed(), "the later result is used");
}

#[tokio::test]
async fn a_file_of_something_else_is_refused_and_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("results.jsonl");
    let run = async |text: &str| {
        std::fs::write(&file, text).unwrap();
        let suite =
            Suite::new("s").case(Case::new("a", "task")).agent_with("mock", answers("yes")).results(&file);
        let error = suite.run().await.unwrap_err();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
        error
    };
    let error = run("{\"line\":\"suite\",\"version\":1,\"name\":\"other\"}\n").await;
    assert!(error.to_string().ends_with("belong to the suite other, not to s"), "{error}");
    let error = run("{\"line\":\"suite\",\"version\":9,\"name\":\"s\"}\n").await;
    assert!(error.to_string().ends_with("have version 9, this program reads up to 1"), "{error}");
    let error = run("{\"line\":\"suite\",\"version\":1,\"name\":\"s\"}\nhello\n").await;
    assert!(matches!(error, EvalError::Line { number: 2, .. }), "{error}");
    // A text without any line end is not the beginning of a file of results.
    let error = run("my notes").await;
    assert!(matches!(error, EvalError::Line { number: 1, .. }), "{error}");
}

#[tokio::test]
async fn two_suites_cannot_write_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("results.jsonl");
    let other = std::fs::File::create(&file).unwrap();
    other.lock().unwrap();
    let suite =
        || Suite::new("s").case(Case::new("a", "task")).agent_with("mock", answers("yes")).results(&file);
    assert!(matches!(suite().run().await, Err(EvalError::InUse { .. })));
    drop(other);
    assert!(suite().run().await.unwrap().is_passed());
}
