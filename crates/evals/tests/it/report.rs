//! The statistics and the Markdown of a suite.

use windlass_evals::{Case, Suite, contains};
use windlass_mock::MockModel;

use crate::scene::{agent, answers};

#[tokio::test]
async fn models_are_compared_case_by_case() {
    let cases = (0..10)
        .map(|number| Case::new(format!("c{number}"), format!("task {number}")).expect(contains("yes")));
    let suite = Suite::new("s").cases(cases).agent_with("good", answers("yes")).agent_with("bad", |trial| {
        // The model passes one case, so nine cases are better with the other model.
        let text = if trial.case == "c3" { "yes" } else { "no" };
        Ok(agent(MockModel::new().text(text).usage(10, 5)))
    });
    let summary = suite.run().await.unwrap();
    let comparison = summary.compare("good", "bad").unwrap();
    assert_eq!((comparison.first_better, comparison.second_better, comparison.ties), (9, 0, 1));
    assert!((comparison.p_value - 2.0 / 512.0).abs() < 1e-12);
    assert_eq!(summary.compare("bad", "good").unwrap().second_better, 9);
    assert_eq!(summary.compare("good", "other"), None);
    assert_eq!(summary.flaky(), []);
}

#[tokio::test]
async fn the_report_has_the_numbers_of_each_model() {
    let flaky = |trial: &windlass_evals::Trial| {
        let text = if trial.repetition == 0 { "yes | <b>" } else { "no | <b>" };
        Ok(agent(MockModel::new().text(text).usage(1_000, 234)))
    };
    let cases = ["a", "b"].map(|id| Case::new(id, "task").expect(contains("yes")));
    let suite = Suite::new("s").cases(cases).repetitions(2);
    let summary = suite.agent_with("flaky", flaky).agent_with("good", answers("yes")).run().await.unwrap();
    let flaky = summary.flaky();
    assert_eq!(flaky.len(), 2);
    assert_eq!((flaky[0].case.as_str(), flaky[0].passed, flaky[0].trials), ("a", 1, 2));
    let text = summary.to_markdown();
    for line in [
        "# s",
        "2 cases, 2 models, 2 repetitions: 8 of 8 trials ended.",
        "| flaky | 2/4 | 50.0 % (15.0–85.0) | 0 | 1000 + 234 | 0.0050 | – | 0 ms | 0 ms |",
        "| good | 4/4 | 100.0 % (51.0–100.0) | 0 | 10 + 5 | 0.0001 | – | 0 ms | 0 ms |",
        "| flaky against good | 0 | 2 | 0 | 0.500 |",
        "| a | flaky | 1/2 |",
        r#"| a | flaky | 1 | failed | contains "yes": the answer is "no \| &lt;b>" |"#,
    ] {
        let is_time = |part: &str| part.trim().ends_with("ms");
        let without_times = |line: &str| {
            line.split(" | ")
                .filter(|part| !is_time(part.trim_end_matches('|')))
                .collect::<Vec<_>>()
                .join(" | ")
        };
        assert!(text.lines().any(|found| without_times(found) == without_times(line)), "{line}\n{text}");
    }
    assert!(!summary.is_passed());
}

#[tokio::test]
async fn a_suite_runs_in_a_task_and_errors_count_as_not_passed() {
    let broken = |trial: &windlass_evals::Trial| {
        if trial.repetition == 0 { Ok(agent(MockModel::new().text("yes"))) } else { Err("no model".into()) }
    };
    let suite = Suite::new("s").case(Case::new("a", "task").expect(contains("yes"))).repetitions(2);
    // Needs a future that is `Send`.
    let summary =
        tokio::spawn(suite.agent_with("a", broken).agent_with("b", answers("yes")).run()).await.unwrap();
    let summary = summary.unwrap();
    let model = summary.model("a").unwrap();
    assert_eq!((model.passed, model.trials, model.errors), (1, 2, 1));
    // An error is neither a difference between models nor between repetitions.
    assert_eq!((summary.compare("a", "b").unwrap().ties, summary.flaky().len()), (1, 0));
}

/// The time of a summary grows with the number of trials, not with its square.
#[test]
fn a_summary_of_many_trials_is_fast() {
    let time = |cases: usize| {
        let summary = summary_of(cases);
        let start = std::time::Instant::now();
        let text = summary.to_markdown();
        assert!(text.contains("| c0 | first | 1/2 |"));
        start.elapsed()
    };
    time(100);
    let (few, many) = (time(250), time(2_000));
    assert!(many < few * 30 + std::time::Duration::from_millis(50), "{few:?} {many:?}");
}

/// Returns a summary by way of a file of results, in which each case passed once of two times.
fn summary_of(cases: usize) -> windlass_evals::Summary {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("results.jsonl");
    let ids: Vec<String> = (0..cases).map(|number| format!("c{number}")).collect();
    let suite = || {
        let cases = ids.iter().map(|id| Case::new(id.as_str(), "task"));
        let suite = Suite::new("s").cases(cases).repetitions(2).results(&file);
        suite.agent_with("first", |_| Err("not run".into())).agent_with("second", |_| Err("not run".into()))
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(suite().run()).unwrap();
    // The errors become results: passed first, failed then.
    let text = std::fs::read_to_string(&file).unwrap();
    let passed = |line: &str| line.replace(r#""status":"error""#, r#""status":"passed""#);
    let failed = |line: &str| line.replace(r#""status":"error""#, r#""status":"failed""#);
    let lines =
        text.lines().map(|line| if line.contains(r#""repetition":0"#) { passed(line) } else { failed(line) });
    let text: String = lines.map(|line| line + "\n").collect();
    std::fs::write(&file, text).unwrap();
    runtime.block_on(suite().run()).unwrap()
}
