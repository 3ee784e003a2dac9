//! Concurrency, limits of time and cost, cancellation, seeds and folders.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use windlass_evals::{Case, EvalError, StopReason, Suite, TrialStatus, code, exact};
use windlass_mock::{Fault, MockModel};

use crate::scene::{agent, answers, sum};

fn cases(count: usize) -> impl Iterator<Item = Case> {
    (0..count)
        .map(|number| Case::new(format!("case-{number}"), format!("task {number}")).expect(exact("yes")))
}

#[tokio::test(start_paused = true)]
async fn at_most_the_given_number_of_trials_run_at_the_same_time() {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (begun, seen) = (Arc::clone(&running), Arc::clone(&most));
    let case = |id: &str| {
        let running = Arc::clone(&running);
        Case::new(id, "task").expect(code("ends", move |_| {
            let running = Arc::clone(&running);
            async move { running.fetch_sub(1, Ordering::SeqCst) > 0 }
        }))
    };
    let suite = Suite::new("s").cases(["a", "b", "c", "d", "e"].map(case)).repetitions(4).concurrency(3);
    let suite = suite.agent_with("mock", move |_| {
        seen.fetch_max(begun.fetch_add(1, Ordering::SeqCst).saturating_add(1), Ordering::SeqCst);
        Ok(agent(MockModel::new().text("yes").delay(Duration::from_secs(1))))
    });
    let start = tokio::time::Instant::now();
    let summary = suite.run().await.unwrap();
    assert!(summary.is_passed());
    assert_eq!((summary.trials.len(), most.load(Ordering::SeqCst)), (20, 3));
    // Twenty trials of a second, three at a time.
    assert_eq!(start.elapsed(), Duration::from_secs(7));
    assert_eq!(summary.model("mock").unwrap().p50_ms, Some(1_000));
}

#[tokio::test(start_paused = true)]
async fn results_keep_the_suite_order() {
    let suite = Suite::new("s").cases(cases(6)).repetitions(2).concurrency(12).agent_with("mock", |trial| {
        let wait = Duration::from_millis(trial.seed % 1_000);
        Ok(agent(MockModel::new().text("yes").delay(wait)))
    });
    let summary = suite.agent_with("other", answers("yes")).run().await.unwrap();
    let order: Vec<_> = summary
        .trials
        .iter()
        .map(|trial| (trial.case.clone(), trial.model.clone(), trial.repetition))
        .collect();
    let expected: Vec<_> = (0..6)
        .flat_map(|case| {
            ["mock", "other"].into_iter().flat_map(move |model| {
                (0..2).map(move |repetition| (format!("case-{case}"), model.to_owned(), repetition))
            })
        })
        .collect();
    assert_eq!(order, expected);
}

#[tokio::test]
async fn seeds_are_the_same_for_each_model_and_in_each_run() {
    let run = async |seed: u64| {
        let suite = Suite::new("s").cases(cases(3)).repetitions(2).seed(seed);
        let summary =
            suite.agent_with("a", answers("yes")).agent_with("b", answers("yes")).run().await.unwrap();
        let of = |model: &str| -> Vec<u64> {
            summary.trials.iter().filter(|trial| trial.model == model).map(|trial| trial.seed).collect()
        };
        assert_eq!(of("a"), of("b"));
        of("a")
    };
    let first = run(1).await;
    assert_eq!(first.iter().collect::<std::collections::BTreeSet<_>>().len(), 6);
    assert_eq!(first, run(1).await);
    assert_ne!(first, run(2).await);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_takes_too_long_is_cancelled() {
    let stalled =
        |_: &windlass_evals::Trial| Ok(agent(MockModel::new().text("yes").fault(Fault::StallAfterChunks(1))));
    let suite = Suite::new("s").case_time_limit(Duration::from_mins(1)).agent_with("mock", stalled);
    let long = Case::new("long", "task").time_limit(Duration::from_secs(90));
    let summary = suite.case(Case::new("short", "task")).case(long).run().await.unwrap();
    let ends: Vec<_> =
        summary.trials.iter().map(|trial| (trial.status, trial.latency_ms, trial.reason())).collect();
    let timed_out = |time: u64| (TrialStatus::TimedOut, time, "timed out".to_owned());
    assert_eq!(ends, [timed_out(60_000), timed_out(90_000)]);
}

#[tokio::test]
async fn a_run_above_its_budget_is_stopped() {
    // Each answer costs 15 millionths.
    let calling = |_: &windlass_evals::Trial| {
        let model = MockModel::new().call("add", sum(1, 2)).usage(10, 5).call("add", sum(3, 4)).usage(10, 5);
        Ok(agent(model.text("yes").usage(10, 5)))
    };
    let suite = Suite::new("s").case_budget(44).agent_with("mock", calling).case(Case::new("small", "task"));
    let summary = suite.case(Case::new("large", "task").budget(45)).run().await.unwrap();
    assert_eq!(
        (summary.trials[0].status, summary.trials[0].case.as_str()),
        (TrialStatus::OverBudget, "small")
    );
    assert_eq!((summary.trials[1].status, summary.trials[1].cost), (TrialStatus::Passed, 45));
}

#[tokio::test]
async fn the_budget_of_the_suite_starts_no_further_trial() {
    let suite = Suite::new("s").cases(cases(10)).concurrency(1).budget(40).agent_with("mock", answers("yes"));
    let summary = suite.run().await.unwrap();
    assert_eq!((summary.trials.len(), summary.stopped), (3, Some(StopReason::Budget)));
    assert!(!summary.is_passed());
    let text = summary.to_markdown();
    assert!(
        text.contains("3 of 10 trials ended.\n**Incomplete**: the budget of the suite is used up."),
        "{text}"
    );
    // A budget that is reached by the last trial leaves a complete suite.
    let suite = Suite::new("s").cases(cases(3)).concurrency(1).budget(40).agent_with("mock", answers("yes"));
    assert_eq!(suite.run().await.unwrap().stopped, None);
}

#[tokio::test(start_paused = true)]
async fn a_suite_that_is_stopped_has_the_results_so_far() {
    let slow = |trial: &windlass_evals::Trial| {
        let seconds = if trial.case == "case-0" { 1 } else { 100 };
        Ok(agent(MockModel::new().text("yes").delay(Duration::from_secs(seconds))))
    };
    let suite = || Suite::new("s").cases(cases(3)).agent_with("mock", slow);
    let summary = suite().run_until(tokio::time::sleep(Duration::from_secs(5))).await.unwrap();
    assert_eq!((summary.trials.len(), summary.stopped), (1, Some(StopReason::Stopped)));
    assert_eq!(summary.model("mock").unwrap().passed, 1);
    let summary = suite().time_limit(Duration::from_secs(50)).run().await.unwrap();
    assert_eq!((summary.trials.len(), summary.stopped), (1, Some(StopReason::TimeLimit)));
}

#[tokio::test]
async fn each_trial_has_an_empty_folder() {
    let root = tempfile::tempdir().unwrap();
    let suite = || {
        let written = Case::new("a/b", "task").expect(code("writes one file", |attempt| async move {
            let folder = attempt.folder().unwrap();
            let count = std::fs::read_dir(folder).unwrap().count();
            assert_eq!((count, std::fs::read_to_string(folder.join("x")).unwrap()), (1, "1".to_owned()));
        }));
        Suite::new("s").case(written).repetitions(2).folders(root.path()).agent_with("mock", |trial| {
            let name = if std::fs::read_dir(trial.folder().unwrap())?.count() == 0 { "x" } else { "y" };
            std::fs::write(trial.folder().unwrap().join(name), "1")?;
            Ok(agent(MockModel::new().text("yes")))
        })
    };
    for _ in 0..2 {
        let summary = suite().run().await.unwrap();
        assert!(summary.is_passed(), "{summary}");
    }
}

#[tokio::test]
async fn a_panic_or_an_error_of_the_builder_is_an_error_of_the_trial() {
    let suite = Suite::new("s").cases(cases(2)).agent_with("mock", |trial| {
        assert!(trial.case != "case-0", "a bug");
        Err("without a model".into())
    });
    let summary = suite.run().await.unwrap();
    let reasons: Vec<String> = summary.trials.iter().map(windlass_evals::TrialRecord::reason).collect();
    assert_eq!(reasons, ["panicked: a bug", "without a model"]);
    assert_eq!(summary.model("mock").unwrap().errors, 2);
}

#[tokio::test]
async fn an_empty_or_ambiguous_suite_is_refused() {
    let errors = [
        Suite::new("s").agent_with("mock", answers("yes")).run().await.unwrap_err(),
        Suite::new("s").cases(cases(1)).run().await.unwrap_err(),
        Suite::new("s")
            .cases(cases(1))
            .cases(cases(1))
            .agent_with("mock", answers("yes"))
            .run()
            .await
            .unwrap_err(),
    ];
    let texts: Vec<String> = errors.iter().map(EvalError::to_string).collect();
    assert_eq!(
        texts,
        [
            "the suite has no case; add one with `Suite::case`",
            "the suite has no model; add one with `Suite::agent`",
            "the suite has two cases with the name case-0",
        ]
    );
}
