//! The statistics and the Markdown of a suite.

use windlass_evals::{Case, Suite, contains};
use windlass_mock::MockModel;

use crate::scene::{agent, answers};

#[tokio::test]
async fn models_are_compared_case_by_case() {
    let cases = (0..10)
        .map(|number| Case::new(format!("c{number}"), format!("task {number}")).expect(contains("yes")));
    let suite = Suite::new("s").cases(cases).agent_with("good", answers("yes")).agent_with("bad", |trial| {
        // Passes one case, so that nine are better with the other model.
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
