//! A suite that is recorded with a provider and replayed without one.

use windlass_cassette::CassetteOptions;
use windlass_evals::{Case, Suite, Summary, TrialStatus, contains, judge_with};
use windlass_mock::{Script, ScriptedProvider};

use crate::scene::prices;

const KEY: &str = "sk-planted-secret-0123456789";

/// Returns options for a machine with this provider, or without a provider and a key.
fn options(url: Option<String>) -> CassetteOptions {
    CassetteOptions::default().with_variables(move |name| match name {
        "OPENAI_BASE_URL" => url.clone(),
        "OPENAI_API_KEY" if url.is_some() => Some(KEY.to_owned()),
        _ => None,
    })
}

/// Runs a suite whose agent and judge use the cassette of the trial.
async fn run(folder: &std::path::Path, task: &str, options: CassetteOptions) -> Summary {
    let polite = judge_with("The answer is polite.", |trial| {
        Ok(trial.cassette()?.agent("openai", "judge-1")?.system("You judge.").budget(prices()).build()?)
    });
    let case = Case::new("greeting", task).expect(contains("Hello")).expect(polite);
    let suite = Suite::new("s").case(case).repetitions(2).cassettes_with(folder, options);
    let suite = suite.agent_with("gpt-5.1", |trial| {
        Ok(trial.cassette()?.agent("openai", "gpt-5.1")?.budget(prices()).build()?)
    });
    suite.run().await.unwrap()
}

#[tokio::test]
async fn a_recorded_suite_runs_without_key_and_provider() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"{"turns": [{"steps": [{"text": "Hello!"}]}], "parts": {"You judge.":
        [{"steps": [{"text": "{\"reason\": \"It greets.\", \"passed\": true}"}]}]}}"#;
    let provider = ScriptedProvider::start(Script::parse(script).unwrap(), 0).await.unwrap();
    let url = format!("{}/v1", provider.base_url());

    let recorded = run(folder.path(), "Greet me.", options(Some(url))).await;
    assert!(recorded.is_passed(), "{recorded}");
    assert_eq!(provider.requests().len(), 4, "two runs, and a judge for each");
    provider.shutdown().await;
    let file = folder.path().join("gpt-5.1/greeting/1.jsonl");
    assert!(!std::fs::read_to_string(&file).unwrap().contains(KEY));

    let replayed = run(folder.path(), "Greet me.", options(None)).await;
    assert!(replayed.is_passed(), "{replayed}");
    for (left, right) in recorded.trials.iter().zip(&replayed.trials) {
        assert_eq!((&left.answer, left.cost, left.judge), (&right.answer, right.cost, right.judge));
        assert!(!left.replayed && right.replayed && left.judge.requests == 1);
    }
    // Durations of a replay are left out.
    assert_eq!(replayed.model("gpt-5.1").unwrap().p50_ms, None);

    // Another task is another request: the trial is an error that names the place.
    let other = run(folder.path(), "Insult me.", options(None)).await;
    assert_eq!(other.trials[0].status, TrialStatus::Error);
    let reason = other.trials[0].reason();
    assert!(reason.contains("request 0 differs at body.messages[0].content"), "{reason}");

    // Neither a cassette nor a key.
    let empty = tempfile::tempdir().unwrap();
    let missing = run(empty.path(), "Greet me.", options(None)).await;
    assert!(missing.trials[0].reason().contains("set OPENAI_API_KEY"), "{missing}");
}
